//! What does `search_tools` get asked? Its arguments, read leniently, within their bounds.

use std::fmt;

use crate::tools::arguments::{Members, Problem};

/// What was asked for, within its bounds.
#[derive(PartialEq, Eq)]
pub(super) struct SearchArgs {
    pub(super) queries: Vec<String>,
    /// Whether it was one `query`, answered under `tools`.
    pub(super) single: bool,
    pub(super) limit: usize,
    /// Whether `limit` was out of its bounds and is the nearest within them.
    pub(super) is_clamped: bool,
    pub(super) schemas: bool,
}

const MOST_QUERIES: usize = 5;
pub(super) const MOST_HITS: u8 = 25;
const DEFAULT_HITS: u8 = 8;

impl SearchArgs {
    pub(super) fn parse(mut members: Members) -> Result<Self, Problem> {
        let query = members.take_strings("query")?;
        let queries = members.take_strings("queries")?;
        let wanted = "a whole number from 1 to 25";
        let limit = members
            .take_as::<f64>("limit", wanted)?
            .unwrap_or(DEFAULT_HITS.into());
        if limit.fract() != 0.0 {
            return Err(format!("`limit` must be {wanted}."));
        }
        let schemas = members.take_as::<bool>("schemas", "true or false")?;
        let single = queries.is_none() && query.as_ref().is_some_and(|query| query.len() == 1);
        let queries = [query, queries].into_iter().flatten().flatten();
        let queries: Vec<String> = queries.filter(|query| !query.trim().is_empty()).collect();
        match queries.len() {
            0 => Err("`query` is missing: say in plain words what is wanted.".to_owned()),
            1..=MOST_QUERIES => {
                let within = limit.clamp(1.0, MOST_HITS.into());
                Ok(Self {
                    queries,
                    single,
                    limit: (1..=MOST_HITS)
                        .rfind(|&it| f64::from(it) <= within)
                        .unwrap_or(1)
                        .into(),
                    is_clamped: limit < 1.0 || limit > MOST_HITS.into(),
                    schemas: schemas.unwrap_or(true),
                })
            }
            many => Err(format!(
                "{many} queries are too many: at most {MOST_QUERIES} in one call."
            )),
        }
    }
}

/// Without what was asked.
impl fmt::Debug for SearchArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchArgs")
            .field("queries", &self.queries.len())
            .field("limit", &self.limit)
            .field("schemas", &self.schemas)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::SearchArgs;
    use crate::tools::arguments::Members;

    fn parse(json: &str) -> Result<SearchArgs, String> {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        SearchArgs::parse(Members::read(Some(&raw))?)
    }

    #[test]
    fn arguments_are_read_leniently_and_clamped() {
        let args = |queries: &[&str], single, limit, schemas| SearchArgs {
            queries: queries.iter().map(|query| (*query).to_owned()).collect(),
            single,
            limit,
            is_clamped: false,
            schemas,
        };
        for (json, expected) in [
            (r#"{"query":"a"}"#, args(&["a"], true, 8, true)),
            (
                r#"{"query":"a","limit":25.0,"schemas":false}"#,
                args(&["a"], true, 25, false),
            ),
            (
                r#"{"query":"a","limit":"3","schemas":"false"}"#,
                args(&["a"], true, 3, false),
            ),
            (
                r#"{"query":["a","b"],"limit":1e0}"#,
                args(&["a", "b"], false, 1, true),
            ),
            (r#"{"queries":["a"]}"#, args(&["a"], false, 8, true)),
            (
                r#"{"queries":"[\"a\",\"b\"]"}"#,
                args(&["a", "b"], false, 8, true),
            ),
            (
                r#"{"query":"a","queries":["b"," "]}"#,
                args(&["a", "b"], false, 8, true),
            ),
        ] {
            assert_eq!(parse(json), Ok(expected), "{json}");
        }
        for (limit, used) in [
            ("-1", 1),
            ("0", 1),
            ("26", 25),
            ("-1e300", 1),
            ("1e300", 25),
            ("\"99\"", 25),
        ] {
            let args = parse(&format!(r#"{{"query":"a","limit":{limit}}}"#)).unwrap();
            assert_eq!((args.limit, args.is_clamped), (used, true), "{limit}");
        }
        for (json, part) in [
            ("{}", "`query` is missing"),
            (r#"{"query":"  "}"#, "`query` is missing"),
            (r#"{"query":7}"#, "`query` must be"),
            (r#"{"query":"a","limit":"many"}"#, "`limit` must be"),
            (r#"{"query":"a","limit":8.5}"#, "`limit` must be"),
            (r#"{"queries":["a","b","c","d","e","f"]}"#, "too many"),
        ] {
            assert!(parse(json).unwrap_err().contains(part), "{json}");
        }
        assert!(!format!("{:?}", parse(r#"{"query":"secret"}"#)).contains("secret"));
    }
}
