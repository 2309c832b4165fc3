//! `search_tools`: which tools fit these needs?

use serde::Serialize;
use serde_json::value::RawValue;

use crate::catalog::{Access, Catalog, Found};
use crate::tools::answer::{Answer, serialize};
use crate::tools::arguments::{Members, Problem};
use crate::tools::limits::Limits;

/// What was asked for, within its bounds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SearchArgs {
    queries: Vec<String>,
    /// Whether it was one `query`, answered under `tools`.
    single: bool,
    limit: usize,
    schemas: bool,
}

const MOST_QUERIES: usize = 5;
const MOST_HITS: u64 = 25;
const DEFAULT_HITS: u64 = 8;
/// Characters of a hit's description.
const DESCRIPTION: usize = 200;

impl SearchArgs {
    pub(super) fn parse(mut members: Members) -> Result<Self, Problem> {
        let query = members.take_strings("query")?;
        let queries = members.take_strings("queries")?;
        let limit = members.take_as::<u64>("limit", "a whole number from 1 to 25")?;
        let schemas = members.take_as::<bool>("schemas", "true or false")?;
        let single = queries.is_none() && query.as_ref().is_some_and(|query| query.len() == 1);
        let queries = [query, queries].into_iter().flatten().flatten();
        let queries: Vec<String> = queries.filter(|query| !query.trim().is_empty()).collect();
        match queries.len() {
            0 => Err("`query` is missing: say in plain words what is wanted.".to_owned()),
            1..=MOST_QUERIES => {
                let limit = limit.unwrap_or(DEFAULT_HITS).clamp(1, MOST_HITS);
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                Ok(Self {
                    queries,
                    single,
                    limit,
                    schemas: schemas.unwrap_or(true),
                })
            }
            many => Err(format!(
                "{many} queries are too many: at most {MOST_QUERIES} in one call."
            )),
        }
    }
}

#[derive(Serialize)]
struct Reply<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a [Hit<'a>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<Results<'a>>>,
    total: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: &'a Vec<String>,
}

#[derive(Serialize)]
struct Results<'a> {
    query: &'a str,
    tools: &'a [Hit<'a>],
}

#[derive(Serialize)]
struct Hit<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(rename = "readOnly")]
    read_only: bool,
    #[serde(rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    schema: Option<&'a RawValue>,
    /// A schema was there and did not fit into the answer.
    #[serde(rename = "schemaOmitted", skip_serializing_if = "std::ops::Not::not")]
    omitted: bool,
}

/// Searches the catalog; no I/O.
pub(super) fn run(catalog: &Catalog, args: &SearchArgs, limits: Limits) -> Answer {
    let found: Vec<Vec<Found>> = args
        .queries
        .iter()
        .map(|query| catalog.search(query, args.limit))
        .collect();
    let schemas = if args.schemas {
        limits.search_schemas
    } else {
        0
    };
    let mut hits: Vec<Vec<Hit<'_>>> = found.iter().map(|found| describe(found, schemas)).collect();
    let notes = notes(catalog);
    fit(&mut hits, |hits| {
        serialize(&reply(catalog, args, hits, &notes)).get().len() <= limits.max_answer_bytes
    });
    Answer::structured(&reply(catalog, args, &hits, &notes))
}

fn reply<'a>(
    catalog: &Catalog,
    args: &'a SearchArgs,
    hits: &'a [Vec<Hit<'a>>],
    notes: &'a Vec<String>,
) -> Reply<'a> {
    let single = hits.first().filter(|_| args.single).map(Vec::as_slice);
    let results = args.queries.iter().zip(hits);
    let results = results
        .map(|(query, tools)| Results { query, tools })
        .collect();
    Reply {
        tools: single,
        results: single.is_none().then_some(results),
        total: catalog.len(),
        notes,
    }
}

fn describe(found: &[Found], schemas: usize) -> Vec<Hit<'_>> {
    found
        .iter()
        .enumerate()
        .map(|(rank, found)| Hit {
            name: &found.entry.tool.name,
            description: short(&found.entry.tool.description),
            read_only: found.entry.access == Access::Read,
            schema: (rank < schemas).then_some(&*found.entry.tool.input_schema),
            omitted: false,
        })
        .collect()
}

