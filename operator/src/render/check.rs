//! Would the API server take it? The definition's own schema, and what a schema cannot say but the
//! server checks all the same.

use std::collections::BTreeSet;

use serde_json::Value;
use toolsearch_crds::{definition, unknown_fields};

const VERSION: &str = "toolsearch.dev/v1alpha1";

/// Every mistake of a resource, a sentence each.
pub(super) fn mistakes(resource: &Value) -> Result<Vec<String>, serde_json::Error> {
    let mut found = Vec::new();
    if resource["apiVersion"] != VERSION {
        found.push(format!(
            "apiVersion is {}, not {VERSION}",
            resource["apiVersion"]
        ));
    }
    let metadata = &resource["metadata"];
    if !metadata["name"].is_string() {
        found.push("metadata.name is missing".to_owned());
    }
    if let Some(namespace) = metadata.get("namespace")
        && !namespace.as_str().is_some_and(is_label)
    {
        found.push(format!(
            "metadata.namespace is {namespace}: write small letters, digits and hyphens"
        ));
    }
    let unknown = unknown_fields(resource)?;
    found.extend(
        unknown
            .into_iter()
            .map(|path| format!("{path} is no field")),
    );
    let definition = definition()?;
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let schema = &schema["properties"]["spec"];
    match jsonschema::validator_for(schema) {
        Ok(validator) => found.extend(validator.iter_errors(&resource["spec"]).map(|error| {
            let path = error.instance_path().to_string().replace('/', ".");
            format!("spec{path}: {error}")
        })),
        Err(error) => return Err(serde::ser::Error::custom(error)),
    }
    twice("spec", &resource["spec"], schema, &mut found);
    Ok(found)
}

/// A name that a namespace may have.
fn is_label(name: &str) -> bool {
    let inner = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    (1..=63).contains(&name.len())
        && name.chars().all(|letter| inner(letter) || letter == '-')
        && name.starts_with(inner)
        && name.ends_with(inner)
}

/// Items of sets, and of lists with keys, that stand there more than once.
fn twice(path: &str, value: &Value, schema: &Value, found: &mut Vec<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(inner) = value.get(name) {
            twice(&format!("{path}.{name}"), inner, property, found);
        }
    }
    let Some(items) = value.as_array() else {
        return;
    };
    let keys: Vec<&str> = schema["x-kubernetes-list-map-keys"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut seen = BTreeSet::new();
    for item in items {
        twice(&format!("{path}[]"), item, &schema["items"], found);
        let key = match schema["x-kubernetes-list-type"].as_str() {
            Some("set") => item.to_string(),
            Some("map") => keys
                .iter()
                .map(|key| format!("{key} {}", item[*key]))
                .collect(),
            _ => continue,
        };
        if !seen.insert(key.clone()) {
            found.push(format!("{path} holds {key} twice"));
        }
    }
}
