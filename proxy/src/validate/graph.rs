//! Which subschemas does a schema lead to, and by which way? Every keyword of every draft that holds
//! schemas, references followed, as numbers: what the cost of a check is counted on.

mod names;

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::validate::pattern::Pattern;
use crate::validate::places::percent_decoded;
use names::Names;

/// References in one schema: compiling takes time that grows with their square.
const MOST_REFERENCES: usize = 4000;
/// References and combinations inside each other that stay at one part of the value.
const DEEPEST: u32 = 256;
/// Subschemas beside `unevaluated…`, each as often as it is referred to: they are compiled so.
const MOST_UNEVALUATED: u64 = 1000;
/// States of all patterns: compiling takes some microseconds for each.
const MOST_STATES: u64 = 1_000_000;

/// A schema as nodes; the first is the root.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// Steps that one part of a value can cost at most, where all parts are alike in that.
    pub(super) at_most_each: Option<u64>,
}

/// One subschema.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Steps of its own keywords.
    pub(super) own: u64,
    /// Whether something refers to it.
    pub(super) is_shared: bool,
    /// Whether it has keywords that ask whether a subschema fits before they ask why not.
    pub(super) is_asked_first: bool,
    pub(super) is_unevaluated: bool,
    pub(super) is_unique: bool,
    /// What applies to the same part of the value.
    pub(super) here: Vec<usize>,
    /// The same by dynamic references, all that they may mean.
    pub(super) dynamic: Vec<usize>,
    pub(super) properties: HashMap<String, usize>,
    /// What may apply to any member.
    pub(super) members: Vec<usize>,
    pub(super) names: Vec<usize>,
    /// What applies to items by their place.
    pub(super) places: Vec<usize>,
    pub(super) items: Vec<usize>,
    pattern: Option<Pattern>,
    name_patterns: Vec<Pattern>,
}

impl Node {
    /// Steps for a text.
    pub(super) fn text(&self, text: &str) -> u64 {
        let pattern = self.pattern.map_or(0, |pattern| pattern.steps(text.len()));
        pattern.saturating_add(text.len() as u64 / 64)
    }

    /// Steps for a member's name.
    pub(super) fn name(&self, name: &str) -> u64 {
        let patterns = self.name_patterns.iter();
        patterns.fold(0, |sum, pattern| {
            sum.saturating_add(pattern.steps(name.len()))
        })
    }
}

/// A reference that is not followed yet.
struct Reference<'a> {
    from: usize,
    text: &'a str,
    /// The resource it stands in.
    within: &'a Value,
    is_dynamic: bool,
}

struct Builder<'a> {
    names: Names<'a>,
    nodes: Vec<Node>,
    known: HashMap<*const Value, usize>,
    references: Vec<Reference<'a>>,
    states: u64,
}

impl Graph {
    /// # Errors
    /// A static name of the reason why the schema must not be compiled.
    pub(super) fn new(root: &Value) -> Result<Self, &'static str> {
        let mut builder = Builder {
            names: Names::of(root),
            nodes: Vec::new(),
            known: HashMap::new(),
            references: Vec::new(),
            states: 0,
        };
        builder.schema(root, root);
        let mut followed = 0;
        while let Some(reference) = builder.references.pop() {
            followed += 1;
            if followed > MOST_REFERENCES {
                return Err("check_too_costly");
            }
            builder.follow(&reference);
        }
        if builder.states > MOST_STATES {
            return Err("check_too_costly");
        }
        let nodes = builder.nodes;
        heights(&nodes)?;
        let at_most_each = at_most_each(&nodes);
        Ok(Self {
            nodes,
            at_most_each,
        })
    }
}

impl<'a> Builder<'a> {
    fn schema(&mut self, schema: &'a Value, within: &'a Value) -> usize {
        if let Some(id) = self.known.get(&std::ptr::from_ref(schema)) {
            return *id;
        }
        let id = self.nodes.len();
        self.known.insert(schema, id);
        self.nodes.push(Node {
            own: 1,
            ..Node::default()
        });
        if let Some(members) = schema.as_object() {
            let within = if members.contains_key("$id") {
                schema
            } else {
                within
            };
            let node = self.node(members, within, id);
            let is_shared = self.nodes[id].is_shared;
            self.nodes[id] = Node { is_shared, ..node };
        }
        id
    }

