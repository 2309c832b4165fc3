//! What would a check cost at most? Counted before it is made, in steps and not in seconds, so that
//! the same call has the same answer on every machine, and nothing runs on behind an answer.
//!
//! Guarantees: no schema is compiled and no value checked whose cost by this count is beyond a
//! bound; the count itself is bounded. It follows every branch where the validator may stop at the
//! first, and adds up what a reference may mean, so it errs towards "too costly".

use std::collections::HashMap;

use serde_json::Value;

use crate::validate::graph::{Graph, Node};

/// Steps to find out whether a value fits: some 20 ns each.
const MOST_TO_CHECK: u64 = 4_000_000;
/// Steps to find out why it does not, some 2 µs each where every one of them is a complaint.
const MOST_TO_EXPLAIN: u64 = 200_000;
/// Pairs of a subschema and a part of the value that are looked at to count.
const MOST_PAIRS: usize = 200_000;
/// Subschemas inside each other, by members and by references, that a value leads through.
const DEEPEST: usize = 512;
/// Times the validator goes through what stands beside `unevaluated…`.
const UNEVALUATED: u64 = 3;

/// What all checks of one call may still cost together.
#[derive(Debug)]
pub struct Steps(u64);

impl Default for Steps {
    fn default() -> Self {
        Self(2 * MOST_TO_EXPLAIN)
    }
}

/// Steps for one value, by what is asked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    to_check: u64,
    to_explain: u64,
}

impl Cost {
    const UNKNOWN: Self = Self {
        to_check: u64::MAX,
        to_explain: u64::MAX,
    };

    /// Takes the steps of an explanation from what is left of them.
    pub(super) fn take_from(self, left: &mut Steps) -> bool {
        let rest = left.0.checked_sub(self.to_explain);
        left.0 = rest.unwrap_or(left.0);
        rest.is_some() && self.may_explain()
    }

    pub(super) const fn may_check(self) -> bool {
        self.to_check <= MOST_TO_CHECK
    }

    pub(super) const fn may_explain(self) -> bool {
        self.may_check() && self.to_explain <= MOST_TO_EXPLAIN
    }

    const fn of(steps: u64) -> Self {
        Self {
            to_check: steps,
            to_explain: steps,
        }
    }

    const fn add(&mut self, other: Self) {
        self.to_check = self.to_check.saturating_add(other.to_check);
        self.to_explain = self.to_explain.saturating_add(other.to_explain);
    }
}

/// Whether a value is cheap without a closer look, as most are.
pub(super) fn is_small(graph: &Graph, value: &Value) -> bool {
    graph.at_most_each.is_some_and(|each| {
        let mut left = MOST_TO_EXPLAIN / each.max(1);
        fewer_parts(value, &mut left)
    })
}

/// An upper bound for a value.
pub(super) fn of(graph: &Graph, value: &Value) -> Cost {
    let mut count = Count {
        graph,
        known: HashMap::new(),
        pairs: 0,
    };
    count.pair(0, value, 0).unwrap_or(Cost::UNKNOWN)
}

/// Whether a value has at most so many parts.
fn fewer_parts(value: &Value, left: &mut u64) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    match value {
        Value::Array(items) => items.iter().all(|item| fewer_parts(item, left)),
        Value::Object(members) => members.values().all(|member| fewer_parts(member, left)),
        _ => true,
    }
}

struct Count<'a> {
    graph: &'a Graph,
    /// What is referred to, with the address of the part; `None` while it is being counted.
    known: HashMap<(usize, *const Value), Option<Cost>>,
    pairs: usize,
}

impl Count<'_> {
    /// `None` is more than can be counted.
    fn pair(&mut self, id: usize, value: &Value, depth: usize) -> Option<Cost> {
        self.pairs += 1;
        if self.pairs > MOST_PAIRS || depth > DEEPEST {
            return None;
        }
        let node = &self.graph.nodes[id];
        if !node.is_shared {
            return self.node(node, value, depth);
        }
        let key = (id, std::ptr::from_ref(value));
        match self.known.get(&key) {
            Some(Some(cost)) => return Some(*cost),
            // A circle by a dynamic reference, which is read wider here than it is.
            Some(None) => return Some(Cost::of(1)),
            None => _ = self.known.insert(key, None),
        }
        let cost = self.node(node, value, depth)?;
        self.known.insert(key, Some(cost));
        Some(cost)
    }

    fn node(&mut self, node: &Node, value: &Value, depth: usize) -> Option<Cost> {
        let mut cost = Cost::of(node.own);
        for id in node.here.iter().chain(&node.dynamic) {
            cost.add(self.pair(*id, value, depth + 1)?);
        }
        if node.is_unevaluated {
            cost.to_check = cost.to_check.saturating_mul(UNEVALUATED);
            cost.to_explain = cost.to_explain.saturating_mul(UNEVALUATED);
        }
        match value {
            Value::String(text) => {
                cost.add(Cost::of(node.text(text)));
            }
            Value::Array(items) => self.items(node, items, depth, &mut cost)?,
            Value::Object(members) => {
                for (name, member) in members {
                    cost.add(Cost::of(1 + node.name(name)));
                    let property = node.properties.get(name);
                    for id in property.into_iter().chain(&node.members) {
                        cost.add(self.pair(*id, member, depth + 1)?);
                    }
                    if !node.names.is_empty() {
                        // A name has no address of its own.
                        let name = Value::from(name.as_str());
                        let known = std::mem::take(&mut self.known);
                        for id in &node.names {
                            cost.add(self.pair(*id, &name, depth + 1)?);
                        }
                        self.known = known;
                    }
                }
            }
            _ => (),
        }
        if node.is_asked_first {
            // Of alternatives it is asked first whether one fits, then why each does not.
            cost.to_explain = cost.to_explain.saturating_add(cost.to_check);
        }
        Some(cost)
    }

    fn items(&mut self, node: &Node, items: &[Value], depth: usize, cost: &mut Cost) -> Option<()> {
        if node.is_unique {
            let mut left = MOST_TO_CHECK;
            let few = items.iter().all(|item| fewer_parts(item, &mut left));
            if !few {
                return None;
            }
            let parts = MOST_TO_CHECK - left;
            self.pairs += usize::try_from(parts / 8).ok()?;
            cost.add(Cost::of(parts.saturating_mul(4)));
        }
        for (at, item) in items.iter().enumerate() {
            let place = node.places.get(at);
            for id in place.into_iter().chain(&node.items) {
                cost.add(self.pair(*id, item, depth + 1)?);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
