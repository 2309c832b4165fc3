//! How does a large schema become small? Folded: what is left accepts everything the whole accepts.
//!
//! Only constraints that can be loosened one by one are kept, in places where a looser part makes
//! the whole looser. So `oneOf` becomes `anyOf` (two loosened branches may both match), `not`, `if`
//! and `contains` go, and `additionalProperties` goes where a property went. A subschema that lost
//! something ends its description with "…".

use std::cell::Cell;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A schema that fits.
#[derive(Clone)]
pub(super) struct Folded {
    pub(super) schema: Box<RawValue>,
    /// Whether anything was left out.
    pub(super) is_cut: bool,
}

/// How much is kept.
#[derive(Clone, Copy)]
struct Detail {
    /// Levels of properties and items below the root.
    depth: usize,
    /// Characters of a description.
    description: usize,
    /// Values of an enum.
    values: usize,
    /// Properties, required names and branches of one subschema.
    members: usize,
}

const fn detail(depth: usize, description: usize, values: usize, members: usize) -> Detail {
    Detail {
        depth,
        description,
        values,
        members,
    }
}

/// From the most to the least.
const DETAILS: [Detail; 6] = [
    detail(5, 200, 50, 100),
    detail(3, 120, 30, 60),
    detail(2, 80, 20, 40),
    detail(2, 0, 10, 40),
    detail(1, 0, 5, 40),
    detail(1, 0, 0, 12),
];

/// Beyond this nothing is worth reading through for every search.
const LARGEST: usize = 1024 * 1024;
/// Subschemas visited: references can multiply.
const MOST_NODES: usize = 1000;
/// References followed on one path.
const MOST_HOPS: usize = 8;
/// Bytes of a name, a pattern, a default or an enum's value.
const LONGEST: usize = 200;

/// The schema without blanks where that fits, or the most detailed fold that does.
pub(super) fn within(schema: &RawValue, fits: impl Fn(&str) -> bool) -> Option<Folded> {
    let whole = compact(schema.get());
    if fits(&whole) {
        let schema = RawValue::from_string(whole).ok()?;
        return Some(Folded {
            schema,
            is_cut: false,
        });
    }
    if whole.len() > LARGEST {
        return None;
    }
    let root: Value = serde_json::from_str(&whole).ok()?;
    // A nested `$id` would be what the references below it start from.
    let own = usize::from(root.get("$id").is_some());
    let follows = whole.matches("\"$id\"").count() == own;
    DETAILS.into_iter().find_map(|detail| {
        let fold = Fold {
            root: &root,
            detail,
            follows,
            nodes: Cell::new(0),
        };
        let folded = fold.schema(&root, detail.depth, 0).to_string();
        let schema = fits(&folded).then(|| RawValue::from_string(folded).ok())??;
        Some(Folded {
            schema,
            is_cut: true,
        })
    })
}

/// The same JSON without blanks between its parts.
fn compact(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let keep = |character: &char| {
        let is_blank = !inside && matches!(character, ' ' | '\t' | '\r' | '\n');
        if *character == '"' && !escaped {
            inside = !inside;
        }
        escaped = inside && *character == '\\' && !escaped;
        !is_blank
    };
    json.chars().filter(keep).collect()
}

struct Fold<'a> {
    root: &'a Value,
    detail: Detail,
    follows: bool,
    nodes: Cell<usize>,
}