    fn node(&mut self, members: &'a Map<String, Value>, within: &'a Value, id: usize) -> Node {
        let mut node = Node {
            own: 1,
            ..Node::default()
        };
        for (keyword, value) in members {
            node.own += 1;
            match (keyword.as_str(), value) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(text)) => {
                    self.references.push(Reference {
                        from: id,
                        text,
                        within,
                        is_dynamic: keyword != "$ref",
                    });
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                    node.is_asked_first |= keyword != "allOf";
                    node.here
                        .extend(branches.iter().map(|branch| self.schema(branch, within)));
                }
                ("not" | "if" | "then" | "else", _) => {
                    node.is_asked_first = true;
                    node.here.push(self.schema(value, within));
                }
                ("dependentSchemas" | "dependencies", Value::Object(named)) => {
                    let schemas = named.values().filter(|value| !value.is_array());
                    node.here
                        .extend(schemas.map(|value| self.schema(value, within)));
                    node.own += named.len() as u64;
                }
                ("properties", Value::Object(named)) => {
                    let all = named.iter();
                    node.properties = all
                        .map(|(name, value)| (name.clone(), self.schema(value, within)))
                        .collect();
                    node.own += named.len() as u64;
                }
                ("patternProperties", Value::Object(named)) => {
                    for (pattern, value) in named {
                        node.name_patterns.push(self.pattern(pattern));
                        node.members.push(self.schema(value, within));
                    }
                }
                ("additionalProperties" | "unevaluatedProperties", _) => {
                    node.is_unevaluated |= keyword == "unevaluatedProperties";
                    node.members.push(self.schema(value, within));
                }
                ("propertyNames", _) => node.names.push(self.schema(value, within)),
                ("prefixItems" | "items", Value::Array(items)) => {
                    node.places = items.iter().map(|item| self.schema(item, within)).collect();
                }
                ("items" | "additionalItems" | "contains" | "unevaluatedItems", _) => {
                    node.is_unevaluated |= keyword == "unevaluatedItems";
                    node.is_asked_first |= keyword == "contains";
                    node.items.push(self.schema(value, within));
                }
                ("uniqueItems", Value::Bool(true)) => node.is_unique = true,
                ("pattern", Value::String(text)) => node.pattern = Some(self.pattern(text)),
                ("enum" | "required" | "type", Value::Array(values)) => {
                    node.own += values.len() as u64;
                }
                ("dependentRequired", Value::Object(named)) => {
                    let names = named.values().filter_map(Value::as_array);
                    node.own += names.map(|names| 1 + names.len() as u64).sum::<u64>();
                }
                _ => (),
            }
        }
        node
    }

    fn pattern(&mut self, text: &str) -> Pattern {
        let pattern = Pattern::new(text);
        self.states = self.states.saturating_add(pattern.states);
        pattern
    }

    fn follow(&mut self, reference: &Reference<'a>) {
        let (document, fragment) = reference
            .text
            .split_once('#')
            .unwrap_or((reference.text, ""));
        let resources = match document {
            "" => vec![reference.within],
            _ => self.names.resources(document),
        };
        let fragment = percent_decoded(fragment);
        let mut targets: Vec<&'a Value> = Vec::new();
        if fragment.is_empty() || fragment.starts_with('/') {
            targets.extend(
                resources
                    .iter()
                    .filter_map(|resource| resource.pointer(&fragment)),
            );
        } else {
            targets.extend(self.names.anchored(&fragment));
        }
        if reference.is_dynamic && fragment.is_empty() {
            targets.extend(self.names.recursive());
        }
        for target in targets {
            let to = self.schema(target, reference.within);
            self.nodes[to].is_shared = true;
            let from = &mut self.nodes[reference.from];
            let edges = if reference.is_dynamic {
                &mut from.dynamic
            } else {
                &mut from.here
            };
            if !edges.contains(&to) || !reference.is_dynamic {
                edges.push(to);
            }
        }
    }
}

/// Refuses circles that stay at one part of a value, ways too long, and too much `unevaluated…`.
fn heights(nodes: &[Node]) -> Result<(), &'static str> {
    let mut seen: Vec<Option<Option<(u32, u64)>>> = vec![None; nodes.len()];
    let mut sum = 0_u64;
    for (id, node) in nodes.iter().enumerate() {
        let (_, size) = height(nodes, id, 0, &mut seen)?;
        if node.is_unevaluated {
            sum = sum.saturating_add(size);
        }
    }
    if sum > MOST_UNEVALUATED {
        return Err("check_too_costly");
    }
    Ok(())
}

/// The longest way down and the number of subschemas, each as often as it is met.
fn height(
    nodes: &[Node],
    id: usize,
    depth: u32,
    seen: &mut [Option<Option<(u32, u64)>>],
) -> Result<(u32, u64), &'static str> {
    match seen[id] {
        Some(Some(known)) => return Ok(known),
        Some(None) => return Err("check_too_costly"),
        None if depth > DEEPEST => return Err("schema_too_deep"),
        None => seen[id] = Some(None),
    }
    let (mut highest, mut size) = (0, 1_u64);
    for below in &nodes[id].here {
        let (height, more) = height(nodes, *below, depth + 1, seen)?;
        highest = highest.max(height + 1);
        size = size.saturating_add(more);
    }
    if highest > DEEPEST {
        return Err("schema_too_deep");
    }
    seen[id] = Some(Some((highest, size)));
    Ok((highest, size))
}

/// Where nothing is referred to, no text is matched and nothing is gone through more than once.
fn at_most_each(nodes: &[Node]) -> Option<u64> {
    let is_plain = |node: &Node| {
        !node.is_shared
            && !node.is_unevaluated
            && !node.is_unique
            && node.pattern.is_none()
            && node.name_patterns.is_empty()
            && node.names.is_empty()
    };
    let asked = nodes.iter().filter(|node| node.is_asked_first).count() as u64;
    nodes
        .iter()
        .all(is_plain)
        .then(|| nodes.iter().map(|node| node.own + 1).sum::<u64>() * (asked + 1))
}
