//! What does a tool of ours give back? A result object, and in one word how it went.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::upstream;

/// The result of one `tools/call` of ours.
///
/// `Debug` shows how it went, never what it says.
pub struct Answer {
    /// The `result` object: ours, or the upstream's byte for byte.
    pub result: Box<RawValue>,
    /// Whether `result` is the upstream's own (its `resultType` is then left as it came).
    pub relayed: bool,
    /// For metrics and the log.
    pub outcome: Outcome,
}

/// What a tool of ours gives back: an answer, or the upstream's result on its way.
#[derive(Debug)]
pub enum Reply {
    /// The whole answer.
    Answer(Answer),
    /// A result that is too large to be held.
    Long(Long),
}

/// The upstream's result on its way, and what is said beside it.
#[derive(Debug)]
pub struct Long {
    /// Its bytes as they come.
    pub result: Box<upstream::Long>,
    /// What was mended before the call, as a member of `_meta`: key and value in JSON.
    pub note: Option<String>,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("bytes", &self.result.get().len())
            .field("relayed", &self.relayed)
            .field("outcome", &self.outcome)
            .finish()
    }
}

/// How a call ended, in one static word for metrics and logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As asked.
    Ok,
    /// The upstream's result has `isError`.
    ToolError,
    /// The upstream asks for more input.
    InputRequired,
    /// Arguments of our own tool were wrong.
    BadArguments,
    /// The guard refused: not read-only.
    NotReadOnly,
    /// The guard refused: no such tool.
    UnknownName,
    /// The guard or the upstream refused: arguments do not fit the tool's schema.
    InvalidArguments,
    /// The upstream failed; the call was not carried out.
    UpstreamFailed,
    /// The upstream failed after the call may have been carried out.
    OutcomeUnknown,
}

impl Outcome {
    /// A static name for metrics and logs.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::InputRequired => "input_required",
            Self::BadArguments => "bad_arguments",
            Self::NotReadOnly => "not_read_only",
            Self::UnknownName => "unknown_name",
            Self::InvalidArguments => "invalid_arguments",
            Self::UpstreamFailed => "upstream_failed",
            Self::OutcomeUnknown => "outcome_unknown",
        }
    }
}

#[derive(Serialize)]
struct OwnResult<'a> {
    content: &'a [Content<'a>],
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    structured: Option<&'a RawValue>,
    #[serde(rename = "isError", skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

/// One content block: ours, or one of the upstream's as it came.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    /// A text block of ours.
    Text {
        /// Always "text".
        r#type: &'static str,
        /// What it says.
        text: &'a str,
    },
    /// Any block of the upstream's.
    Relayed(&'a RawValue),
}

impl<'a> Content<'a> {
    pub(super) const fn text(text: &'a str) -> Self {
        Self::Text {
            r#type: "text",
            text,
        }
    }
}

impl Answer {
    /// Text for the model to act on; `isError` unless all went well.
    pub(super) fn text(text: &str, outcome: Outcome) -> Self {
        Self::content(&[Content::text(text)], outcome, outcome != Outcome::Ok)
    }

    /// Structured content, and the same JSON as text for clients that read that.
    pub(super) fn structured(value: &impl Serialize) -> Self {
        let json = serialize(value);
        let content = [Content::text(json.get())];
        let result = OwnResult {
            content: &content,
            structured: Some(&json),
            is_error: false,
        };
        Self {
            result: serialize(&result),
            relayed: false,
            outcome: Outcome::Ok,
        }
    }

    /// Content blocks as they are.
    pub(super) fn content(content: &[Content<'_>], outcome: Outcome, is_error: bool) -> Self {
        let result = OwnResult {
            content,
            structured: None,
            is_error,
        };
        Self {
            result: serialize(&result),
            relayed: false,
            outcome,
        }
    }
}

/// Maps with string keys, numbers that are finite, raw JSON that was parsed: there is no way to
/// fail, and an answer of null would be seen by every test.
pub(super) fn serialize(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Answer, Outcome};

    #[test]
    fn what_it_says_is_not_printed() {
        let printed = format!("{:?}", Answer::text("secret", Outcome::Ok));
        assert!(
            !printed.contains("secret") && printed.contains("Ok"),
            "{printed}"
        );
    }
}
