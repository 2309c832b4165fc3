//! Where in this JSON text is this value? Positions of every value and key, so that a part can be
//! exchanged while all other bytes stay as they were sent; and what stands only between them.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::value::RawValue;

/// One value of a text, with where it stands; no content of its own but the names of members.
#[derive(Debug)]
pub struct Node {
    /// Bytes of the value.
    pub span: Range<usize>,
    /// What it holds.
    pub shape: Shape,
}

/// What a value holds.
#[derive(Debug)]
pub enum Shape {
    /// A string, number, boolean or null.
    Scalar,
    /// Items in order.
    Array(Vec<Node>),
    /// Members in order, each name once.
    Object(Vec<Member>),
}

/// One member of an object.
pub struct Member {
    /// Its name, escapes resolved.
    pub key: String,
    /// Bytes of the name, quotes included.
    pub key_span: Range<usize>,
    /// Its value.
    pub value: Node,
}

/// By hand, so that no name a caller sent is printed.
impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member").finish_non_exhaustive()
    }
}

impl Node {
    /// Reads a text that is known to be JSON.
    ///
    /// `None` where an object has the same name twice: readers differ on which of the two counts,
    /// so nothing in such a text has a certain place. Also for nesting beyond `serde_json`'s own limit.
    #[must_use]
    pub fn read(json: &RawValue) -> Option<Self> {
        let mut scanner = Scanner {
            text: json.get().as_bytes(),
            at: 0,
        };
        scanner.value(DEEPEST)
    }

    /// The value at a JSON Pointer.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        steps(pointer).try_fold(self, |node, step| match &node.shape {
            Shape::Scalar => None,
            Shape::Array(items) => items.get(step.parse::<usize>().ok()?),
            Shape::Object(members) => members
                .iter()
                .find(|member| member.key == step)
                .map(|member| &member.value),
        })
    }

    /// The members, where this is an object.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.shape {
            Shape::Object(members) => members,
            Shape::Scalar | Shape::Array(_) => &[],
        }
    }
}

/// The steps of a JSON Pointer, escapes resolved.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
}

/// The pointer's parent and its last step; `None` for the root.
#[must_use]
pub fn parent(pointer: &str) -> Option<(&str, String)> {
    let (parent, last) = pointer.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

/// As deep as `serde_json` reads.
const DEEPEST: usize = 128;

/// Walks over text that was parsed before: it needs no messages, only an end.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn value(&mut self, depth: usize) -> Option<Node> {
        self.blanks();
        let start = self.at;
        let shape = match self.peek()? {
            b'{' => self.object(depth.checked_sub(1)?)?,
            b'[' => self.array(depth.checked_sub(1)?)?,
            b'"' => {
                self.string()?;
                Shape::Scalar
            }
            _ => {
                while self
                    .peek()
                    .is_some_and(|byte| !b" \t\r\n,]}".contains(&byte))
                {
                    self.at += 1;
                }
                Shape::Scalar
            }
        };
        Some(Node {
            span: start..self.at,
            shape,
        })
    }

    fn object(&mut self, depth: usize) -> Option<Shape> {
        let (mut members, mut names) = (Vec::new(), HashSet::new());
        self.at += 1;
        loop {
            self.blanks();
            match self.peek()? {
                b'}' => {
                    self.at += 1;
                    return Some(Shape::Object(members));
                }
                b',' => self.at += 1,
                _ => {
                    let key_span = self.string()?;
                    let key: String = serde_json::from_slice(&self.text[key_span.clone()]).ok()?;
                    if !names.insert(key.clone()) {
                        return None;
                    }
                    self.blanks();
                    // The colon.
                    self.at += 1;
                    let value = self.value(depth)?;
                    members.push(Member {
                        key,
                        key_span,
                        value,
                    });
                }
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Shape> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            match self.peek()? {
                b']' => {
                    self.at += 1;
                    return Some(Shape::Array(items));
                }
                b',' => self.at += 1,
                _ => items.push(self.value(depth)?),
            }
        }
    }

    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek()? {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return Some(start..self.at);
                }
                _ => self.at += 1,
            }
        }
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
}

/// JSON without the blanks between its signs.
pub(crate) fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let (mut start, mut within, mut escaped) = (0, false, false);
    for (at, byte) in json.bytes().enumerate() {
        if within {
            within = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if byte.is_ascii_whitespace() {
            compact.push_str(&json[start..at]);
            start = at + 1;
        } else {
            within = byte == b'"';
        }
    }
    compact.push_str(&json[start..]);
    compact
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::{Node, Shape, compact, parent};

    fn read(json: &str) -> Option<Node> {
        Node::read(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn blanks_go_and_strings_stay() {
        let json = "{ \"a \\\" b\" :\n\t[ 1 , \"x\\\\\" ] , \"ž\": 2 }";
        assert_eq!(compact(json), r#"{"a \" b":[1,"x\\"],"ž":2}"#);
    }

    #[test]
    fn values_are_found_where_they_stand() {
        let json = r#"{ "a" :[1.10, {"b~/\"c":"x]"} ],"z":null}"#;
        let node = read(json).unwrap();
        for (pointer, text) in [
            ("", json),
            ("/a/0", "1.10"),
            ("/a/1", r#"{"b~/\"c":"x]"}"#),
            ("/a/1/b~0~1\"c", r#""x]""#),
            ("/z", "null"),
        ] {
            assert_eq!(&json[node.at(pointer).unwrap().span.clone()], text);
        }
        assert!(node.at("/a/2").is_none() && node.at("/a/x").is_none() && node.at("/y").is_none());
        assert_eq!(&json[node.members()[0].key_span.clone()], r#""a""#);
        assert_eq!(parent("/a/b~1c"), Some(("/a", "b/c".to_owned())));
        assert_eq!(parent(""), None);
    }

    #[test]
    fn a_name_given_twice_has_no_place() {
        assert!(read(r#"{"a":1,"\u0061":2}"#).is_none());
        assert!(read(r#"[{"a":1},{"a":2}]"#).is_some());
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            r#"[a-z"\\/{}\[\],:é\n ]{0,6}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::hash_map(r#"[a-z"\\/~]{0,3}"#, inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// Every value's bytes, read by themselves, are that value.
    fn agrees(text: &str, node: &Node, value: &Value) {
        assert_eq!(
            serde_json::from_str::<Value>(&text[node.span.clone()]).unwrap(),
            *value
        );
        match (&node.shape, value) {
            (Shape::Array(items), Value::Array(values)) => {
                assert_eq!(items.len(), values.len());
                for (node, value) in items.iter().zip(values) {
                    agrees(text, node, value);
                }
            }
            (Shape::Object(members), Value::Object(values)) => {
                assert_eq!(members.len(), values.len());
                for member in members {
                    agrees(text, &member.value, &values[&member.key]);
                }
            }
            (Shape::Scalar, other) => assert!(!other.is_array() && !other.is_object()),
            _ => panic!("another shape"),
        }
    }

    proptest! {
        #[test]
        fn positions_agree_with_the_parser(value in json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            agrees(&text, &read(&text).unwrap(), &value);
        }
    }
}