/// Drops schemas, the worst hits' first, then hits, until it fits.
fn fit(hits: &mut [Vec<Hit<'_>>], fits: impl Fn(&[Vec<Hit<'_>>]) -> bool) {
    while !fits(hits) {
        let ranks = hits.iter().map(Vec::len).max().unwrap_or_default();
        let with_schema = (0..ranks).rev().find_map(|rank| {
            hits.iter()
                .rposition(|hits| hits.get(rank).is_some_and(|hit| hit.schema.is_some()))
                .map(|at| (at, rank))
        });
        if let Some((query, rank)) = with_schema {
            let hit = &mut hits[query][rank];
            (hit.schema, hit.omitted) = (None, true);
        } else if let Some(longest) = hits
            .iter_mut()
            .max_by_key(|hits| hits.len())
            .filter(|hits| hits.len() > 1)
        {
            longest.pop();
        } else {
            return;
        }
    }
}

fn notes(catalog: &Catalog) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(ceiling) = catalog.truncated() {
        notes.push(format!(
            "The tool list was cut at the limit of {ceiling}; there are more tools than {}.",
            catalog.len()
        ));
    }
    if let Some(staleness) = catalog.staleness() {
        let minutes = staleness.age.as_secs() / 60;
        notes.push(format!("The tool list is {minutes} minutes old: the server behind it cannot be listed now ({}).", staleness.reason));
    }
    if catalog.is_empty() {
        notes.push("The server behind this proxy lists no tools for these credentials.".to_owned());
    } else if !catalog.searches_by_meaning() {
        notes.push(
            "Search is by words alone here: use words that the tools use, in their language."
                .to_owned(),
        );
    }
    notes
}

/// The sentences that fit, or the first one cut at a word.
fn short(description: &str) -> String {
    let text = description.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= DESCRIPTION {
        return text;
    }
    let end = text
        .char_indices()
        .nth(DESCRIPTION)
        .map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let sentence = head
        .rmatch_indices(['.', '!', '?', '。', '！', '？'])
        .find(|(at, mark)| {
            let after = &text[at + mark.len()..];
            mark.len() > 1 || after.starts_with(' ')
        });
    if let Some((at, mark)) = sentence.filter(|(at, _)| *at >= 30) {
        return head[..at + mark.len()].to_owned();
    }
    let word = head.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", head[..word].trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{SearchArgs, short};
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
            schemas,
        };
        for (json, expected) in [
            (r#"{"query":"a"}"#, args(&["a"], true, 8, true)),
            (
                r#"{"query":"a","limit":100,"schemas":false}"#,
                args(&["a"], true, 25, false),
            ),
            (
                r#"{"query":"a","limit":"3","schemas":"false"}"#,
                args(&["a"], true, 3, false),
            ),
            (
                r#"{"query":["a","b"],"limit":0}"#,
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
        for (json, part) in [
            ("{}", "`query` is missing"),
            (r#"{"query":"  "}"#, "`query` is missing"),
            (r#"{"query":7}"#, "`query` must be"),
            (r#"{"query":"a","limit":"many"}"#, "`limit` must be"),
            (r#"{"queries":["a","b","c","d","e","f"]}"#, "too many"),
        ] {
            assert!(parse(json).unwrap_err().contains(part), "{json}");
        }
    }

    #[test]
    fn descriptions_end_at_a_sentence_or_a_word() {
        assert_eq!(short("List\n  boards."), "List boards.");
        let sentences = "Creates an issue in the tracker. ".repeat(10);
        assert!(short(&sentences).ends_with("tracker.") && short(&sentences).len() <= 200);
        let endless = "word ".repeat(100);
        assert!(short(&endless).ends_with("word…"));
        let japanese = "課題を作成します。".repeat(40);
        assert!(short(&japanese).ends_with('。') && short(&japanese).chars().count() <= 200);
        let one = "x".repeat(400);
        assert_eq!(short(&one).chars().count(), 201);
    }
}
