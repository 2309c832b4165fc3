//! The definition is fresh, small, explained field by field, and agrees with the Rust types.

use serde_json::{Value, json};

use super::*;

fn schema() -> Value {
    let crd = serde_json::to_value(ToolSearchProxy::crd()).unwrap();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// Calls `visit` with the path and the schema of every property.
fn walk(path: &str, schema: &Value, visit: &mut impl FnMut(&str, &Value)) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        visit(&path, property);
        walk(&path, property, visit);
        walk(&path, &property["items"], visit);
    }
}

#[test]
fn the_committed_definition_is_fresh() {
    expect_test::expect_file!["../toolsearchproxies.yaml"].assert_eq(&crd_yaml().unwrap());
}

#[test]
fn it_fits_into_an_annotation_many_times_over() {
    assert!(crd_yaml().unwrap().len() < 100 << 10);
}

#[test]
fn every_field_is_explained() {
    walk("", &schema(), &mut |path, property| {
        let words = property["description"].as_str().unwrap_or_default();
        assert!(words.len() > 3, "{path} has no description");
    });
}

#[test]
fn texts_and_lists_of_the_spec_are_bounded() {
    walk(
        "",
        &schema()["properties"]["spec"],
        &mut |path, property| {
            let bound = match property["type"].as_str() {
                Some("string") => "maxLength",
                Some("array") => "maxItems",
                _ => return,
            };
            assert!(property[bound].is_u64(), "{path} has no {bound}");
        },
    );
}

#[test]
fn defaults_of_the_schema_are_those_of_the_types() {
    let bare = json!({ "upstream": { "url": "https://gateway.example/mcp" } });
    let by_serde: v1alpha1::ToolSearchProxySpec = serde_json::from_value(bare.clone()).unwrap();
    let mut by_schema = bare;
    let schema = schema();
    let fields = schema["properties"]["spec"]["properties"]
        .as_object()
        .unwrap();
    for (name, field) in fields {
        if let Some(default) = field.get("default") {
            by_schema[name] = default.clone();
        }
    }
    assert_eq!(by_schema["replicas"], 2);
    assert_eq!(by_schema["model"], json!({ "builtin": {} }));
    assert_eq!(by_serde, serde_json::from_value(by_schema).unwrap());
}

#[test]
fn names_are_those_that_users_type() {
    let crd = serde_json::to_value(ToolSearchProxy::crd()).unwrap();
    assert_eq!(crd["metadata"]["name"], "toolsearchproxies.toolsearch.dev");
    assert_eq!(crd["spec"]["scope"], "Namespaced");
    assert_eq!(crd["spec"]["names"]["shortNames"], json!(["tsp"]));
    assert_eq!(crd["spec"]["names"]["categories"], json!(["mcp"]));
}
