//! How is it printed? YAML that every reader takes as it was meant: `kubectl` still knows the words
//! of YAML 1.1, where `on` is a boolean and `1_000` a number.

use std::fmt::Write as _;

use serde_json::Value;

/// Words that some version of YAML reads as something else than text.
const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// One document in block style, with a line break at its end.
pub(super) fn document(value: &Value) -> String {
    let mut printed = String::new();
    block(&mut printed, 0, value);
    printed
}

fn block(printed: &mut String, depth: usize, value: &Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (at, (key, inner)) in members.iter().enumerate() {
                if at > 0 {
                    indent(printed, depth);
                }
                printed.push_str(&text(key));
                printed.push(':');
                inside(printed, depth, inner);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, inner) in items.iter().enumerate() {
                if at > 0 {
                    indent(printed, depth);
                }
                printed.push_str("- ");
                block(printed, depth + 1, inner);
            }
        }
        plain => {
            let _ = writeln!(printed, "{}", scalar(plain));
        }
    }
}

/// What follows a key: a scalar on its line, a map below it and further in, a list below it.
fn inside(printed: &mut String, depth: usize, value: &Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            printed.push('\n');
            indent(printed, depth + 1);
            block(printed, depth + 1, value);
        }
        Value::Array(items) if !items.is_empty() => {
            printed.push('\n');
            indent(printed, depth);
            block(printed, depth, value);
        }
        plain => {
            let _ = writeln!(printed, " {}", scalar(plain));
        }
    }
}

fn indent(printed: &mut String, depth: usize) {
    printed.extend(std::iter::repeat_n("  ", depth));
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(words) => text(words),
        // An empty list or map, a number, a boolean: as in JSON.
        other => other.to_string(),
    }
}

/// Bare where nobody can take it for anything else, quoted as in JSON everywhere else.
fn text(words: &str) -> String {
    let bare = words.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && words
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "._/-".contains(letter))
        && !WORDS.contains(&words.to_lowercase().as_str());
    if bare {
        return words.to_owned();
    }
    let mut quoted = String::new();
    for letter in Value::from(words).to_string().chars() {
        // JSON lets these stand as they are; YAML takes some for line breaks and forbids others.
        match letter {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(printed: &str) -> Value {
        serde_yaml::from_str(printed).unwrap()
    }

    #[test]
    fn words_of_yaml_1_1_are_quoted() {
        for word in [
            "on",
            "Yes",
            "y",
            "1_000",
            "0x1f",
            "1e3",
            "~",
            "null",
            "",
            ".inf",
            "2026-12-02",
            "a: b",
            "a #b",
            "*",
        ] {
            let value = json!({ "key": word });
            let printed = document(&value);
            assert_eq!(printed, format!("key: {}\n", Value::from(word)));
            let printed = document(&json!({ word: [word] }));
            assert!(printed.starts_with('"'), "{printed}");
        }
    }

    #[test]
    fn lines_inside_a_value_stay_as_they_are() {
        let value =
            json!({ "env": [{ "name": "A", "value": "x: on\n- yes\n" }], "none": [], "map": {} });
        assert_eq!(read(&document(&value)), value);
    }

    proptest! {
        #[test]
        fn every_text_comes_back(key in any::<String>(), words in any::<String>()) {
            let value = json!({ key: { "list": [words.clone(), [words.clone()], { "a": 1, "b": words }] } });
            prop_assert_eq!(read(&document(&value)), value);
        }
    }
}
