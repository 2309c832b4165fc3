//! Which members of a schema mean the same wherever they stand, and are small enough to repeat?

use serde_json::Value;

/// Bytes of a name, a pattern, a default or an enum's value.
pub(super) const LONGEST: usize = 200;

/// How a schema is to be read; a fold is read as of today, whatever its whole was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The oldest that is read, draft 4.
    Oldest,
    Later,
}

impl Dialect {
    pub(super) fn of(root: &Value) -> Self {
        let dialect = root.get("$schema").and_then(Value::as_str);
        if dialect.is_some_and(|dialect| dialect.contains("draft-04")) {
            Self::Oldest
        } else {
            Self::Later
        }
    }

    /// The member that gives a schema a name of its own.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Oldest => "id",
            Self::Later => "$id",
        }
    }

    /// Whether a plain member has force in it, in the form that today's has.
    pub(super) fn knows(self, key: &str) -> bool {
        self == Self::Later || !["const", "exclusiveMinimum", "exclusiveMaximum"].contains(&key)
    }
}

/// Whether a member is a constraint that means the same wherever it stands, in its usual form.
pub(super) fn is_plain(key: &str, value: &Value) -> bool {
    const TYPES: [&str; 7] = [
        "array", "boolean", "integer", "null", "number", "object", "string",
    ];
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match key {
        "type" => {
            is_type(value)
                || value
                    .as_array()
                    .is_some_and(|list| !list.is_empty() && list.iter().all(is_type))
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            // Beyond 2^53 a number may have been rounded, and a bound with it.
            value.as_f64().is_some_and(|number| number.abs() < 9e15)
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "pattern" | "format" => value.is_string() && is_small(value),
        "uniqueItems" => value.is_boolean(),
        "const" | "default" => is_small(value),
        _ => false,
    }
}

pub(super) fn is_small(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= LONGEST,
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}
