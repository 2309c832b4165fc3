//! What may be referred to by name? Everything that has an `$id` or an anchor, wherever it stands.

use std::collections::HashMap;

use serde_json::Value;

/// Names of a whole schema; one name may stand for several places, and then means all of them.
pub(super) struct Names<'a> {
    ids: HashMap<&'a str, Vec<&'a Value>>,
    anchors: HashMap<&'a str, Vec<&'a Value>>,
    recursive: Vec<&'a Value>,
}

impl<'a> Names<'a> {
    pub(super) fn of(root: &'a Value) -> Self {
        let mut names = Self {
            ids: HashMap::new(),
            anchors: HashMap::new(),
            recursive: Vec::new(),
        };
        names.find(root);
        names
    }

    fn find(&mut self, value: &'a Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.find(item)),
            Value::Object(members) => {
                if let Some(id) = members.get("$id").and_then(Value::as_str) {
                    let (document, anchor) = id.split_once('#').unwrap_or((id, ""));
                    if !document.is_empty() {
                        self.ids.entry(last(document)).or_default().push(value);
                    }
                    // Until draft 7 an anchor was an `$id`.
                    if !anchor.is_empty() {
                        self.anchors.entry(anchor).or_default().push(value);
                    }
                }
                for keyword in ["$anchor", "$dynamicAnchor"] {
                    if let Some(anchor) = members.get(keyword).and_then(Value::as_str) {
                        self.anchors.entry(anchor).or_default().push(value);
                    }
                }
                if members.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
                    self.recursive.push(value);
                }
                members.values().for_each(|member| self.find(member));
            }
            _ => (),
        }
    }

    /// Resources whose identifier may be this one, by its last part: what it is relative to is
    /// left open.
    pub(super) fn resources(&self, document: &str) -> Vec<&'a Value> {
        self.ids.get(last(document)).cloned().unwrap_or_default()
    }

    pub(super) fn anchored(&self, anchor: &str) -> Vec<&'a Value> {
        self.anchors.get(anchor).cloned().unwrap_or_default()
    }

    pub(super) fn recursive(&self) -> &[&'a Value] {
        &self.recursive
    }
}

fn last(uri: &str) -> &str {
    uri.rsplit(['/', ':']).next().unwrap_or(uri)
}
