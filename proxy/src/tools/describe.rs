//! `describe_tool`: what exactly are these tools?

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::catalog::{Access, Catalog};
use crate::tools::answer::Answer;
use crate::tools::arguments::{Members, Problem};
use crate::tools::limits::Limits;

/// Names to describe: 1 to 10.
#[derive(Debug)]
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

#[derive(Serialize)]
struct Reply<'a> {
    /// The upstream's definitions, byte for byte.
    tools: Vec<&'a RawValue>,
    #[serde(rename = "readOnly")]
    read_only: Vec<&'a str>,
    unknown: Vec<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    similar: BTreeMap<&'a str, Vec<&'a str>>,
    /// Found, but too large to be told together with the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    omitted: Vec<&'a str>,
}

/// Reads the catalog; no I/O.
pub(super) fn run(catalog: &Catalog, args: &DescribeArgs, limits: Limits) -> Answer {
    let mut reply = Reply {
        tools: Vec::new(),
        read_only: Vec::new(),
        unknown: Vec::new(),
        similar: BTreeMap::new(),
        omitted: Vec::new(),
    };
    let mut left = limits.max_answer_bytes;
    for name in &args.names {
        let Some(entry) = catalog.find(name) else {
            let similar = catalog.similar(name, SIMILAR).into_iter();
            reply.unknown.push(name);
            reply.similar.insert(
                name,
                similar.map(|entry| entry.tool.name.as_str()).collect(),
            );
            continue;
        };
        let raw = &*entry.tool.raw;
        // One definition is always given whole: cut, its schema would be a different one.
        match left.checked_sub(raw.get().len()) {
            None if !reply.tools.is_empty() => reply.omitted.push(name),
            rest => {
                left = rest.unwrap_or(0);
                reply.tools.push(raw);
                if entry.access == Access::Read {
                    reply.read_only.push(&entry.tool.name);
                }
            }
        }
    }
    reply.similar.retain(|_, similar| !similar.is_empty());
    Answer::structured(&reply)
}
