//! What mends a value of the wrong type for certain? The thing to send, where it can be said.

use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use crate::validate::words::cut;

/// What to send in the place of the value that was given.
pub(super) fn certain(kind: &Kind, instance: &Value) -> Option<String> {
    let Kind::Type { kind } = kind else {
        return None;
    };
    let wants = |wanted: JsonType| match kind {
        TypeKind::Single(single) => *single == wanted,
        TypeKind::Multiple(several) => several.contains(wanted),
    };
    let wants_number = wants(JsonType::Number) || wants(JsonType::Integer);
    match instance {
        Value::String(text) if wants(JsonType::Boolean) => {
            boolean(text).map(|value| format!("send {value} without quotes"))
        }
        Value::String(text) if wants_number => number(text, wants(JsonType::Number)),
        Value::String(text) if wants(JsonType::Array) => Some(list(text)),
        Value::String(text) if wants(JsonType::Object) => {
            let holds_object =
                serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
            holds_object.then(|| "send the object itself, not its text".to_owned())
        }
        Value::Number(number) if wants(JsonType::Boolean) => match number.as_u64() {
            Some(0) => Some("send false".to_owned()),
            Some(1) => Some("send true".to_owned()),
            _ => None,
        },
        Value::Null => Some("give a value, or leave it out where it is not required".to_owned()),
        Value::Array(items)
            if items.len() == 1 && !items[0].is_array() && !wants(JsonType::Object) =>
        {
            Some("send the item itself, not a list".to_owned())
        }
        Value::Number(_) | Value::Bool(_) if wants(JsonType::Array) => {
            Some(format!("send [{instance}]"))
        }
        Value::Object(_) if wants(JsonType::Array) => Some("send it in a list".to_owned()),
        Value::Number(_) | Value::Bool(_) if wants(JsonType::String) => {
            Some(format!("send \"{}\"", cut(&instance.to_string())))
        }
        _ => None,
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

fn number(text: &str, decimal: bool) -> Option<String> {
    let text = text.trim();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let sign = if digits.starts_with('-') { "-" } else { "" };
    let digits = digits.trim_start_matches('-').trim_start_matches('0');
    let digits = if digits.is_empty() || digits.starts_with('.') {
        format!("0{digits}")
    } else {
        digits.to_owned()
    };
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = match digits.split_once('.') {
        Some((whole, fraction)) => decimal && plain(whole) && plain(fraction),
        None => plain(&digits),
    };
    let had_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    (fits && had_digits).then(|| format!("send {} without quotes", cut(&format!("{sign}{digits}"))))
}

fn list(text: &str) -> String {
    if serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_array()) {
        return "send the list itself, not its text".to_owned();
    }
    let items: Vec<String> = text
        .split([',', ';', '\n', '|'])
        .map(|item| Value::from(cut(item.trim())).to_string())
        .take(3)
        .collect();
    if items.len() == 1 {
        format!("send [{}]", items[0])
    } else {
        format!(
            "send a list, each item by itself: [{}, …]",
            items.join(", ")
        )
    }
}
