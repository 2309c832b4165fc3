//! Which fields of a resource are no fields? What `kubectl` refuses as a typing slip, without a
//! cluster.

use serde_json::Value;

/// Paths of members that the schema does not know.
///
/// # Errors
/// When the schema cannot be written as JSON, which the tests rule out.
pub fn unknown_fields(resource: &Value) -> Result<Vec<String>, serde_json::Error> {
    let definition = crate::definition()?;
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let mut found = Vec::new();
    walk(
        "spec",
        &resource["spec"],
        &schema["properties"]["spec"],
        &mut found,
    );
    for key in resource
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::keys)
    {
        if !["apiVersion", "kind", "metadata", "spec", "status"].contains(&key.as_str()) {
            found.push(key.clone());
        }
    }
    Ok(found)
}

fn walk(path: &str, value: &Value, schema: &Value, found: &mut Vec<String>) {
    if schema["x-kubernetes-preserve-unknown-fields"] == Value::Bool(true) {
        return;
    }
    match value {
        Value::Object(members)
            if schema["properties"].is_object() || schema["additionalProperties"].is_null() =>
        {
            for (key, inner) in members {
                let path = format!("{path}.{key}");
                match schema["properties"].get(key) {
                    Some(schema) => walk(&path, inner, schema, found),
                    None => found.push(path),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                walk(&format!("{path}[]"), item, &schema["items"], found);
            }
        }
        _ => {}
    }
}
