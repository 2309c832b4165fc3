//! Which parts of the schema speak about one place in the arguments? Found by walking the schema
//! along the place's path, through local references and combinations, in bounded steps.

use std::collections::HashSet;

use serde_json::Value;

/// Subschemas that may apply to one place.
#[derive(Default)]
pub struct Places<'a> {
    /// Each with its JSON Pointer in the schema, in the order they were met.
    pub schemas: Vec<(String, &'a Value)>,
    /// Everything met on the way, these included: pointer and steps that were left.
    passed: HashSet<(String, usize)>,
    /// Bytes of their pointers.
    bytes: usize,
    /// Whether something could not be followed (a reference that is not a local pointer, names
    /// by pattern, a bound reached), so that more may apply than is listed.
    pub partial: bool,
}

/// By hand: nothing of a schema is printed.
impl std::fmt::Debug for Places<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}

/// Subschemas visited before the walk is given up.
const MOST_VISITED: usize = 2000;
/// Bytes of all pointers met before the walk is given up: a name may be as long as the schema.
const MOST_BYTES: usize = 1024 * 1024;

/// Keywords whose value is a list of schemas for the same place.
const ALTERNATIVES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords whose value is one schema for the same place.
const CONDITIONS: [&str; 3] = ["if", "then", "else"];
/// Keywords that may speak about members in ways this walk does not follow.
const UNSEEN: [&str; 4] = [
    "patternProperties",
    "$dynamicRef",
    "$recursiveRef",
    "dependencies",
];

impl<'a> Places<'a> {
    /// What of `root` may apply to the place that `steps` lead to.
    #[must_use]
    pub fn find(root: &'a Value, steps: &[String]) -> Self {
        let mut places = Self::default();
        places.visit(root, root, String::new(), steps);
        places
    }

    /// Names of properties that any of these declares.
    #[must_use]
    pub fn properties(&self) -> Vec<&'a str> {
        let mut seen = HashSet::new();
        self.schemas
            .iter()
            .filter_map(|(_, schema)| schema.get("properties")?.as_object())
            .flat_map(|properties| properties.keys().map(String::as_str))
            .filter(|name| seen.insert(*name))
            .collect()
    }

    /// Whether any of these says what the items of an array are.
    #[must_use]
    pub fn says_items(&self) -> bool {
        self.schemas.iter().any(|(_, schema)| {
            ["items", "prefixItems", "contains"].iter().any(|keyword| {
                schema
                    .get(*keyword)
                    .is_some_and(|value| !value.is_boolean())
            })
        })
    }

    fn visit(&mut self, root: &'a Value, schema: &'a Value, pointer: String, steps: &[String]) {
        // One schema may be met with more or fewer steps to go, but each only once.
        let met = (pointer.clone(), steps.len());
        if self.passed.contains(&met) {
            return;
        }
        self.bytes += pointer.len();
        if self.passed.len() >= MOST_VISITED || self.bytes > MOST_BYTES {
            self.partial = true;
            return;
        }
        self.passed.insert(met);
        let Some(members) = schema.as_object() else {
            return;
        };
        if UNSEEN.iter().any(|keyword| members.contains_key(*keyword)) {
            self.partial = true;
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            match reference.strip_prefix('#').map(percent_decoded) {
                Some(target) if target.is_empty() || target.starts_with('/') => {
                    match root.pointer(&target) {
                        Some(found) => self.visit(root, found, target, steps),
                        None => self.partial = true,
                    }
                }
                _ => self.partial = true,
            }
        }
        for keyword in ALTERNATIVES {
            let branches = members.get(keyword).and_then(Value::as_array);
            for (at, branch) in branches.into_iter().flatten().enumerate() {
                self.visit(root, branch, format!("{pointer}/{keyword}/{at}"), steps);
            }
        }
        for keyword in CONDITIONS {
            if let Some(schema) = members.get(keyword) {
                self.visit(root, schema, format!("{pointer}/{keyword}"), steps);
            }
        }
        if let Some(dependent) = members.get("dependentSchemas").and_then(Value::as_object) {
            for (name, schema) in dependent {
                let pointer = format!("{pointer}/dependentSchemas/{}", escaped(name));
                self.visit(root, schema, pointer, steps);
            }
        }
        match steps {
            [] => self.schemas.push((pointer, schema)),
            [step, rest @ ..] => self.descend(root, members, &pointer, step, rest),
        }
    }

    fn descend(
        &mut self,
        root: &'a Value,
        members: &'a serde_json::Map<String, Value>,
        pointer: &str,
        step: &str,
        rest: &[String],
    ) {
        let property = members
            .get("properties")
            .and_then(|properties| properties.get(step));
        if let Some(schema) = property {
            let pointer = format!("{pointer}/properties/{}", escaped(step));
            self.visit(root, schema, pointer, rest);
        } else if let Some(schema) = members.get("additionalProperties") {
            self.visit(
                root,
                schema,
                format!("{pointer}/additionalProperties"),
                rest,
            );
        }
        let Ok(at) = step.parse::<usize>() else {
            return;
        };
        for keyword in ["prefixItems", "items"] {
            match members.get(keyword) {
                Some(Value::Array(items)) => {
                    if let Some(schema) = items.get(at) {
                        self.visit(root, schema, format!("{pointer}/{keyword}/{at}"), rest);
                    }
                }
                Some(schema) => self.visit(root, schema, format!("{pointer}/{keyword}"), rest),
                None => (),
            }
        }
    }
}

/// A member's name as a step of a JSON Pointer.
#[must_use]
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A URI fragment as it is meant; what is no escape stays.
pub(super) fn percent_decoded(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%')
            .then(|| fragment.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded.push(escape.unwrap_or(byte));
        at += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Places;

    fn find(schema: &Value, path: &[&str]) -> (Vec<String>, bool) {
        let steps: Vec<String> = path.iter().map(|step| (*step).to_owned()).collect();
        let places = Places::find(schema, &steps);
        let pointers = places.schemas.into_iter().map(|(pointer, _)| pointer);
        (pointers.collect(), places.partial)
    }

    #[test]
    fn references_and_combinations_are_followed() {
        let schema = json!({
            "$defs": {"a/b": {"properties": {"x": {"type": "integer"}}}, "loop": {"$ref": "#/$defs/loop"}},
            "allOf": [{"$ref": "#/$defs/a~1b"}, {"$ref": "#/$defs/loop"}],
            "properties": {"x": true, "list": {"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}
        });
        assert_eq!(
            find(&schema, &["x"]),
            (vec!["/$defs/a~1b/properties/x".to_owned(),], false)
        );
        assert_eq!(
            find(&schema, &["list", "3"]).0,
            [
                "/properties/list/items/anyOf/0",
                "/properties/list/items/anyOf/1",
                "/properties/list/items",
            ]
        );
        assert!(find(&schema, &["y"]).0.is_empty());
    }

    #[test]
    fn what_cannot_be_followed_is_said() {
        for schema in [
            json!({"$ref": "#anchor"}),
            json!({"$ref": "https://example.com/s.json"}),
            json!({"$ref": "#/$defs/none"}),
            json!({"patternProperties": {"^x": {}}}),
            json!({"$dynamicRef": "#node"}),
        ] {
            assert!(find(&schema, &[]).1, "{schema}");
        }
    }

    #[test]
    fn a_schema_of_many_alternatives_is_given_up() {
        let many = vec![json!({"properties": {"a": {}}}); 5000];
        assert!(find(&json!({"anyOf": many}), &["a"]).1);
    }
}
