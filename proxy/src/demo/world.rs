//! What do the demo's tools answer? A small world that remembers what was written to it.
//!
//! Every tool of the catalog works: its name says what is done to what ("create issue"), reads
//! answer from a few samples and everything created since, writes change what reads see. One
//! tool is slow and one always fails, so that a client can be watched handling both.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::demo::phrase::{Deed, Phrase};

/// The tool that takes [`World::SLOWNESS`], reporting progress.
pub const SLOW: &str = "querynest_export_table";
/// The tool that always fails.
pub const FAILING: &str = "gaugewell_get_alert_history";

/// Tools and the records they work on.
#[derive(Debug)]
pub struct World {
    tools: Vec<Value>,
    by_name: HashMap<String, usize>,
    records: Mutex<HashMap<String, Vec<Map<String, Value>>>>,
}

/// What a call comes to.
#[derive(Debug)]
pub struct Outcome {
    /// The `result` object of `tools/call`.
    pub result: Value,
    /// How long the answer takes.
    pub takes: Duration,
}

impl World {
    /// How long the slow tool takes.
    pub const SLOWNESS: Duration = Duration::from_secs(3);

    /// A world with these tool definitions, in this order.
    #[must_use]
    pub fn new(tools: Vec<Value>) -> Self {
        let names = tools.iter().enumerate();
        let by_name = names
            .filter_map(|(position, tool)| Some((tool["name"].as_str()?.to_owned(), position)))
            .collect();
        Self {
            tools,
            by_name,
            records: Mutex::default(),
        }
    }

    /// The definitions.
    #[must_use]
    pub fn tools(&self) -> &[Value] {
        &self.tools
    }

    /// Calls a tool; `None` if there is none of this name.
    pub fn call(&self, name: &str, arguments: &Map<String, Value>) -> Option<Outcome> {
        let tool = &self.tools[*self.by_name.get(name)?];
        let takes = if name == SLOW {
            Self::SLOWNESS
        } else {
            Duration::ZERO
        };
        let result = match missing(tool, arguments) {
            Some(property) => failure(&format!("The argument {property:?} is required.")),
            None if name == FAILING => failure(
                "The history is being rebuilt and cannot be read; this demo tool always fails.",
            ),
            None => success(&self.act(&Phrase::parse(name), tool, arguments)),
        };
        Some(Outcome { result, takes })
    }

    fn act(&self, phrase: &Phrase, tool: &Value, arguments: &Map<String, Value>) -> Value {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let records = records
            .entry(phrase.collection())
            .or_insert_with(|| samples(phrase));
        let wanted = wanted_id(arguments);
        let position = wanted.and_then(|id| records.iter().position(|record| record["id"] == *id));
        let reads = tool["annotations"]["readOnlyHint"] == true;
        match (&phrase.deed, position) {
            (Deed::Read | Deed::Other, Some(position)) if reads => json!(records[position]),
            (Deed::Read | Deed::List | Deed::Other, _) if reads => {
                json!({ (phrase.plural()): records, "total": records.len() })
            }
            (Deed::Remove, Some(position)) => json!({ "removed": records.remove(position) }),
            (Deed::Create, _) | (_, None) => {
                let mut record = arguments.clone();
                let number = records.len() + 1;
                record.insert("id".to_owned(), json!(format!("{}-{number}", phrase.noun)));
                records.push(record.clone());
                json!({ (phrase.done()): record })
            }
            (_, Some(position)) => {
                records[position].extend(arguments.clone());
                json!({ (phrase.done()): records[position] })
            }
        }
    }
}

/// Three records that are there from the start.
fn samples(phrase: &Phrase) -> Vec<Map<String, Value>> {
    let noun = &phrase.noun;
    let sample = |number| {
        let mut record = Map::new();
        record.insert("id".to_owned(), json!(format!("{noun}-{number}")));
        record.insert(
            "name".to_owned(),
            json!(format!("Sample {} {number}", noun.replace('_', " "))),
        );
        record
    };
    (1..=3).map(sample).collect()
}

/// The value of the argument that says which record is meant.
fn wanted_id(arguments: &Map<String, Value>) -> Option<&Value> {
    let is_id = |name: &str| {
        let name = name.to_lowercase();
        name == "id" || name.ends_with("_id") || name.ends_with("id") || name == "key"
    };
    arguments
        .iter()
        .find(|(name, value)| is_id(name) && value.is_string())
        .map(|(_, value)| value)
}

fn missing<'a>(tool: &'a Value, arguments: &Map<String, Value>) -> Option<&'a str> {
    let required = tool["inputSchema"]["required"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str);
    required
        .into_iter()
        .find(|property| !arguments.contains_key(*property))
}

fn success(value: &Value) -> Value {
    json!({ "content": [{ "type": "text", "text": value.to_string() }], "structuredContent": value })
}

fn failure(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::World;

    fn world() -> World {
        let tool = |name: &str, reads: bool| {
            json!({"name": name, "inputSchema": {"type": "object", "properties": {}},
                   "annotations": {"readOnlyHint": reads}})
        };
        let mut strict = tool("desk_create_ticket", false);
        strict["inputSchema"]["required"] = json!(["title"]);
        World::new(vec![
            strict,
            tool("desk_list_tickets", true),
            tool("desk_get_ticket", true),
            tool("desk_update_ticket", false),
            tool("desk_delete_ticket", false),
        ])
    }

    fn call(world: &World, name: &str, arguments: Value) -> Value {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        world.call(name, &arguments).unwrap().result
    }

    #[test]
    fn what_is_written_is_read_back() {
        let world = world();
        let before = call(&world, "desk_list_tickets", json!({}));
        assert_eq!(before["structuredContent"]["total"], 3);
        let created = call(
            &world,
            "desk_create_ticket",
            json!({"title": "Leaking roof"}),
        );
        let id = created["structuredContent"]["created"]["id"].clone();
        let read = call(&world, "desk_get_ticket", json!({"ticket_id": id}));
        assert_eq!(read["structuredContent"]["title"], "Leaking roof");
        call(
            &world,
            "desk_update_ticket",
            json!({"ticket_id": id, "title": "Dry"}),
        );
        let read = call(&world, "desk_get_ticket", json!({"ticket_id": id}));
        assert_eq!(read["structuredContent"]["title"], "Dry");
        call(&world, "desk_delete_ticket", json!({"ticket_id": id}));
        let after = call(&world, "desk_list_tickets", json!({}));
        assert_eq!(after["structuredContent"]["total"], 3);
    }

    #[test]
    fn a_missing_argument_is_said() {
        let refused = call(&world(), "desk_create_ticket", json!({}));
        assert_eq!(refused["isError"], true);
        assert!(world().call("desk_nothing", &Map::new()).is_none());
    }
}
