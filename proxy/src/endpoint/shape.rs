//! What form does a call's result take for this caller? Whole slices put together, never read
//! and written again.

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::endpoint::{handshake, legacy};
use crate::protocol::{Members, Revision};
use crate::tools::Answer;

/// The `result` of `tools/call` in the caller's revision.
pub(super) fn call(answer: Answer, revision: Revision) -> Box<RawValue> {
    if !revision.is_modern() {
        return legacy::convert(answer.result, revision);
    }
    let has_type =
        Members::read(&answer.result).is_some_and(|members| members.get("resultType").is_some());
    if answer.relayed {
        return if has_type {
            answer.result
        } else {
            prefixed(&answer.result, r#""resultType":"complete""#)
        };
    }
    let meta = json!({ "io.modelcontextprotocol/serverInfo": handshake::server_info() });
    prefixed(
        &answer.result,
        &format!(r#""resultType":"complete","_meta":{meta}"#),
    )
}

/// The object with members put in front, all others byte for byte.
fn prefixed(object: &RawValue, members: &str) -> Box<RawValue> {
    let Some(rest) = object.get().strip_prefix('{') else {
        return object.to_owned();
    };
    let comma = if rest.trim_start().starts_with('}') {
        ""
    } else {
        ","
    };
    let joined = RawValue::from_string(format!("{{{members}{comma}{rest}"));
    joined.or_else(|_| to_raw_value(object)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::prefixed;

    #[test]
    fn the_rest_stays_byte_for_byte() {
        for (object, expected) in [
            (r#"{"a":1.10, "b":1e400}"#, r#"{"x":1,"a":1.10, "b":1e400}"#),
            ("{}", r#"{"x":1}"#),
            ("{ }", r#"{"x":1 }"#),
        ] {
            let object = RawValue::from_string(object.to_owned()).unwrap();
            assert_eq!(prefixed(&object, r#""x":1"#).get(), expected);
        }
    }
}
