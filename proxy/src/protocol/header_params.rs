//! Which arguments does a tool want repeated in headers (`x-mcp-header`), and may it ask so?
//!
//! Guarantees: a schema that breaks any rule of SEP-2243 is refused as a whole, since a client
//! must then drop the tool. Never resolves a `$ref`; never looks into data (`default`, `enum`, …).

use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The annotation's keyword.
const KEYWORD: &str = "x-mcp-header";

/// Keywords whose value is one schema, or a list of them.
const SUBSCHEMAS: [&str; 17] = [
    "items",
    "prefixItems",
    "contains",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "propertyNames",
    "contentSchema",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "extends",
];

/// Keywords whose value maps names to schemas, `properties` apart.
const NAMED_SUBSCHEMAS: [&str; 5] = [
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "$defs",
    "definitions",
];

/// An argument that the upstream wants repeated in a header (`x-mcp-header`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderParam {
    /// The header's name without `Mcp-Param-`.
    pub header: String,
    /// Property names from the root of the arguments.
    pub path: Vec<String>,
    /// How the value is rendered.
    pub kind: HeaderType,
}

/// The types an `x-mcp-header` may stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderType {
    /// As is, or in the base64 sentinel.
    String,
    /// Decimal.
    Integer,
    /// `true` or `false`.
    Boolean,
}

/// The schema annotates something that it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Illegal;

/// Reads the annotations of an input schema, in the order of its properties' names.
pub(super) fn find(schema: &RawValue) -> Result<Vec<HeaderParam>, Illegal> {
    // Nearly every schema ends here. An escaped key is rare enough to pay for a parse.
    if !schema.get().contains("mcp-header") && !schema.get().contains("\\u") {
        return Ok(Vec::new());
    }
    let Ok(root) = serde_json::from_str::<Value>(schema.get()) else {
        // Nested deeper than the parser goes: what cannot be checked cannot be obeyed.
        return if schema.get().contains(KEYWORD) {
            Err(Illegal)
        } else {
            Ok(Vec::new())
        };
    };
    let mut walk = Walk::default();
    walk.schema(&root, true)?;
    Ok(walk.found)
}

#[derive(Default)]
struct Walk {
    path: Vec<String>,
    names: HashSet<String>,
    found: Vec<HeaderParam>,
}

impl Walk {
    /// `reachable`: only `properties` keys lead here from the root.
    fn schema(&mut self, schema: &Value, reachable: bool) -> Result<(), Illegal> {
        let Value::Object(members) = schema else {
            return Ok(());
        };
        if let Some(name) = members.get(KEYWORD) {
            self.annotation(name, members, reachable)?;
        }
        if let Some(Value::Object(properties)) = members.get("properties") {
            for (name, property) in properties {
                self.path.push(name.clone());
                self.schema(property, reachable)?;
                self.path.pop();
            }
        }
        self.unreachable(members)
    }

    fn unreachable(&mut self, members: &Map<String, Value>) -> Result<(), Illegal> {
        for keyword in SUBSCHEMAS {
            match members.get(keyword) {
                Some(Value::Array(schemas)) => schemas
                    .iter()
                    .try_for_each(|schema| self.schema(schema, false))?,
                Some(schema) => self.schema(schema, false)?,
                None => {}
            }
        }
        for keyword in NAMED_SUBSCHEMAS {
            if let Some(Value::Object(schemas)) = members.get(keyword) {
                schemas
                    .values()
                    .try_for_each(|schema| self.schema(schema, false))?;
            }
        }
        Ok(())
    }

    fn annotation(
        &mut self,
        name: &Value,
        members: &Map<String, Value>,
        reachable: bool,
    ) -> Result<(), Illegal> {
        let header = name.as_str().filter(|name| is_token(name)).ok_or(Illegal)?;
        let kind = match members.get("type").and_then(Value::as_str) {
            Some("string") => HeaderType::String,
            Some("integer") => HeaderType::Integer,
            Some("boolean") => HeaderType::Boolean,
            _ => return Err(Illegal),
        };
        let unique = self.names.insert(header.to_ascii_lowercase());
        if !reachable || self.path.is_empty() || !unique {
            return Err(Illegal);
        }
        self.found.push(HeaderParam {
            header: header.to_owned(),
            path: self.path.clone(),
            kind,
        });
        Ok(())
    }
}

/// RFC 9110, 5.6.2.
fn is_token(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: &str, expected: Result<&[(&str, &str, HeaderType)], Illegal>) {
        let schema: Box<RawValue> = serde_json::from_str(schema).unwrap();
        let expected = expected.map(|found| {
            let param = |&(header, path, kind): &(&str, &str, HeaderType)| HeaderParam {
                header: header.to_owned(),
                path: path.split('/').map(ToOwned::to_owned).collect(),
                kind,
            };
            found.iter().map(param).collect::<Vec<_>>()
        });
        assert_eq!(find(&schema), expected);
    }

    #[test]
    fn legal_annotations_are_found_with_their_paths() {
        check(r#"{"type":"object"}"#, Ok(&[]));
        check(
            r#"{"properties":{"owner":{"type":"string","x-mcp-header":"Owner"}}}"#,
            Ok(&[("Owner", "owner", HeaderType::String)]),
        );
        check(
            r#"{"properties":{"a":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
                "b":{"type":"boolean","x-mcp-header":"B"}}}"#,
            Ok(&[
                ("N", "a/n", HeaderType::Integer),
                ("B", "b", HeaderType::Boolean),
            ]),
        );
        check(
            r#"{"properties":{"o":{"type":"string","\u0078-mcp-header":"O"}}}"#,
            Ok(&[("O", "o", HeaderType::String)]),
        );
    }

    #[test]
    fn a_property_or_datum_of_that_name_is_no_annotation() {
        check(
            r#"{"properties":{"x-mcp-header":{"type":"string"}}}"#,
            Ok(&[]),
        );
        check(
            r#"{"properties":{"a":{"default":{"x-mcp-header":7}}}}"#,
            Ok(&[]),
        );
    }

    #[test]
    fn every_breach_condemns_the_schema() {
        let breaches = [
            r#"{"x-mcp-header":"Root","type":"string"}"#,
            r#"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#,
            r#"{"properties":{"a":{"x-mcp-header":"A"}}}"#,
            r#"{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":7}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},
                "b":{"type":"string","x-mcp-header":"a"}}}"#,
            r#"{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}"#,
            r#"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#,
            r#"{"$defs":{"d":{"type":"string","x-mcp-header":"A"}}}"#,
        ];
        for schema in breaches {
            check(schema, Err(Illegal));
        }
    }

    #[test]
    fn a_schema_too_deep_to_check_is_condemned_only_if_it_annotates() {
        let deep = |inner: &str| format!("{}{inner}{}", r#"{"not":"#.repeat(300), "}".repeat(300));
        check(&deep("{}"), Ok(&[]));
        check(
            &deep(r#"{"type":"string","x-mcp-header":"A"}"#),
            Err(Illegal),
        );
    }
}
