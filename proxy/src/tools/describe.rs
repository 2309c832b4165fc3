//! `describe_tool`: what exactly are these tools?

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::catalog::{Access, Catalog};
use crate::fold;
use crate::protocol::Tool;
use crate::tools::answer::{Answer, serialize};
use crate::tools::arguments::{Members, Problem};
use crate::tools::limits::Limits;
use crate::tools::tokens::clip;

/// Names to describe: 1 to 10.
pub(super) struct DescribeArgs {
    pub(super) names: Vec<String>,
}

const MOST_NAMES: usize = 10;
const SIMILAR: usize = 3;

impl DescribeArgs {
    pub(super) fn parse(mut members: Members) -> Result<Self, Problem> {
        let names = members.take_strings("names")?;
        let names = match names {
            Some(names) => names,
            None => members.take_strings("name")?.unwrap_or_default(),
        };
        match names.len() {
            0 => Err("`names` is missing: a list of exact tool names.".to_owned()),
            1..=MOST_NAMES => Ok(Self { names }),
            many => Err(format!(
                "{many} names are too many: at most {MOST_NAMES} in one call."
            )),
        }
    }
}

/// Without the names.
impl fmt::Debug for DescribeArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DescribeArgs")
            .field("names", &self.names.len())
            .finish()
    }
}

#[derive(Default, Serialize)]
struct Reply<'a> {
    /// The upstream's definitions, byte for byte; one that alone is too large, folded.
    tools: Vec<Cow<'a, RawValue>>,
    #[serde(rename = "readOnly")]
    read_only: Vec<&'a str>,
    unknown: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    similar: BTreeMap<String, Vec<&'a str>>,
    /// Found, but too large to be told together with the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    omitted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'static str>,
}

/// Bytes of a name that is said again, and of a similar one.
const ECHO: usize = 120;
const OMITTED: &str = "`omitted`: too large to be told with the others; describe each alone.";
const FOLDED: &str = "The definition is larger than an answer may be: its texts are cut, and its input schema \
    is shortened and accepts all that the whole one accepts. A call is checked against the whole schema, and a \
    refusal says what to mend.";

/// Reads the catalog; no I/O.
pub(super) fn run(catalog: &Catalog, args: &DescribeArgs, limits: Limits) -> Answer {
    let mut reply = Reply::default();
    for name in args
        .names
        .iter()
        .filter(|name| catalog.find(name).is_none())
    {
        let name_again = clip(name, ECHO);
        let similar = catalog.similar(name, SIMILAR).into_iter();
        let similar: Vec<&str> = similar
            .map(|entry| entry.tool.name.as_str())
            .filter(|name| name.len() <= ECHO)
            .collect();
        if !similar.is_empty() {
            reply.similar.insert(name_again.clone(), similar);
        }
        reply.unknown.push(name_again);
    }
    if serialize(&reply).get().len() > limits.max_answer_bytes / 2 {
        reply.similar.clear();
    }
    let beside = serialize(&reply).get().len() + OMITTED.len() + FOLDED.len();
    let mut left = limits.max_answer_bytes.saturating_sub(beside);
    for entry in args.names.iter().filter_map(|name| catalog.find(name)) {
        let Tool { raw, name, .. } = &entry.tool;
        // Beside the definition a name is said in one list, escaped at worst.
        let cost = raw.get().len() + 2 * name.len() + 3;
        let definition = match left.checked_sub(cost) {
            Some(rest) => {
                left = rest;
                Cow::Borrowed(&**raw)
            }
            None if reply.tools.is_empty() && name.len() < left / 8 => {
                left = 0;
                reply.notes.push(FOLDED);
                Cow::Owned(folded(&entry.tool, limits.max_answer_bytes - beside))
            }
            None => {
                left = left.saturating_sub(2 * ECHO + 3);
                reply.omitted.push(clip(name, ECHO));
                continue;
            }
        };
        reply.tools.push(definition);
        if entry.access == Access::Read {
            reply.read_only.push(name);
        }
    }
    if !reply.omitted.is_empty() {
        reply.notes.push(OMITTED);
    }
    Answer::structured(&reply)
}

/// A definition in at most so many bytes, less what its name takes; always valid.
fn folded(tool: &Tool, most: usize) -> Box<RawValue> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Definition<'a> {
        name: &'a str,
        description: String,
        input_schema: Box<RawValue>,
    }
    let schema = fold::within(&tool.input_schema, &[], |json| json.len() <= most / 3);
    let anything = || serialize(&serde_json::json!({ "type": "object", "description": "…" }));
    serialize(&Definition {
        name: &tool.name,
        description: clip(&tool.description, most / 8),
        input_schema: schema.map_or_else(anything, |folded| folded.schema),
    })
}
