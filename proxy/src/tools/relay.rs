//! How does a sent call become an answer? The upstream's result as it came, or its failure in
//! words.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::catalog::{Access, Entry};
use crate::protocol::{Members, code};
use crate::tools::answer::{Answer, Outcome};
use crate::tools::complaint;
use crate::tools::refusal::{Refusal, schema_of};
use crate::tools::trouble;
use crate::upstream::Error;

/// What became of a call that was sent.
#[derive(Debug)]
pub(super) enum Sent {
    /// The answer for the model.
    Answer(Answer),
    /// The upstream refused by its own rules before it did anything, because our list is older
    /// than its own: list again, and decide again.
    Outdated,
    /// The upstream seems not to know the tool. That is a guess from words: a write is not sent
    /// again on it.
    Unknown,
}

/// Turns what the upstream gave back into an answer.
///
/// # Errors
/// What must leave as HTTP: a challenge, and a capability that the caller itself did not declare
/// (only where it could declare any: a batch and an older client declare none).
pub(super) fn receive(
    entry: &Arc<Entry>,
    received: Result<Box<RawValue>, Error>,
    declares: bool,
) -> Result<Sent, Error> {
    let error = match received {
        Ok(result) => return Ok(Sent::Answer(relayed(entry, result))),
        Err(error) => error,
    };
    match &error {
        Error::Unauthorized { .. } | Error::Forbidden { scope: true, .. } => Err(error),
        Error::Rpc(rpc) => match rpc.code {
            code::MISSING_CAPABILITY if declares => Err(error),
            code::HEADER_MISMATCH => Ok(Sent::Outdated),
            code::INVALID_PARAMS if names_no_tool(&rpc.message) => Ok(Sent::Unknown),
            code::INVALID_PARAMS => {
                let message = rpc.message.clone();
                Ok(Sent::Answer(refused(&Refusal::ByUpstream {
                    entry: Arc::clone(entry),
                    message,
                })))
            }
            _ => Ok(Sent::Answer(failed(entry, &error))),
        },
        _ => Ok(Sent::Answer(failed(entry, &error))),
    }
}

/// A refusal as an answer.
pub(super) fn refused(refusal: &Refusal) -> Answer {
    Answer::text(&refusal.text(), refusal.outcome())
}

/// A failure as an answer.
pub(super) fn failed(entry: &Entry, error: &Error) -> Answer {
    let (text, outcome) = trouble::tell(error, &entry.tool.name, entry.access == Access::Read);
    Answer::text(&text, outcome)
}

fn relayed(entry: &Entry, result: Box<RawValue>) -> Answer {
    let Some(members) = Members::read(&result) else {
        return failed(
            entry,
            &Error::Malformed {
                what: "a result object",
            },
        );
    };
    let is_error = members
        .get("isError")
        .is_some_and(|value| value.get() == "true");
    let kind = members
        .get("resultType")
        .map_or(r#""complete""#, RawValue::get);
    let outcome = match kind {
        r#""complete""# if is_error && complaint::is_about_arguments(&result) => {
            return helped(entry, result);
        }
        r#""complete""# if is_error => Outcome::ToolError,
        r#""complete""# | "null" => Outcome::Ok,
        r#""input_required""# => Outcome::InputRequired,
        _ => return unfollowable(entry),
    };
    Answer {
        result,
        relayed: true,
        outcome,
    }
}

/// A complaint of the upstream's about the arguments, with the schema behind what it says.
fn helped(entry: &Entry, result: Box<RawValue>) -> Answer {
    Answer {
        result: complaint::with_text(result, &schema_of(entry, &[])),
        relayed: true,
        outcome: Outcome::InvalidArguments,
    }
}

/// A task, or a kind of result that nobody here knows: it may be running.
fn unfollowable(entry: &Entry) -> Answer {
    let (advice, outcome) = match entry.access {
        Access::Read => (
            "The tool only reads, so nothing is lost.",
            Outcome::ToolError,
        ),
        Access::Write => (
            "Whether it was carried out is not known: check with a read tool.",
            Outcome::OutcomeUnknown,
        ),
    };
    let name = &entry.tool.name;
    let text = format!(
        "The tool {name:?} answered with something that cannot be followed from here (a task, or an \
         unknown kind of result). {advice}"
    );
    Answer::text(&text, outcome)
}

/// Whether invalid params are about the tool's name rather than its arguments.
fn names_no_tool(message: &str) -> bool {
    let message = message.to_lowercase();
    message.contains("tool")
        && ["unknown", "not found", "no such", "does not exist"]
            .iter()
            .any(|word| message.contains(word))
}
