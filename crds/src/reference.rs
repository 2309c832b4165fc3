//! What may a user write, and what will they read? The reference pages, printed from the schema.

use std::fmt::Write as _;

use serde_json::{Number, Value};

use crate::v1alpha1::{ConditionType, Reason};

/// The reference of every field, in Markdown.
///
/// # Errors
/// When the schema cannot be written as JSON, which the tests rule out.
pub fn reference() -> Result<String, serde_json::Error> {
    let definition = crate::definition()?;
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    let mut page = String::from(
        "# ToolSearchProxy\n\n\
         <!-- Printed from the types in crds/src by their tests; do not edit. -->\n\n\
         Group `toolsearch.dev`, version `v1alpha1`, namespaced; short name `tsp`, category `mcp`. \
         `kubectl explain tsp.spec` prints the same. Required fields are marked with `*`.\n",
    );
    for part in ["spec", "status"] {
        // Writing to a string never fails.
        let _ = write!(
            page,
            "\n## {part}\n\n| field | type | default | what for |\n|---|---|---|---|\n"
        );
        rows(&mut page, part, &schema[part]);
    }
    page.push_str("\n## Rules\n\nRefused with these words by the API server:\n\n");
    let whole = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    for (path, message) in own_rules("metadata.name", whole).chain(rules("spec", &schema["spec"])) {
        let _ = writeln!(page, "- `{path}`: {message}");
    }
    Ok(page)
}

fn rows(page: &mut String, path: &str, schema: &Value) {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        let star = if required.contains(&name.as_str()) {
            "*"
        } else {
            ""
        };
        let default = property
            .get("default")
            .map_or("–".to_owned(), |default| format!("`{default}`"));
        let words = property["description"].as_str().unwrap_or_default();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = words.replace('|', "\\|");
        let _ = writeln!(
            page,
            "| `{path}`{star} | {} | {default} | {words} |",
            kind(property)
        );
        rows(page, &path, property);
        rows(page, &format!("{path}[]"), &property["items"]);
    }
}

fn kind(property: &Value) -> String {
    if property["x-kubernetes-int-or-string"] == Value::Bool(true) {
        return "number or share".to_owned();
    }
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| format!("`{word}`"))
            .collect();
        return words.join(", ");
    }
    match property["type"].as_str() {
        Some("array") => {
            let set = match property["x-kubernetes-list-type"].as_str() {
                Some("set") => "set of ",
                Some("map") => "map of ",
                _ => "list of ",
            };
            format!("{set}{}", kind(&property["items"]))
        }
        Some("object") if property["additionalProperties"].is_object() => "map of texts".to_owned(),
        Some(word) => match (&property["minimum"], &property["maximum"]) {
            (Value::Number(least), Value::Number(most)) => {
                format!("{word}, {} to {}", whole(least), whole(most))
            }
            _ => word.to_owned(),
        },
        None => "any".to_owned(),
    }
}

/// Bounds are floats in a schema.
fn whole(bound: &Number) -> String {
    let text = bound.to_string();
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Every rule's message, with the path of the field it stands at.
fn rules(path: &str, schema: &Value) -> Vec<(String, String)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let inner = properties.flat_map(|(name, property)| {
        let path = format!("{path}.{name}");
        let mut found = rules(&path, property);
        found.extend(rules(&format!("{path}[]"), &property["items"]));
        found
    });
    own_rules(path, schema).chain(inner).collect()
}

/// The rules of this very schema.
fn own_rules<'a>(
    path: &str,
    schema: &'a Value,
) -> impl Iterator<Item = (String, String)> + use<'a> {
    let path = path.to_owned();
    let all = schema["x-kubernetes-validations"].as_array();
    all.into_iter()
        .flatten()
        .filter_map(move |rule| Some((path.clone(), rule["message"].as_str()?.to_owned())))
}

/// The conditions and reasons of the status, as two tables in Markdown.
#[must_use]
pub fn reasons() -> String {
    let mut table = String::from("| reason | what it means |\n|---|---|\n");
    for reason in Reason::ALL {
        let _ = writeln!(table, "| `{}` | {} |", reason.as_str(), reason.meaning());
    }
    let types: Vec<_> = ConditionType::ALL
        .iter()
        .map(|kind| format!("`{}`", kind.as_str()))
        .collect();
    format!("Conditions: {}.\n\n{table}", types.join(", "))
}
