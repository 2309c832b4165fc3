//! What would a larger catalog look like? The project's own, again and again: under other prefixes
//! and with other words, so that no two tools have the same text. The same at every call.

use serde_json::Value;

/// Words that tools are described with, each with others that mean nearly the same.
const WORDS: [&[&str]; 16] = [
    &["lists", "shows", "enumerates", "returns all"],
    &["creates", "adds", "opens", "makes"],
    &["updates", "changes", "edits", "modifies"],
    &["deletes", "removes", "erases", "drops"],
    &["finds", "looks up", "searches for", "locates"],
    &["reads", "gets", "fetches", "retrieves"],
    &["sends", "delivers", "posts", "dispatches"],
    &["issue", "ticket", "work item", "case"],
    &["file", "document", "attachment", "object"],
    &["customer", "client", "account holder", "buyer"],
    &["message", "note", "notice", "entry"],
    &["project", "workspace", "programme", "space"],
    &["user", "member", "person", "colleague"],
    &["report", "summary", "overview", "statement"],
    &["name", "title", "label", "caption"],
    &["date", "day", "point in time", "deadline"],
];
const PREFIXES: [&str; 12] = [
    "north", "south", "harbor", "meadow", "granite", "ember", "willow", "cobalt", "summit",
    "delta", "orchid", "falcon",
];

/// A catalog of this many tools: the first ones unchanged, then their copies.
#[must_use]
pub fn grown(tools: &[Value], count: usize) -> Vec<Value> {
    let copies = (0..).flat_map(|copy| tools.iter().map(move |tool| copied(tool, copy)));
    if tools.is_empty() {
        return Vec::new();
    }
    copies.take(count).collect()
}

fn copied(tool: &Value, copy: usize) -> Value {
    let mut tool = tool.clone();
    if copy == 0 {
        return tool;
    }
    let prefix = prefix(copy);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    tool["name"] = Value::from(format!("{prefix}_{}", text(&tool["name"])));
    let described = text(&tool["description"]);
    tool["description"] = Value::from(format!("{} In {prefix}.", varied(&described, copy)).trim());
    let parameters = tool["inputSchema"]["properties"].as_object_mut();
    for parameter in parameters.into_iter().flat_map(serde_json::Map::values_mut) {
        if let Some(described) = parameter.get("description").and_then(Value::as_str) {
            parameter["description"] = Value::from(varied(described, copy));
        }
    }
    tool
}

fn prefix(copy: usize) -> String {
    let (round, name) = (copy / PREFIXES.len(), PREFIXES[copy % PREFIXES.len()]);
    if round == 0 {
        name.to_owned()
    } else {
        format!("{name}{round}")
    }
}

/// The text with each known word changed for the next of its like, as many steps as copies.
fn varied(text: &str, copy: usize) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', '.', ';', ':']);
        let (lower, tail) = (bare.to_lowercase(), &word[bare.len()..]);
        let alike = WORDS.iter().find(|words| words[0] == lower);
        let Some(alike) = alike else {
            return word.to_owned();
        };
        let chosen = alike[copy % alike.len()];
        let capital = bare.starts_with(char::is_uppercase);
        let chosen: String = if capital {
            chosen[..1].to_uppercase() + &chosen[1..]
        } else {
            chosen.to_owned()
        };
        format!("{chosen}{tail}")
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::grown;

    #[test]
    fn copies_have_names_and_words_of_their_own() {
        let tools = [
            json!({"name": "t_list", "description": "Lists the file, if any.", "inputSchema":
                {"properties": {"id": {"description": "user id"}}}}),
            json!({"name": "t_bare"}),
        ];
        let grown = grown(&tools, 101);
        assert_eq!(grown.len(), 101);
        assert_eq!(grown[..2], tools);
        assert_eq!(grown[2]["name"], "south_t_list");
        assert_eq!(
            grown[2]["description"],
            "Shows the document, if any. In south."
        );
        assert_eq!(
            grown[2]["inputSchema"]["properties"]["id"]["description"],
            "member id"
        );
        for part in ["name", "description"] {
            let distinct: HashSet<String> =
                grown.iter().map(|tool| tool[part].to_string()).collect();
            assert!(distinct.len() > 50, "{part}: {}", distinct.len());
        }
    }
}
