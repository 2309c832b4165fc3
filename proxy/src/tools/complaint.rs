//! Does a result say that the arguments were wrong? Many servers say so in a result with
//! `isError` instead of the protocol's error, and leave the model without the schema.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::spans::{Node, Shape};

/// How the common frameworks begin to say it, in lower case: the SDKs for TypeScript and Python,
/// pydantic, zod, ajv and JSON-RPC itself.
const PHRASES: [&str; 10] = [
    "-32602",
    "invalid params",
    "invalid arguments",
    "invalid parameters",
    "invalid input",
    "input validation error",
    "validation error for",
    "validation errors for",
    "missing required",
    "required property",
];
/// Characters of a text that are looked at: a complaint begins with it, a document may quote it.
const BEGINNING: usize = 200;

/// Whether a result with `isError` says so in the beginning of a text.
pub(super) fn is_about_arguments(result: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Result {
        #[serde(default)]
        content: Vec<Block>,
    }
    #[derive(Deserialize)]
    struct Block {
        #[serde(default)]
        text: Option<String>,
    }
    let blocks =
        serde_json::from_str::<Result>(result.get()).map_or(Vec::new(), |result| result.content);
    blocks
        .iter()
        .filter_map(|block| block.text.as_deref())
        .any(|text| {
            let beginning: String = text.chars().take(BEGINNING).collect();
            let beginning = beginning.to_lowercase();
            PHRASES.iter().any(|phrase| beginning.contains(phrase))
        })
}

/// The result with one more text block at the end of its content, all else byte for byte.
pub(super) fn with_text(result: Box<RawValue>, text: &str) -> Box<RawValue> {
    let json = result.get();
    let added = Node::read(&result).and_then(|node| {
        let content = node
            .members()
            .iter()
            .find(|member| member.key == "content")?;
        let Shape::Array(blocks) = &content.value.shape else {
            return None;
        };
        let (before, after) = json.split_at_checked(content.value.span.end - 1)?;
        let comma = if blocks.is_empty() { "" } else { "," };
        let block = format!(r#"{{"type":"text","text":{}}}"#, Value::from(text));
        RawValue::from_string(format!("{before}{comma}{block}{after}")).ok()
    });
    added.unwrap_or(result)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{is_about_arguments, with_text};

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn complaints_of_the_common_frameworks_are_known() {
        for (text, expected) in [
            (
                "MCP error -32602: Input validation error: Invalid arguments for tool x",
                true,
            ),
            ("Input validation error: 'a' is a required property", true),
            (
                "1 validation error for call[add]\\na\\n  Input should be a valid integer",
                true,
            ),
            (
                "Error executing tool add: 2 validation errors for addArguments",
                true,
            ),
            ("No such issue", false),
            ("The server is on fire", false),
        ] {
            let result = raw(&format!(
                r#"{{"isError":true,"content":[{{"type":"text","text":"{text}"}}]}}"#
            ));
            assert_eq!(is_about_arguments(&result), expected, "{text}");
        }
        let quoted = format!("{}invalid params", "x".repeat(300));
        let result = raw(&format!(r#"{{"content":[{{"text":"{quoted}"}}]}}"#));
        assert!(!is_about_arguments(&result));
        assert!(!is_about_arguments(&raw(r#"{"content":7}"#)));
    }

    #[test]
    fn a_block_is_added_and_nothing_else_changes() {
        for (result, expected) in [
            (
                r#"{ "content":[ {"type":"hologram","n":1.10} ], "isError":true}"#,
                r#"{ "content":[ {"type":"hologram","n":1.10} ,{"type":"text","text":"so"}], "isError":true}"#,
            ),
            (
                r#"{"content":[]}"#,
                r#"{"content":[{"type":"text","text":"so"}]}"#,
            ),
            (r#"{"content":7}"#, r#"{"content":7}"#),
            ("{}", "{}"),
        ] {
            assert_eq!(with_text(raw(result), "so").get(), expected);
        }
    }
}
