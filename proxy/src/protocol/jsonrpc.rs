//! JSON-RPC 2.0 as MCP uses it: ids kept as they came, errors with their data raw.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// JSON-RPC and MCP error codes (MCP 2026-07-28, basic/index, "Error Codes").
pub mod code {
    /// The body is not JSON.
    pub const PARSE: i64 = -32700;
    /// The body is JSON but no JSON-RPC request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// No such method, or one whose capability is not declared.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Parameters of the wrong shape, or an unknown tool.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A fault of the server's own.
    pub const INTERNAL: i64 = -32603;
    /// A routing header is missing, repeated, malformed or different from the body.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a client capability that was not declared.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The protocol version is not served.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
    /// 2025-11-25 only: the call needs the user to visit a URL first.
    pub const URL_ELICITATION_REQUIRED: i64 = -32042;
}

/// A request id: a string or an integer, echoed with the very bytes it came with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(Box<RawValue>);

impl Id {
    /// Takes a raw JSON value that is a string or an integer; anything else is `None`.
    #[must_use]
    pub fn from_raw(raw: Box<RawValue>) -> Option<Self> {
        let text = raw.get();
        let string = text.starts_with('"');
        let digits = text.strip_prefix('-').unwrap_or(text);
        let integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (string || integer).then_some(Self(raw))
    }

    /// The id as JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

/// The `error` member of a JSON-RPC response.
///
/// `Debug` shows the code alone: an upstream may repeat arguments in message and data.
#[derive(Clone, Serialize, Deserialize)]
pub struct ErrorObject {
    /// One of [`code`], or whatever the upstream sent.
    pub code: i64,
    /// A sentence for a person or a model.
    #[serde(default)]
    pub message: String,
    /// Structured detail, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl ErrorObject {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }
}

impl fmt::Debug for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorObject")
            .field("code", &self.code)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_in_a_log_shows_its_code_alone() {
        let text = r#"{"code":-1,"message":"secret","data":{"secret":1}}"#;
        let error: ErrorObject = serde_json::from_str(text).unwrap();
        assert_eq!(format!("{error:?}"), "ErrorObject { code: -1, .. }");
        assert_eq!(serde_json::to_string(&error).unwrap(), text);
    }

    #[test]
    fn an_id_is_a_string_or_an_integer() {
        let id = |text: &str| Id::from_raw(serde_json::from_str(text).unwrap());
        for text in ["7", "-7", "0", r#""""#, r#""7""#, "12345678901234567890"] {
            assert_eq!(id(text).as_ref().map(Id::get), Some(text));
        }
        for text in ["null", "7.0", "1e3", "true", "[]", "{}"] {
            assert!(id(text).is_none(), "{text}");
        }
    }
}