impl Fold<'_> {
    fn schema(&self, schema: &Value, depth: usize, hops: usize) -> Value {
        let Some(members) = schema.as_object() else {
            return if schema.is_boolean() {
                schema.clone()
            } else {
                Value::Object(Map::new())
            };
        };
        self.nodes.set(self.nodes.get() + 1);
        let description = members.get("description").and_then(Value::as_str);
        let (mut kept, is_cut) = if self.nodes.get() > MOST_NODES {
            (Map::new(), true)
        } else if let Some(reference) = members.get("$ref") {
            return self.referred(reference, description, members.len(), depth, hops);
        } else {
            self.members(members, depth, hops)
        };
        self.describe(&mut kept, description.unwrap_or_default(), is_cut);
        Value::Object(kept)
    }

    /// What a reference stands for; what stands beside it goes.
    fn referred(
        &self,
        reference: &Value,
        description: Option<&str>,
        members: usize,
        depth: usize,
        hops: usize,
    ) -> Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let pointer =
            pointer.filter(|text| self.follows && hops < MOST_HOPS && !text.contains('%'));
        let target = pointer.and_then(|pointer| self.root.pointer(pointer));
        let folded = target.map(|target| self.schema(target, depth, hops + 1));
        let is_cut = folded.is_none() || members > 1 + usize::from(description.is_some());
        let mut folded = folded.unwrap_or_else(|| Value::Object(Map::new()));
        if let Some(kept) = folded.as_object_mut()
            && (is_cut || description.is_some())
        {
            let theirs = kept.remove("description");
            let theirs = theirs.as_ref().and_then(Value::as_str).unwrap_or_default();
            let is_cut = is_cut || theirs.ends_with('…');
            self.describe(kept, description.unwrap_or(theirs), is_cut);
        }
        folded
    }

    fn describe(&self, kept: &mut Map<String, Value>, text: &str, is_cut: bool) {
        let mut text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text
            .char_indices()
            .nth(self.detail.description)
            .map(|(at, _)| at);
        text.truncate(end.unwrap_or(text.len()));
        if (is_cut || (end.is_some() && self.detail.description > 0)) && !text.ends_with('…') {
            text.push('…');
        }
        if !text.is_empty() {
            kept.insert("description".to_owned(), text.into());
        }
    }

    fn members(
        &self,
        members: &Map<String, Value>,
        depth: usize,
        hops: usize,
    ) -> (Map<String, Value>, bool) {
        let mut kept = Map::new();
        let mut is_cut = false;
        let is_tuple = members.contains_key("prefixItems");
        let (properties, has_all) = self.properties(members, depth, hops);
        is_cut |= !has_all;
        if let Some(properties) = properties {
            kept.insert("properties".to_owned(), properties);
        }
        for (key, value) in members {
            let (name, part) = match key.as_str() {
                "properties" | "description" | "title" | "examples" | "$schema" | "$id"
                | "$comment" | "$defs" | "definitions" | "deprecated" | "readOnly"
                | "writeOnly" => continue,
                "oneOf" if !members.contains_key("anyOf") => {
                    ("anyOf", self.branches(value, depth, hops))
                }
                "anyOf" | "allOf" => (key.as_str(), self.branches(value, depth, hops)),
                "items" if depth > 0 && !is_tuple && !value.is_array() => {
                    ("items", Some(self.schema(value, depth - 1, hops)))
                }
                "additionalProperties" if value == &Value::Bool(true) => continue,
                "additionalProperties" if has_all && !members.contains_key("patternProperties") => {
                    let part = (depth > 0 || value.is_boolean())
                        .then(|| self.schema(value, depth.saturating_sub(1), hops));
                    (key.as_str(), part)
                }
                "required" => {
                    let part = self.required(value);
                    is_cut |= part.as_ref().and_then(Value::as_array).map(Vec::len)
                        != value.as_array().map(Vec::len);
                    (key.as_str(), part)
                }
                "enum" => {
                    let small = |list: &&Vec<Value>| {
                        (1..=self.detail.values).contains(&list.len()) && list.iter().all(is_small)
                    };
                    (
                        key.as_str(),
                        value.as_array().filter(small).map(|_| value.clone()),
                    )
                }
                _ => (key.as_str(), is_plain(key, value).then(|| value.clone())),
            };
            match part {
                Some(part) => _ = kept.insert(name.to_owned(), part),
                None => is_cut = true,
            }
        }
        (kept, is_cut)
    }

    /// The properties that are kept, the required ones first, and whether those are all.
    fn properties(
        &self,
        members: &Map<String, Value>,
        depth: usize,
        hops: usize,
    ) -> (Option<Value>, bool) {
        let Some(all) = members.get("properties").and_then(Value::as_object) else {
            return (None, true);
        };
        if depth == 0 {
            return (None, all.is_empty());
        }
        let required = members.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|list| list.iter().any(|it| it.as_str() == Some(name)))
        };
        let mut names: Vec<&String> = all.keys().filter(|name| name.len() <= LONGEST).collect();
        names.sort_by_key(|name| !is_required(name));
        names.truncate(self.detail.members);
        let has_all = names.len() == all.len();
        let kept = names
            .into_iter()
            .map(|name| (name.clone(), self.schema(&all[name], depth - 1, hops)));
        (Some(Value::Object(kept.collect())), has_all)
    }

    fn branches(&self, value: &Value, depth: usize, hops: usize) -> Option<Value> {
        let branches = value.as_array()?;
        let fits = (1..=self.detail.members).contains(&branches.len());
        let branches = branches
            .iter()
            .map(|branch| self.schema(branch, depth, hops));
        fits.then(|| branches.collect())
    }

    fn required(&self, value: &Value) -> Option<Value> {
        let names = value.as_array()?.iter();
        let short = names.filter(|name| name.is_string() && is_small(name));
        Some(short.take(self.detail.members).cloned().collect())
    }
}

/// Whether a member is a constraint that means the same wherever it stands, in its usual form.
fn is_plain(key: &str, value: &Value) -> bool {
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

fn is_small(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= LONGEST,
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests;
