//! How much of a schema does a refusal repeat? What helps is kept as it is, the rest is folded to
//! its types. What comes out is a schema still, and says that it was folded.

use std::collections::HashSet;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::spans::{Member, Node, Shape, steps};
use crate::validate::places::{Places, escaped};

/// A subschema of so few bytes is kept: folding it would save nothing.
const SMALL: usize = 60;
/// Bytes of an annotation that are kept beside what helps.
const ANNOTATION: usize = 200;

/// Keywords that hold one schema.
const ONE: [&str; 12] = [
    "items",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];
/// Keywords that hold schemas by name.
const NAMED: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];
/// Keywords that hold a list of schemas.
const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords under which a folded schema would forbid what the whole allows.
const TURNED: [&str; 5] = ["not", "if", "then", "else", "contains"];
/// Keywords that forbid what no other keyword speaks about: folded, the others speak about less.
const CLOSED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];
/// Keywords that only explain.
const ANNOTATIONS: [&str; 5] = ["description", "title", "examples", "default", "$comment"];

/// Pointers of the subschemas that help at these places of the arguments, and of all above them.
pub(super) fn open(schema: &Value, about: &[&str]) -> HashSet<String> {
    let mut open = HashSet::from([String::new()]);
    for place in about {
        let path: Vec<String> = steps(place).collect();
        for pointer in Places::find(schema, &path).passed() {
            let mut pointer = pointer;
            while open.insert(pointer.to_owned()) {
                pointer = pointer.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
    }
    open
}

/// The schema as it is, or folded, or folded more, whichever is small enough first.
pub(super) fn within(schema: &RawValue, open: &HashSet<String>, most: usize) -> Option<String> {
    if schema.get().len() <= most {
        return Some(schema.get().to_owned());
    }
    let node = Node::read(schema)?;
    [false, true].into_iter().find_map(|tight| {
        let fold = Fold {
            text: schema.get(),
            open,
            tight,
        };
        let mut folded = String::new();
        fold.schema(&node, "", &mut folded);
        // JSON put together from JSON; nothing else may reach a model as a schema.
        let valid = RawValue::from_string(folded).ok()?;
        (valid.get().len() <= most).then(|| valid.get().to_owned())
    })
}

struct Fold<'a> {
    text: &'a str,
    open: &'a HashSet<String>,
    /// Whether optional properties that do not help are left out.
    tight: bool,
}

impl Fold<'_> {
    fn schema(&self, node: &Node, pointer: &str, into: &mut String) {
        let raw = self.raw(node);
        if node.members().is_empty() || is_kept(raw) {
            into.push_str(raw);
        } else if self.open.contains(pointer) || raw.len() <= SMALL {
            self.opened(node, pointer, into);
        } else {
            self.stub(node, into);
        }
    }

    fn opened(&self, node: &Node, pointer: &str, into: &mut String) {
        into.push('{');
        if pointer.is_empty() {
            into.push_str(r#""$comment":"folded; describe_tool gives the whole","#);
        }
        for Member {
            key,
            key_span,
            value,
        } in node.members()
        {
            let raw = self.raw(value);
            let (name, long) = (key.as_str(), raw.len() > ANNOTATION);
            if ANNOTATIONS.contains(&name) && (long || self.tight || pointer.is_empty()) {
                continue;
            }
            let turned = TURNED.contains(&name) && !is_kept(raw);
            // Tight, properties go, and their names must not read as forbidden.
            let closed = CLOSED.contains(&name)
                || (self.tight && ["additionalProperties", "maxProperties"].contains(&name));
            if turned || closed {
                continue;
            }
            if let Shape::Array(branches) = &value.shape
                && name == "oneOf"
                && !branches.iter().all(|branch| is_kept(self.raw(branch)))
            {
                // Folded, several may fit where one did.
                if !node.members().iter().any(|member| member.key == "anyOf") {
                    into.push_str(r#""anyOf":"#);
                    self.listed(branches, &format!("{pointer}/oneOf"), into);
                    into.push(',');
                }
                continue;
            }
            let is_schema = ONE.contains(&name) || NAMED.contains(&name) || LISTED.contains(&name);
            if !is_schema && !matches!(value.shape, Shape::Scalar) && refers(raw) {
                continue;
            }
            into.push_str(&self.text[key_span.clone()]);
            into.push(':');
            let below = format!("{pointer}/{}", escaped(name));
            match &value.shape {
                Shape::Object(members) if NAMED.contains(&name) => {
                    self.named(node, members, &below, name == "properties", into);
                }
                Shape::Array(items) if LISTED.contains(&name) || name == "items" => {
                    self.listed(items, &below, into);
                }
                Shape::Object(_) if ONE.contains(&name) => self.schema(value, &below, into),
                _ => into.push_str(raw),
            }
            into.push(',');
        }
        close(into, '}');
    }

    fn named(
        &self,
        parent: &Node,
        members: &[Member],
        pointer: &str,
        properties: bool,
        into: &mut String,
    ) {
        let required = self.required(parent);
        into.push('{');
        for Member {
            key,
            key_span,
            value,
        } in members
        {
            let below = format!("{pointer}/{}", escaped(key));
            let helps = self.open.contains(&below) || (properties && required.contains(key));
            if self.tight && !helps && properties {
                continue;
            }
            into.push_str(&self.text[key_span.clone()]);
            into.push(':');
            self.schema(value, &below, into);
            into.push(',');
        }
        close(into, '}');
    }

    fn listed(&self, items: &[Node], pointer: &str, into: &mut String) {
        into.push('[');
        for (at, item) in items.iter().enumerate() {
            self.schema(item, &format!("{pointer}/{at}"), into);
            into.push(',');
        }
        close(into, ']');
    }

    /// Its type, what it refers to, and its allowed values where they are few.
    fn stub(&self, node: &Node, into: &mut String) {
        // Without its base a reference would lead elsewhere.
        let is_base = |member: &Member| ["$id", "id"].contains(&member.key.as_str());
        let is_based = node.members().iter().any(is_base);
        into.push('{');
        for Member {
            key,
            key_span,
            value,
        } in node.members()
        {
            let raw = self.raw(value);
            let kept = ["type", "const"].contains(&key.as_str())
                || (key == "enum" && !self.tight)
                || (key == "$ref" && !is_based);
            if kept && raw.len() <= ANNOTATION {
                into.push_str(&self.text[key_span.clone()]);
                into.push(':');
                into.push_str(raw);
                into.push(',');
            }
        }
        close(into, '}');
    }

    fn required(&self, node: &Node) -> HashSet<String> {
        let required = node
            .members()
            .iter()
            .find(|member| member.key == "required");
        let names = required
            .and_then(|member| serde_json::from_str::<Vec<String>>(self.raw(&member.value)).ok());
        names.unwrap_or_default().into_iter().collect()
    }

    fn raw(&self, node: &Node) -> &str {
        &self.text[node.span.clone()]
    }
}

/// Whether a subschema stays as it is: small, and not about what may be folded elsewhere.
fn is_kept(raw: &str) -> bool {
    raw.len() <= SMALL && !refers(raw)
}

/// Whether there may be a reference in it, escaped ones too.
fn refers(raw: &str) -> bool {
    ["$ref\"", "Ref\"", "\\u00"]
        .iter()
        .any(|sign| raw.contains(sign))
}

/// Ends what was opened, without the comma behind the last of it.
fn close(into: &mut String, brace: char) {
    if into.ends_with(',') {
        into.pop();
    }
    into.push(brace);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::{open, within};

    const SCHEMA: &str = r##"{"type":"object","description":"What a desk is.","$defs":{"leg":{"type":"object","properties":{"height":{"type":"integer","minimum":1,"description":"Height of the leg in centimetres, from the floor."}}}},
        "properties":{"legs":{"type":"array","items":{"$ref":"#/$defs/leg"},"description":"All legs, the front ones first, whatever they are made of."},
        "colour":{"type":"string","enum":["red","blue"],"description":"The colour it is painted in, once it is painted at all."},
        "place":{"type":"object","description":"Where it stands.","properties":{"room":{"type":"string"},"floor":{"type":"integer"}}},"id":{"type":"integer","description":"An id, as the list of desks gives it."}},"required":["id"]}"##;

    fn folded(about: &[&str], most: usize) -> Option<String> {
        let raw = RawValue::from_string(SCHEMA.to_owned()).unwrap();
        let value: Value = serde_json::from_str(SCHEMA).unwrap();
        within(&raw, &open(&value, about), most)
    }

    #[test]
    fn what_helps_stays_and_the_rest_folds() {
        assert_eq!(folded(&[], 5000).as_deref(), Some(SCHEMA));
        expect![[r##"{"$comment":"folded; describe_tool gives the whole","type":"object","$defs":{"leg":{"type":"object","properties":{"height":{"type":"integer","minimum":1,"description":"Height of the leg in centimetres, from the floor."}}}},"properties":{"legs":{"type":"array","items":{"$ref":"#/$defs/leg"},"description":"All legs, the front ones first, whatever they are made of."},"colour":{"type":"string","enum":["red","blue"]},"place":{"type":"object"},"id":{"type":"integer"}},"required":["id"]}"##]]
            .assert_eq(&folded(&["/legs/0/height"], 600).unwrap());
        expect![[r##"{"$comment":"folded; describe_tool gives the whole","type":"object","$defs":{"leg":{"type":"object"}},"properties":{"colour":{"type":"string","enum":["red","blue"]},"id":{"type":"integer"}},"required":["id"]}"##]]
            .assert_eq(&folded(&["/colour"], 230).unwrap());
        assert_eq!(folded(&["/colour"], 100), None);
    }

    #[test]
    fn what_was_left_out_is_not_forbidden() {
        let schema = SCHEMA.replacen(
            '{',
            r#"{"additionalProperties":false,"not":{"required":["nothing that anybody would ever send","another"]},"#,
            1,
        );
        let raw = RawValue::from_string(schema.clone()).unwrap();
        let value: Value = serde_json::from_str(&schema).unwrap();
        let folded = within(&raw, &open(&value, &["/colour"]), 250).unwrap();
        let folded: Value = serde_json::from_str(&folded).unwrap();
        assert!(folded["properties"].get("place").is_none(), "{folded}");
        let left_out = serde_json::json!({"id": 1, "place": {"room": "b"}});
        assert!(jsonschema::is_valid(&value, &left_out));
        assert!(jsonschema::is_valid(&folded, &left_out), "{folded}");
    }

    #[test]
    fn what_fits_the_whole_fits_what_is_shown() {
        let words = "What it is, in more words than anybody needs to say what it is.";
        let folds = serde_json::json!({"description": words, "minimum": 5, "type": "integer"});
        for (schema, fitting) in [
            (r##""not":{"$ref":"#/$defs/a"}"##, "3"),
            (r##""allOf":[{"not":{"$ref":"#/$defs/a"}}]"##, "3"),
            (
                r##""items":{"contains":{"$ref":"#/$defs/a"},"maxContains":1}"##,
                "[[3,6]]",
            ),
            (
                r##""oneOf":[{"$ref":"#/$defs/a"},{"type":"integer"}]"##,
                "3",
            ),
            (r##""oneOf":[{"$ref":"#/$defs/a"}],"anyOf":[{}]"##, "6"),
            (
                r##""allOf":[{"$ref":"#/$defs/b"}],"unevaluatedProperties":false"##,
                r#"{"p":1}"#,
            ),
            (
                r##""dependencies":{"p":{"not":{"required":["q"],"properties":{"q":{"$ref":"#/$defs/a"}}}}}"##,
                r#"{"p":1,"q":3}"#,
            ),
        ] {
            let b = serde_json::json!({"description": words, "properties": {"p": {}}});
            let schema = format!(r#"{{"$defs":{{"a":{folds},"b":{b}}},{schema}}}"#);
            let raw = RawValue::from_string(schema.clone()).unwrap();
            let value: Value = serde_json::from_str(&schema).unwrap();
            let folded = within(&raw, &open(&value, &[]), schema.len() - 1).unwrap();
            let folded: Value = serde_json::from_str(&folded).unwrap();
            let fitting: Value = serde_json::from_str(fitting).unwrap();
            assert!(jsonschema::is_valid(&value, &fitting), "{schema}");
            assert!(jsonschema::is_valid(&folded, &fitting), "{folded}");
        }
    }

    #[test]
    fn whatever_is_left_is_a_schema() {
        for most in (100..1200).step_by(25) {
            if let Some(folded) = folded(&["/legs/0/height", "/place"], most) {
                let value: Value = serde_json::from_str(&folded).unwrap();
                assert!(folded.len() <= most);
                assert!(jsonschema::validator_for(&value).is_ok(), "{folded}");
            }
        }
    }
}
