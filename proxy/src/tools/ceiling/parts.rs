//! What are the parts of this JSON array or object? The first ones as they stand, and how many
//! there are.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Parts that are kept of one value; a longer one is only counted on. Each takes a token at least.
const MOST: usize = 100_000;

/// The parts of one value.
pub(super) enum Parts<'a> {
    /// Items, and how many there are.
    Array(Vec<&'a RawValue>, usize),
    /// Members, and how many there are.
    Object(Vec<(Cow<'a, str>, &'a RawValue)>, usize),
}

impl<'a> Parts<'a> {
    /// Reads a text that is one array or one object, and JSON to its end.
    pub(super) fn read(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Parts<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array or an object")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while items.len() < MOST {
                    match seq.next_element()? {
                        Some(item) => items.push(item),
                        None => break,
                    }
                }
                let mut count = items.len();
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Parts::Array(items, count))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while members.len() < MOST {
                    match map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
                        Some(member) => members.push(member),
                        None => break,
                    }
                }
                let mut count = members.len();
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Parts::Object(members, count))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// Whether two JSON texts say the same in the same order, however strings are escaped.
pub(super) fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.trim_ascii_start(), b.trim_ascii_start());
    while !a.is_empty() && !b.is_empty() {
        let (ends_a, ends_b) = (sign(a), sign(b));
        let ((one, rest_a), (other, rest_b)) = (a.split_at(ends_a), b.split_at(ends_b));
        let text = |json: &str| serde_json::from_str::<String>(json).ok();
        if one != other && text(one).is_none_or(|one| text(other) != Some(one)) {
            return false;
        }
        (a, b) = (rest_a.trim_ascii_start(), rest_b.trim_ascii_start());
    }
    a.is_empty() && b.is_empty()
}

/// Bytes of the string, the sign or the word that a text begins with.
fn sign(json: &str) -> usize {
    let bytes = json.as_bytes();
    if bytes[0] == b'"' {
        let mut escaped = false;
        let end = bytes[1..].iter().position(|byte| {
            let ends = !escaped && *byte == b'"';
            escaped = !escaped && *byte == b'\\';
            ends
        });
        return end.map_or(bytes.len(), |end| end + 2);
    }
    let ends = |byte: &u8| b" \t\r\n,:[]{}\"".contains(byte);
    let end = bytes.iter().position(ends).unwrap_or(bytes.len());
    json.ceil_char_boundary(end.max(1))
}

#[cfg(test)]
mod tests {
    use super::{Parts, same};

    #[test]
    fn parts_are_as_they_stand_and_counted() {
        let Some(Parts::Array(items, 3)) = Parts::read(" [1.10, {\"a\": 2} ,\"x\"] ") else {
            panic!("three items");
        };
        assert_eq!(items[1].get(), "{\"a\": 2}");
        let long = format!("[{}0]", "0,".repeat(100_007));
        let Some(Parts::Array(items, count)) = Parts::read(&long) else {
            panic!("an array");
        };
        assert_eq!((items.len(), count), (100_000, 100_008));
        let Some(Parts::Object(members, 2)) = Parts::read(r#"{"a\n":1,"b":[]}"#) else {
            panic!("two members");
        };
        assert_eq!(members[0].0, "a\n");
        for other in ["7", "", "[1", "[1]x", "\"x\"", "{a:1}"] {
            assert!(Parts::read(other).is_none(), "{other}");
        }
    }

    #[test]
    fn the_same_is_the_same_however_it_is_written() {
        for (a, b, expected) in [
            (r#"{"a": ["ž", 1.0]}"#, "{\"a\":[\"\\u017e\",1.0 ]}", true),
            (r#"{"a":1}"#, r#"{"a":2}"#, false),
            ("[1,2]", "[12]", false),
            ("[1]", "[1", false),
            (r#"["a"]"#, r#"["a","b"]"#, false),
            (r#""1""#, "1", false),
            ("", "[]", false),
        ] {
            assert_eq!(same(a, b), expected, "{a} {b}");
        }
    }
}
