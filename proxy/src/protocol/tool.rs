//! One tool definition of the upstream: a few typed fields beside the bytes it came as.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::header_params::{self, HeaderParam};

/// A tool definition that passed the checks of a listing.
///
/// `raw` is the whole object exactly as the upstream sent it; the other fields are read from it.
///
/// `Debug` shows the name alone.
#[derive(Clone)]
pub struct Tool {
    /// The whole definition, byte for byte.
    pub raw: Box<RawValue>,
    /// `name`; never empty.
    pub name: String,
    /// `title`, or `annotations.title` where only that is given.
    pub title: Option<String>,
    /// `description`, empty where absent.
    pub description: String,
    /// `inputSchema`, byte for byte; always a JSON object.
    pub input_schema: Box<RawValue>,
    /// `annotations.readOnlyHint` where it is a boolean.
    pub read_only_hint: Option<bool>,
    /// `annotations.idempotentHint` where it is a boolean.
    pub idempotent_hint: Option<bool>,
    /// `execution.taskSupport == "required"` (2025-11-25): the tool cannot be called plainly.
    pub task_required: bool,
    /// The arguments that go into `Mcp-Param-*` headers (SEP-2243).
    pub header_params: Vec<HeaderParam>,
}

/// Why a definition in a listing was left out; the rest of the list stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadTool {
    /// The list entry is no JSON object.
    #[error("not an object")]
    NotAnObject,
    /// `name` is missing, empty or no string.
    #[error("no name")]
    NoName,
    /// `inputSchema` is missing, null or no object.
    #[error("input schema is not an object")]
    NoSchema,
    /// An `x-mcp-header` breaks the rules of SEP-2243; a client must drop the tool.
    #[error("illegal x-mcp-header")]
    BadHeader,
    /// A tool of this name came earlier in the list.
    #[error("duplicate name")]
    Duplicate,
}

impl BadTool {
    /// A static name for metrics.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NotAnObject => "not_an_object",
            Self::NoName => "no_name",
            Self::NoSchema => "no_schema",
            Self::BadHeader => "bad_header",
            Self::Duplicate => "duplicate",
        }
    }
}

impl Tool {
    /// Reads one entry of a `tools/list` answer.
    ///
    /// Only what the proxy cannot do without is required; any other member of the wrong type
    /// reads as absent, and stays in `raw` as it came.
    ///
    /// # Errors
    /// Says which rule the definition breaks; [`BadTool::Duplicate`] is the caller's to find.
    pub fn parse(raw: Box<RawValue>) -> Result<Self, BadTool> {
        let members = Members::of(&raw).ok_or(BadTool::NotAnObject)?;
        let name = members
            .read::<String>("name")
            .filter(|name| !name.is_empty())
            .ok_or(BadTool::NoName)?;
        let schema = members
            .0
            .get("inputSchema")
            .filter(|schema| schema.get().starts_with('{'))
            .ok_or(BadTool::NoSchema)?;
        let header_params = header_params::find(schema).map_err(|_| BadTool::BadHeader)?;
        let annotations = members.inner("annotations");
        let execution = members.inner("execution");
        Ok(Self {
            name,
            title: members.read("title").or_else(|| annotations.read("title")),
            description: members.read("description").unwrap_or_default(),
            input_schema: (*schema).to_owned(),
            read_only_hint: annotations.read("readOnlyHint"),
            idempotent_hint: annotations.read("idempotentHint"),
            task_required: execution.read::<String>("taskSupport").as_deref() == Some("required"),
            header_params,
            raw,
        })
    }

    /// The `name` of an entry that [`Tool::parse`] refused, where it has one.
    #[must_use]
    pub fn name_of(raw: &RawValue) -> Option<String> {
        Members::of(raw)?.read("name")
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The members of an object, unread. Of a repeated key the last counts, as in most parsers.
#[derive(Default)]
struct Members<'a>(HashMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    fn of(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok().map(Self)
    }

    fn read<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.0.get(key)?.get()).ok()
    }

    fn inner(&self, key: &str) -> Self {
        self.0
            .get(key)
            .and_then(|raw| Self::of(raw))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Tool, BadTool> {
        Tool::parse(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn a_full_definition_is_read_and_kept_byte_for_byte() {
        let text = r#"{"vendor":1.10,"name":"a","title":"T","description":"d",
            "inputSchema":{"type":"object","z":1e400,"a":12345678901234567890},
            "annotations":{"title":"other","readOnlyHint":true,"idempotentHint":false},
            "execution":{"taskSupport":"required"}}"#;
        let tool = parse(text).unwrap();
        assert_eq!(tool.raw.get(), text);
        assert_eq!(
            tool.input_schema.get(),
            r#"{"type":"object","z":1e400,"a":12345678901234567890}"#
        );
        assert_eq!(tool.name, "a");
        assert_eq!(tool.title.as_deref(), Some("T"));
        assert_eq!(tool.description, "d");
        assert_eq!(tool.read_only_hint, Some(true));
        assert_eq!(tool.idempotent_hint, Some(false));
        assert!(tool.task_required);
        assert_eq!(tool.header_params, []);
    }

    #[test]
    fn members_of_the_wrong_type_read_as_absent() {
        let tool = parse(
            r#"{"name":"a","inputSchema":{},"title":7,"description":null,
                "annotations":{"title":"from annotations","readOnlyHint":"yes"},"execution":[]}"#,
        )
        .unwrap();
        assert_eq!(tool.title.as_deref(), Some("from annotations"));
        assert_eq!(tool.description, "");
        assert_eq!(tool.read_only_hint, None);
        assert_eq!(tool.idempotent_hint, None);
        assert!(!tool.task_required);
    }

    #[test]
    fn each_broken_rule_has_its_reason() {
        let cases = [
            ("7", BadTool::NotAnObject),
            ("null", BadTool::NotAnObject),
            (r#"[{"name":"a"}]"#, BadTool::NotAnObject),
            (r#"{"inputSchema":{}}"#, BadTool::NoName),
            (r#"{"name":"","inputSchema":{}}"#, BadTool::NoName),
            (r#"{"name":7,"inputSchema":{}}"#, BadTool::NoName),
            (r#"{"name":"a"}"#, BadTool::NoSchema),
            (r#"{"name":"a","inputSchema":null}"#, BadTool::NoSchema),
            (r#"{"name":"a","inputSchema":[]}"#, BadTool::NoSchema),
            (r#"{"name":"a","inputSchema":true}"#, BadTool::NoSchema),
            (
                r#"{"name":"a","inputSchema":{"properties":{"p":{"type":"number","x-mcp-header":"P"}}}}"#,
                BadTool::BadHeader,
            ),
        ];
        for (text, reason) in cases {
            assert_eq!(parse(text).map(|tool| tool.name), Err(reason), "{text}");
        }
    }

    mod properties {
        use proptest::prelude::*;

        use super::*;

        proptest! {
            #[test]
            fn no_json_makes_the_parser_panic(text in r#"[\[\]{}":,a-z0-9\\ -]{0,60}"#) {
                let wrapped = format!(r#"{{"name":"a","inputSchema":{{"properties":{text}}}}}"#);
                for candidate in [text, wrapped] {
                    if let Ok(raw) = serde_json::from_str::<Box<RawValue>>(&candidate) {
                        let _ = Tool::parse(raw);
                    }
                }
            }
        }
    }
}
