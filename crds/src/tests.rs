//! The definition is fresh, small, explained field by field, and agrees with the Rust types.

mod rules;

use serde_json::{Value, json};

use super::*;

fn schema() -> Value {
    let crd = definition().unwrap();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// Calls `visit` with the path and the schema of every property, of the items of lists (`[]`) and
/// of the values of maps (`{}`).
fn walk(path: &str, schema: &Value, visit: &mut impl FnMut(&str, &Value)) {
    let mut below = |path: String, schema: &Value| {
        visit(&path, schema);
        walk(&path, schema, visit);
    };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        below(format!("{path}.{name}"), property);
    }
    for (mark, key) in [("[]", "items"), ("{}", "additionalProperties")] {
        if schema[key].is_object() {
            below(format!("{path}{mark}"), &schema[key]);
        }
    }
}

#[test]
fn c14_the_committed_definition_is_fresh() {
    expect_test::expect_file!["../toolsearchproxies.yaml"].assert_eq(&crd_yaml().unwrap());
}

#[test]
fn c16_the_reference_page_is_fresh() {
    expect_test::expect_file!["../../docs/api-reference.md"].assert_eq(&format!(
        "{}\n## Reasons\n\n{}",
        reference().unwrap(),
        reasons()
    ));
}

#[test]
fn c2_it_fits_into_an_annotation_many_times_over() {
    let bytes = crd_yaml().unwrap().len();
    assert!(bytes < 100 << 10, "{bytes} bytes");
}

#[test]
fn c16_every_field_is_explained_in_a_sentence() {
    walk("", &schema(), &mut |path, property| {
        let ours = path.starts_with(".spec") || path.starts_with(".status");
        if !ours || path.ends_with("[]") || path.ends_with("{}") {
            return;
        }
        let words = property["description"].as_str().unwrap_or_default();
        assert!(
            words.split_whitespace().count() >= 3 && words.trim_end().ends_with(['.', '`']),
            "{path} is explained with {words:?}, which is no sentence"
        );
    });
}

#[test]
fn c3_texts_lists_and_maps_of_the_spec_are_bounded() {
    let spec = schema()["properties"]["spec"].clone();
    walk("", &spec, &mut |path, property| {
        let bound = match property["type"].as_str() {
            Some("string") if property["enum"].is_array() => return,
            Some("string") => "maxLength",
            Some("array") => "maxItems",
            Some("object") if property["additionalProperties"].is_object() => "maxProperties",
            _ => return,
        };
        assert!(property[bound].is_u64(), "{path} has no {bound}");
    });
}

#[test]
fn c1_one_island_of_unknown_fields_and_no_more() {
    let mut islands = Vec::new();
    walk("", &schema(), &mut |path, property| {
        if property["x-kubernetes-preserve-unknown-fields"] == Value::Bool(true) {
            islands.push(path.to_owned());
        }
    });
    assert_eq!(islands, [".spec.podTemplate"]);
}

/// Fills in the defaults of a schema, as the API server does.
fn fill(schema: &Value, value: &mut Value) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if value.get(name).is_none()
            && let Some(default) = property.get("default")
        {
            value[name] = default.clone();
        }
        if let Some(inner) = value.get_mut(name).filter(|inner| inner.is_object()) {
            fill(property, inner);
        }
    }
}

#[test]
fn c5_defaults_of_the_schema_are_those_of_the_types() {
    let spec = schema()["properties"]["spec"].clone();
    for bare in [
        json!({ "upstream": { "url": "https://gateway.example/mcp" } }),
        json!({
            "upstream": { "url": "https://gateway.example/mcp" },
            "autoscaling": { "maxReplicas": 4 }, "drain": { "delaySeconds": 3 }, "rollout": {},
            "podDisruptionBudget": {}, "service": { "port": 8080 }, "networkPolicy": {}, "monitoring": {}
        }),
    ] {
        let by_serde: v1alpha1::ToolSearchProxySpec = serde_json::from_value(bare.clone()).unwrap();
        let mut by_schema = bare;
        fill(&spec, &mut by_schema);
        assert_eq!(by_schema["model"], json!({ "builtin": {} }));
        // Compared as JSON: read back through serde, a default that the schema lacks would be there.
        let mut by_serde = serde_json::to_value(by_serde).unwrap();
        drop_nulls(&mut by_serde);
        assert_eq!(by_serde, by_schema);
    }
}

#[test]
fn c9_names_are_those_that_users_type() {
    let crd = definition().unwrap();
    assert_eq!(crd["metadata"]["name"], "toolsearchproxies.toolsearch.dev");
    assert_eq!(crd["spec"]["scope"], "Namespaced");
    assert_eq!(crd["spec"]["names"]["shortNames"], json!(["tsp"]));
    assert_eq!(crd["spec"]["names"]["categories"], json!(["mcp"]));
    assert_eq!(crd["spec"]["names"]["singular"], "toolsearchproxy");
}

#[test]
fn c6_c7_lists_say_how_they_merge() {
    let mut untyped = Vec::new();
    walk("", &schema(), &mut |path, property| {
        let kind = property["x-kubernetes-list-type"].as_str();
        let peers = ["allowFrom", "allowTo", "tolerations"];
        let whole = peers.iter().any(|name| path.ends_with(name));
        if property["type"] == "array" && kind.is_none() && !whole {
            untyped.push(path.to_owned());
        }
    });
    assert_eq!(untyped, Vec::<String>::new());
    let conditions = &schema()["properties"]["status"]["properties"]["conditions"];
    assert_eq!(conditions["x-kubernetes-list-type"], "map");
    assert_eq!(conditions["x-kubernetes-list-map-keys"], json!(["type"]));
}

#[test]
fn c8_c10_c11_columns_scale_and_selectable_fields() {
    let crd = definition().unwrap();
    let version = &crd["spec"]["versions"][0];
    let columns: Vec<_> = version["additionalPrinterColumns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        columns,
        [
            "Ready", "Reason", "Replicas", "Upstream", "Model", "Revision", "Age"
        ]
    );
    assert!(version["subresources"]["status"].is_object());
    assert_eq!(
        version["subresources"]["scale"]["labelSelectorPath"],
        ".status.selector"
    );
    assert_eq!(version["selectableFields"].as_array().unwrap().len(), 3);
}

#[test]
fn c12_secrets_are_only_referred_to_and_only_in_the_same_namespace() {
    walk("", &schema()["properties"]["spec"], &mut |path, _| {
        let last = path.rsplit('.').next().unwrap().to_lowercase();
        for word in ["password", "credential", "apikey"] {
            assert!(!last.contains(word), "{path}");
        }
        assert!(last != "namespace" && last != "token", "{path}");
    });
    walk(
        "",
        &schema()["properties"]["spec"],
        &mut |path, property| {
            let last = path.rsplit('.').next().unwrap().to_lowercase();
            // What points at a Secret or a ConfigMap is a name and a key of the same namespace.
            if last.ends_with("ref") || last == "secret" || last == "configmap" {
                let members = property["properties"].as_object().unwrap();
                assert!(members.keys().eq(["key", "name"]), "{path}: {members:?}");
            }
            // A URL is where a password would be written down.
            if ["url", "endpoint", "proxy"]
                .iter()
                .any(|word| last.ends_with(word))
                && last != "noproxy"
            {
                let rules = property["x-kubernetes-validations"].to_string();
                assert!(rules.contains("*@"), "{path} takes a user name: {rules}");
            }
        },
    );
}
