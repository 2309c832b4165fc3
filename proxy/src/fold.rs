//! How does a large schema become small? Folded: what is left accepts everything the whole accepts.
//!
//! Only constraints that can be loosened one by one are kept, in places where a looser part makes
//! the whole looser. So `oneOf` becomes `anyOf` (two loosened branches may both match), `not`, `if`
//! and `contains` go, and `additionalProperties` goes where a property went. A subschema that lost
//! something ends its description with "…", but for what only explains (titles, examples) and for
//! a `oneOf` become `anyOf`. What fits nowhere even so is left out whole: `None`. What leads to a
//! place of the arguments that is asked about, and what stands there, is shown at any depth.

mod plain;

use std::cell::Cell;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::spans::{compact, steps};
use plain::{Dialect, LONGEST, is_plain, is_small};

/// A schema that fits.
#[derive(Clone)]
pub(crate) struct Folded {
    pub(crate) schema: Box<RawValue>,
    /// Whether anything was left out.
    pub(crate) is_cut: bool,
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

/// Places of the arguments, as names and indices from here on.
type About<'a> = [&'a [String]];

/// The schema without blanks where that fits, or the most detailed fold that does.
///
/// `about`: places of the arguments (JSON Pointers) that matter more than the rest.
pub(crate) fn within(
    schema: &RawValue,
    about: &[&str],
    fits: impl Fn(&str) -> bool,
) -> Option<Folded> {
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
    let (dialect, follows) = (Dialect::of(&root), is_one_document(&root));
    let about: Vec<Vec<String>> = about.iter().map(|place| steps(place).collect()).collect();
    let about: Vec<&[String]> = about.iter().map(Vec::as_slice).collect();
    DETAILS.into_iter().find_map(|detail| {
        let fold = Fold {
            root: &root,
            detail,
            dialect,
            follows,
            nodes: Cell::new(0),
        };
        let folded = fold.schema(&root, detail.depth, 0, &about).to_string();
        let schema = fits(&folded).then(|| RawValue::from_string(folded).ok())??;
        Some(Folded {
            schema,
            is_cut: true,
        })
    })
}

/// Whether every reference in it starts from its root: a nested `$id` (`id` in the oldest dialect
/// that is read) would be where those below it start.
fn is_one_document(root: &Value) -> bool {
    let name = Dialect::of(root).name();
    fn names(value: &Value, name: &str) -> usize {
        match value {
            Value::Array(items) => items.iter().map(|item| names(item, name)).sum(),
            Value::Object(members) => {
                let below: usize = members.values().map(|value| names(value, name)).sum();
                below + usize::from(members.get(name).is_some_and(Value::is_string))
            }
            _ => 0,
        }
    }
    names(root, name) == usize::from(root.get(name).is_some_and(Value::is_string))
}

struct Fold<'a> {
    root: &'a Value,
    detail: Detail,
    dialect: Dialect,
    follows: bool,
    nodes: Cell<usize>,
}

