//! What does one message of an answer say to the request that waits for it?
//!
//! Guarantees: the `result` and the `data` of an error stay the bytes they came as. Never trusts
//! an id that is not the request's own.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::{ErrorObject, Progress};

/// A message, from the point of view of the one request of this exchange.
pub(super) enum Message<'a> {
    /// The answer.
    Result(&'a RawValue),
    /// The answer is an error.
    Error(ErrorObject),
    /// The request's own progress.
    Progress(Progress),
    /// The server asks something: its id, and whether it is a `ping`.
    Request(&'a RawValue, bool),
    /// A notification that is not for us.
    Notification,
    /// An answer to somebody else, or with neither result nor error.
    Foreign,
}

/// No JSON-RPC message, or JSON that is none at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Garbage;

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<ErrorObject>,
}

/// Reads one frame: a message, or the batch that 2025-03-26 allows.
pub(super) fn read(frame: &[u8], id: u64) -> Result<Vec<Message<'_>>, Garbage> {
    let is_batch = frame.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if is_batch {
        let batch: Vec<Wire<'_>> = serde_json::from_slice(frame).map_err(|_| Garbage)?;
        return Ok(batch.into_iter().map(|wire| judge(wire, id)).collect());
    }
    let wire = serde_json::from_slice(frame).map_err(|_| Garbage)?;
    Ok(vec![judge(wire, id)])
}

fn judge(wire: Wire<'_>, id: u64) -> Message<'_> {
    match (wire.method.as_deref(), wire.id) {
        (Some(method), Some(theirs)) => Message::Request(theirs, method == "ping"),
        (Some("notifications/progress"), None) => wire
            .params
            .and_then(|params| progress(params, id))
            .map_or(Message::Notification, Message::Progress),
        (Some(_), None) => Message::Notification,
        (None, theirs) => {
            let ours = theirs.is_some_and(|theirs| names(theirs, id));
            match (wire.result, wire.error) {
                (Some(result), None) if ours => Message::Result(result),
                // An error without an id can only be about the one request of this exchange.
                (None, Some(error)) if ours || theirs.is_none() => Message::Error(error),
                _ => Message::Foreign,
            }
        }
    }
}

/// Whether `raw` is this id. Some servers answer `"7"` or `7.0` to a 7.
fn names(raw: &RawValue, id: u64) -> bool {
    is_id(raw.get(), id)
}

/// Whether this JSON text is this id.
pub(super) fn is_id(text: &str, id: u64) -> bool {
    let text = text.trim_ascii();
    let text = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .unwrap_or(text);
    let text = text.strip_suffix(".0").unwrap_or(text);
    text.parse() == Ok(id)
}

fn progress(params: &RawValue, id: u64) -> Option<Progress> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow)]
        progress_token: &'a RawValue,
        #[serde(borrow)]
        progress: &'a RawValue,
        #[serde(borrow, default)]
        total: Option<&'a RawValue>,
        #[serde(default)]
        message: Option<String>,
    }
    let params: Params<'_> = serde_json::from_str(params.get()).ok()?;
    let is_number = |raw: &&RawValue| {
        raw.get()
            .starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    (names(params.progress_token, id) && is_number(&params.progress)).then(|| Progress {
        progress: params.progress.to_owned(),
        total: params.total.filter(is_number).map(ToOwned::to_owned),
        message: params.message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(frame: &str, expected: &str) {
        let read = read(frame.as_bytes(), 7).map(|messages| {
            let texts: Vec<_> = messages.iter().map(describe).collect();
            texts.join("; ")
        });
        assert_eq!(
            read.unwrap_or_else(|_| "garbage".to_owned()),
            expected,
            "{frame}"
        );
    }

    fn describe(message: &Message<'_>) -> String {
        match message {
            Message::Result(raw) => format!("result {raw}"),
            Message::Error(error) => format!("error {} {}", error.code, error.message),
            Message::Progress(progress) => format!("progress {}", progress.progress),
            Message::Request(id, ping) => format!("request {id} ping={ping}"),
            Message::Notification => "notification".to_owned(),
            Message::Foreign => "foreign".to_owned(),
        }
    }

    #[test]
    fn the_answer_is_known_by_its_id() {
        check(r#"{"id":7,"result":{"n": 1.10}}"#, r#"result {"n": 1.10}"#);
        check(r#"{"id":"7","result":{}}"#, "result {}");
        check(r#"{"id":7.0,"result":{}}"#, "result {}");
        check(r#"{"id":8,"result":{}}"#, "foreign");
        check(r#"{"id":"x","result":{}}"#, "foreign");
        check(r#"{"result":{}}"#, "foreign");
        check(r#"{"id":null,"result":{}}"#, "foreign");
        check(r#"{"id":7}"#, "foreign");
        check(r#"{"id":7,"result":{},"error":{"code":1}}"#, "foreign");
        check(
            r#"[{"id":8,"result":1},{"id":7,"result":2}]"#,
            "foreign; result 2",
        );
    }

    #[test]
    fn an_error_without_an_id_is_ours() {
        check(
            r#"{"id":7,"error":{"code":-1,"message":"m"}}"#,
            "error -1 m",
        );
        check(r#"{"id":null,"error":{"code":-1}}"#, "error -1 ");
        check(r#"{"error":{"code":-1,"message":"m"}}"#, "error -1 m");
        check(r#"{"id":8,"error":{"code":-1}}"#, "foreign");
    }

    #[test]
    fn requests_and_notifications_are_told_apart() {
        check(
            r#"{"id":"s1","method":"ping"}"#,
            r#"request "s1" ping=true"#,
        );
        check(r#"{"id":7,"method":"roots/list"}"#, "request 7 ping=false");
        check(
            r#"{"method":"notifications/message","params":{}}"#,
            "notification",
        );
        let progress =
            |params: &str| format!(r#"{{"method":"notifications/progress","params":{params}}}"#);
        check(
            &progress(r#"{"progressToken":7,"progress":0.10}"#),
            "progress 0.10",
        );
        check(
            &progress(r#"{"progressToken":8,"progress":1}"#),
            "notification",
        );
        check(
            &progress(r#"{"progressToken":7,"progress":"1"}"#),
            "notification",
        );
        check(&progress("[]"), "notification");
    }

    #[test]
    fn what_is_no_message_is_garbage() {
        for text in [
            "",
            "7",
            "nonsense",
            r#"{"id":7,"id":7,"result":{}}"#,
            r#"{"error":7}"#,
            "[7]",
        ] {
            check(text, "garbage");
        }
        assert_eq!(
            read(b"{\"id\":7,\"result\":\"\xff\"}", 7).err(),
            Some(Garbage)
        );
    }
}
