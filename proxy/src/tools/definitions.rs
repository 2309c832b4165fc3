//! The five definitions a client lists: the same bytes for every caller, for ever.

use std::sync::LazyLock;

use serde_json::value::RawValue;

/// Names in the order they are listed.
pub const NAMES: [&str; 5] = [
    "search_tools",
    "describe_tool",
    "call_read_tool",
    "call_read_tools",
    "call_write_tool",
];

/// The `tools` array of `tools/list`, without blanks.
#[must_use]
pub fn definitions() -> &'static RawValue {
    static DEFINITIONS: LazyLock<Box<RawValue>> = LazyLock::new(|| {
        let lines: Vec<&str> = include_str!("definitions.json").lines().collect();
        // The tests read the file; an array without definitions is not what they pass.
        RawValue::from_string(lines.concat()).unwrap_or_else(|_| RawValue::NULL.to_owned())
    });
    &DEFINITIONS
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{NAMES, definitions};

    fn all() -> Vec<Value> {
        serde_json::from_str(definitions().get()).unwrap()
    }

    #[test]
    fn they_cost_at_most_1300_tokens() {
        let tokens = tiktoken_rs::o200k_base_singleton()
            .encode_ordinary(definitions().get())
            .len();
        assert!(tokens <= 1300, "{tokens} tokens");
    }

    #[test]
    fn names_hints_and_titles_are_exact() {
        let expected = [
            (true, false, true, false),
            (true, false, true, false),
            (true, false, true, true),
            (true, false, true, true),
            (false, true, false, true),
        ];
        assert_eq!(all().len(), NAMES.len());
        for ((tool, name), (read, destroy, same, open)) in all().iter().zip(NAMES).zip(expected) {
            assert_eq!(tool["name"], name);
            let hints = json!({"readOnlyHint": read, "destructiveHint": destroy, "idempotentHint": same, "openWorldHint": open});
            assert_eq!(tool["annotations"], hints, "{name}");
            assert_eq!(tool["_meta"]["anthropic/alwaysLoad"], true);
            assert!(tool["title"].is_string());
            assert!(tool["description"].as_str().unwrap().chars().count() < 1000);
        }
    }

    /// What the strictest clients and model APIs accept: an object at the root, plain types, no
    /// combinators, no references.
    #[test]
    fn schemas_are_flat_and_portable() {
        for tool in all() {
            for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
                let text = schema.to_string();
                for keyword in [
                    "oneOf",
                    "anyOf",
                    "allOf",
                    "$ref",
                    "not\"",
                    "pattern",
                    "additionalProperties",
                ] {
                    assert!(!text.contains(keyword), "{} has {keyword}", tool["name"]);
                }
                assert!(schema.is_null() || schema["type"] == "object");
            }
        }
    }
}