impl Fold<'_> {
    fn schema(&self, schema: &Value, depth: usize, hops: usize, about: &About<'_>) -> Value {
        let depth = depth.max(usize::from(!about.is_empty()));
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
            return self.referred(reference, (description, members.len()), depth, hops, about);
        } else {
            self.members(members, depth, hops, about)
        };
        self.describe(&mut kept, description.unwrap_or_default(), is_cut, about);
        Value::Object(kept)
    }

    /// What a reference stands for; what stands beside it goes.
    fn referred(
        &self,
        reference: &Value,
        (description, members): (Option<&str>, usize),
        depth: usize,
        hops: usize,
        about: &About<'_>,
    ) -> Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let pointer =
            pointer.filter(|text| self.follows && hops < MOST_HOPS && !text.contains('%'));
        let target = pointer.and_then(|pointer| self.root.pointer(pointer));
        let folded = target.map(|target| self.schema(target, depth, hops + 1, about));
        let is_cut = folded.is_none() || members > 1 + usize::from(description.is_some());
        // `true` has no place for a description; an empty schema says the same.
        let mut folded = folded
            .filter(|folded| folded != &Value::Bool(true))
            .unwrap_or_else(|| Value::Object(Map::new()));
        if let Some(kept) = folded.as_object_mut()
            && (is_cut || description.is_some())
        {
            let theirs = kept.remove("description");
            let theirs = theirs.as_ref().and_then(Value::as_str).unwrap_or_default();
            let is_cut = is_cut || theirs.ends_with('…');
            self.describe(kept, description.unwrap_or(theirs), is_cut, about);
        }
        folded
    }

    fn describe(&self, kept: &mut Map<String, Value>, text: &str, is_cut: bool, about: &About<'_>) {
        let is_asked = about.iter().any(|place| place.is_empty());
        let most = if is_asked {
            self.detail.description.max(DETAILS[0].description)
        } else {
            self.detail.description
        };
        let mut text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.char_indices().nth(most).map(|(at, _)| at);
        text.truncate(end.unwrap_or(text.len()));
        if (is_cut || (end.is_some() && most > 0)) && !text.ends_with('…') {
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
        about: &About<'_>,
    ) -> (Map<String, Value>, bool) {
        let mut kept = Map::new();
        let mut is_cut = false;
        let is_tuple = members.contains_key("prefixItems");
        let (properties, has_all) = self.properties(members, depth, hops, about);
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
                    ("anyOf", self.branches(value, depth, hops, about))
                }
                "anyOf" | "allOf" => (key.as_str(), self.branches(value, depth, hops, about)),
                "items" if depth > 0 && !is_tuple && !value.is_array() => {
                    let below = below(about, |step| step.parse::<usize>().is_ok());
                    ("items", Some(self.schema(value, depth - 1, hops, &below)))
                }
                "additionalProperties" if value == &Value::Bool(true) => continue,
                "additionalProperties" if has_all && !members.contains_key("patternProperties") => {
                    let named = members.get("properties");
                    let below = below(about, |step| named.and_then(|it| it.get(step)).is_none());
                    let part = (depth > 0 || value.is_boolean())
                        .then(|| self.schema(value, depth.saturating_sub(1), hops, &below));
                    (key.as_str(), part)
                }
                "required" => {
                    let part = self.required(value, about);
                    is_cut |= part.as_ref().and_then(Value::as_array).map(Vec::len)
                        != value.as_array().map(Vec::len);
                    (key.as_str(), part)
                }
                "enum" => {
                    let most = if about.is_empty() {
                        self.detail.values
                    } else {
                        self.detail.values.max(DETAILS[0].values)
                    };
                    let small = |list: &&Vec<Value>| {
                        (1..=most).contains(&list.len()) && list.iter().all(is_small)
                    };
                    (
                        key.as_str(),
                        value.as_array().filter(small).map(|_| value.clone()),
                    )
                }
                _ => {
                    let is_kept = is_plain(key, value) && self.dialect.knows(key);
                    (key.as_str(), is_kept.then(|| value.clone()))
                }
            };
            match part {
                Some(part) => _ = kept.insert(name.to_owned(), part),
                None => is_cut = true,
            }
        }
        (kept, is_cut)
    }

    /// The properties that are kept, those asked about and the required ones first, and whether
    /// those are all.
    fn properties(
        &self,
        members: &Map<String, Value>,
        depth: usize,
        hops: usize,
        about: &About<'_>,
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
        names.sort_by_key(|name| (!is_asked(about, name), !is_required(name)));
        names.truncate(self.detail.members);
        let has_all = names.len() == all.len();
        let kept = names.into_iter().map(|name| {
            let below = below(about, |step| step == name);
            let folded = self.schema(&all[name], depth - 1, hops, &below);
            (name.clone(), folded)
        });
        (Some(Value::Object(kept.collect())), has_all)
    }

    fn branches(
        &self,
        value: &Value,
        depth: usize,
        hops: usize,
        about: &About<'_>,
    ) -> Option<Value> {
        let branches = value.as_array()?;
        let fits = (1..=self.detail.members).contains(&branches.len());
        let branches = branches
            .iter()
            .map(|branch| self.schema(branch, depth, hops, about));
        fits.then(|| branches.collect())
    }

    fn required(&self, value: &Value, about: &About<'_>) -> Option<Value> {
        let names = value.as_array()?.iter();
        let mut short: Vec<&Value> = names
            .filter(|name| name.is_string() && is_small(name))
            .collect();
        if short.len() > self.detail.members {
            short.sort_by_key(|name| !name.as_str().is_some_and(|name| is_asked(about, name)));
            short.truncate(self.detail.members);
        }
        Some(short.into_iter().cloned().collect())
    }
}

/// What of the places lies below members of such a name.
fn below<'a>(about: &About<'a>, is_meant: impl Fn(&str) -> bool) -> Vec<&'a [String]> {
    let places = about.iter().filter_map(|place| place.split_first());
    places
        .filter(|(step, _)| is_meant(step))
        .map(|(_, rest)| rest)
        .collect()
}

fn is_asked(about: &About<'_>, name: &str) -> bool {
    about
        .iter()
        .any(|place| place.first().is_some_and(|step| step == name))
}

#[cfg(test)]
mod tests;
