//! How is it said that a call was mended? One short line in `_meta`, all else byte for byte.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::Members;
use crate::repair::Kind;
use crate::spans::Node;

/// The key in a result's `_meta`.
const KEY: &str = "dev.toolsearch/mended";

/// The result with the line in it; as it came where nothing was mended, or where there is no
/// certain place for it.
pub(super) fn noted(result: Box<RawValue>, kinds: &[Kind]) -> Box<RawValue> {
    if kinds.is_empty() {
        return result;
    }
    let text = result.get();
    let member = member(kinds);
    let noted = Node::read(&result).and_then(|node| {
        let meta = node.members().iter().find(|member| member.key == "_meta");
        let (object, added) = match meta {
            Some(meta) if text[meta.value.span.clone()].starts_with('{') => (&meta.value, member),
            Some(_) => return None,
            None => (&node, format!(r#""_meta":{{{member}}}"#)),
        };
        let comma = if object.members().is_empty() { "" } else { "," };
        // Behind the opening brace.
        let (before, after) = text.split_at_checked(object.span.start + 1)?;
        RawValue::from_string(format!("{before}{added}{comma}{after}")).ok()
    });
    noted.unwrap_or(result)
}

/// The member of a result's `_meta` that says it: key and value.
pub(super) fn member(kinds: &[Kind]) -> String {
    format!("{}:{}", Value::from(KEY), Value::from(line(kinds)))
}

/// The line of a result that has one.
pub(super) fn line_of(result: &RawValue) -> Option<String> {
    let members = Members::read(result)?;
    let meta = Members::read(members.get("_meta")?)?;
    serde_json::from_str(meta.get(KEY)?.get()).ok()
}

fn line(kinds: &[Kind]) -> String {
    let said: Vec<&str> = kinds.iter().map(|kind| kind.said()).collect();
    format!("before the call, {}", said.join("; "))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{line_of, noted};
    use crate::repair::Kind;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn the_line_stands_in_meta_and_all_else_as_it_was() {
        let line = r#""dev.toolsearch/mended":"before the call, a null was left out""#;
        for (result, expected) in [
            (
                r#"{ "content":[1.10], "z":1e400 }"#,
                format!(r#"{{"_meta":{{{line}}}, "content":[1.10], "z":1e400 }}"#),
            ),
            ("{}", format!(r#"{{"_meta":{{{line}}}}}"#)),
            (
                r#"{"a":1,"_meta":{ "b":2}}"#,
                format!(r#"{{"a":1,"_meta":{{{line}, "b":2}}}}"#),
            ),
            (r#"{"_meta":{}}"#, format!(r#"{{"_meta":{{{line}}}}}"#)),
            (r#"{"_meta":7}"#, r#"{"_meta":7}"#.to_owned()),
            (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#.to_owned()),
        ] {
            let with = noted(raw(result), &[Kind::NullForAbsent]);
            assert_eq!(with.get(), expected);
            let said = line_of(&with);
            assert_eq!(
                said.is_some(),
                expected.contains("dev.toolsearch"),
                "{result}"
            );
        }
        assert_eq!(noted(raw("{ }"), &[]).get(), "{ }");
    }
}
