//! `call_read_tools`: several reads at once, a labelled result for each, in the order asked.

use std::sync::Arc;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::catalog::{Catalog, Entry};
use crate::protocol::challenge;
use crate::tools::answer::{Answer, Content, Outcome, Reply, serialize};
use crate::tools::apart;
use crate::tools::arguments::{Given, Members, Problem};
use crate::tools::ceiling;
use crate::tools::mended;
use crate::tools::session::Session;
use crate::tools::single;
use crate::upstream::{CallContext, Error};

/// 1 to 10 calls; one that cannot be read is refused by itself.
#[derive(Debug)]
pub(super) struct BatchArgs {
    calls: Vec<Result<Given, Problem>>,
}

const MOST_CALLS: usize = 10;
const TOO_LARGE: &str =
    "The result is too large for a batch: call the tool alone with call_read_tool.";

impl BatchArgs {
    pub(super) fn parse(mut members: Members) -> Result<Self, Problem> {
        let wanted = "a list of objects with `name` and `arguments`";
        let calls = members.take_as::<Vec<Box<RawValue>>>("calls", wanted)?;
        let calls = calls.ok_or_else(|| format!("`calls` is missing: {wanted}."))?;
        match calls.len() {
            0 => Err(format!("`calls` is empty: {wanted}.")),
            1..=MOST_CALLS => {
                let calls = calls
                    .iter()
                    .map(|call| Members::read(Some(call))?.into_call())
                    .collect();
                Ok(Self { calls })
            }
            many => Err(format!(
                "{many} calls are too many: at most {MOST_CALLS} in one go."
            )),
        }
    }
}

/// What one item came to, for its line.
struct Item {
    name: String,
    answer: Answer,
}

/// Makes the calls in parallel.
///
/// # Errors
/// A challenge of any item's: the whole answer is then the challenge, with the scopes of all.
pub(super) async fn run(
    session: &Session<'_>,
    args: BatchArgs,
    trace: &CallContext,
) -> Result<Answer, Error> {
    // Progress and questions to the user belong to one call; of several they could not be told apart.
    let context = CallContext {
        trace: trace.trace.clone(),
        ..CallContext::default()
    };
    let catalog = Arc::clone(&session.catalog);
    let items = args
        .calls
        .into_iter()
        .map(|call| item(session, &catalog, call, &context));
    let items = join_all(items).await;
    if let Some(challenge) = challenged(&items) {
        return Err(challenge);
    }
    let items: Vec<Item> = items.into_iter().flatten().collect();
    Ok(labelled(session, &items).await)
}

async fn item(
    session: &Session<'_>,
    catalog: &Arc<Catalog>,
    call: Result<Given, Problem>,
    context: &CallContext,
) -> Result<Item, Error> {
    match call {
        Ok(given) => {
            let answer = match single::read(session, catalog, &given, context, false).await? {
                Reply::Answer(answer) => answer,
                // The context of a batch lets none flow.
                Reply::Long(_) => Answer::text(TOO_LARGE, Outcome::UpstreamFailed),
            };
            Ok(Item {
                name: given.name,
                answer,
            })
        }
        Err(problem) => {
            let answer = Answer::text(&problem, Outcome::BadArguments);
            Ok(Item {
                name: "?".to_owned(),
                answer,
            })
        }
    }
}

/// The first 401; else one challenge for the scopes of all; else none.
fn challenged(items: &[Result<Item, Error>]) -> Option<Error> {
    let errors = || items.iter().filter_map(|item| item.as_ref().err());
    if let Some(unauthorized) = errors().find(|error| matches!(error, Error::Unauthorized { .. })) {
        return Some(unauthorized.clone());
    }
    let mut all = Vec::new();
    for error in errors() {
        if let Error::Forbidden { challenges, .. } = error {
            all.extend(challenges.iter().cloned());
        }
    }
    let first = errors().next()?.clone();
    Some(if all.is_empty() {
        first
    } else {
        Error::Forbidden {
            challenges: challenge::union(&all),
            scope: true,
        }
    })
}

/// A line for each item, and what it gave; all within the ceiling, where one is set.
async fn labelled(session: &Session<'_>, items: &[Item]) -> Answer {
    let count = items.len();
    let labels: Vec<String> = items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let word = word(item.answer.outcome);
            let mended = mended::line_of(&item.answer.result);
            let mended = mended.map_or(String::new(), |line| format!(" ({line})"));
            format!("[{}/{count}] {}: {word}{mended}", at + 1, item.name)
        })
        .collect();
    let blocks = items.iter().map(|item| blocks(&item.answer)).collect();
    let (blocks, note) = held(session, items, &labels, blocks).await;
    let content = labels.iter().zip(&blocks).flat_map(|(label, blocks)| {
        let relayed = blocks.iter().map(|block| Content::Relayed(block));
        std::iter::once(Content::text(label)).chain(relayed)
    });
    let note = note.iter().map(|note| Content::text(note));
    let content: Vec<Content<'_>> = content.chain(note).collect();
    let failed = items.iter().all(|item| item.answer.outcome != Outcome::Ok);
    let outcome = if failed {
        Outcome::ToolError
    } else {
        Outcome::Ok
    };
    Answer::content(&content, outcome, failed)
}

async fn held(
    session: &Session<'_>,
    items: &[Item],
    labels: &[String],
    blocks: Vec<Vec<Box<RawValue>>>,
) -> (Vec<Vec<Box<RawValue>>>, Option<String>) {
    let Some(most) = session.limits.max_result_tokens else {
        return (blocks, None);
    };
    let find = |item: &Item| session.catalog.find(&item.name).cloned();
    let entries: Vec<Option<Arc<Entry>>> = items.iter().map(find).collect();
    let labels = labels.to_vec();
    let bytes = blocks.iter().flatten().map(|block| block.get().len()).sum();
    let held = apart::run(bytes, move || {
        ceiling::several(&labels, blocks, most, |at| {
            let entry = entries[at].as_ref();
            entry.map(|entry| &*entry.tool.input_schema)
        })
    })
    .await;
    session.metrics.cut(held.cut);
    (held.content, held.note)
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::ToolError => "the tool reports an error",
        Outcome::InputRequired => "needs input from the user",
        Outcome::BadArguments
        | Outcome::NotReadOnly
        | Outcome::UnknownName
        | Outcome::InvalidArguments => "refused",
        Outcome::UpstreamFailed | Outcome::OutcomeUnknown => "failed",
    }
}

/// The content blocks of one result as they came; its structured content as text where there is
/// nothing else to read.
fn blocks(answer: &Answer) -> Vec<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Parts {
        #[serde(default)]
        content: Option<Vec<Box<RawValue>>>,
        #[serde(rename = "structuredContent", default)]
        structured: Option<Box<RawValue>>,
    }
    if answer.outcome == Outcome::InputRequired {
        let text = "The tool asks the user something, which a batch cannot pass on: call it alone with call_read_tool.";
        return vec![serialize(&Content::text(text))];
    }
    let Ok(parts) = serde_json::from_str::<Parts>(answer.result.get()) else {
        return Vec::new();
    };
    let content = parts.content.unwrap_or_default();
    match parts.structured {
        Some(structured) if content.is_empty() => vec![serialize(&Content::text(structured.get()))],
        _ => content,
    }
}
