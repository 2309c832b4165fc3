//! C4: each rule takes what it should and refuses what it should, with words that say the fix.
//! Judged by the client's CEL here; the cluster tests repeat the table against an API server.

use serde_json::{Value, json};

use crate::ToolSearchProxy;

fn object(spec: &Value) -> ToolSearchProxy {
    let mut spec = spec.clone();
    if spec.get("upstream").is_none() {
        spec["upstream"] = json!({ "url": "https://gateway.example/mcp" });
    }
    serde_json::from_value(json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": "tools", "namespace": "default" }, "spec": spec
    }))
    .unwrap()
}

fn complaints(spec: &Value) -> String {
    match object(spec).validate_cel() {
        Ok(()) => String::new(),
        Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
    }
}

#[test]
fn c4_every_rule_takes_and_refuses() {
    let table: Value = serde_json::from_str(include_str!("../../rules.json")).unwrap();
    for case in table["accepted"].as_array().unwrap() {
        let said = complaints(case);
        assert!(said.is_empty(), "{case} is refused: {said}");
    }
    for case in table["refused"].as_array().unwrap() {
        let said = complaints(&case["spec"]);
        let words = case["words"].as_str().unwrap();
        assert!(
            said.contains(words),
            "{} says {said:?}, not {words:?}",
            case["spec"]
        );
    }
}

#[test]
fn c4_a_name_is_one_that_a_service_may_have() {
    let named = |name: &str| {
        let mut object = object(&json!({}));
        object.metadata.name = Some(name.to_owned());
        object.validate_cel().is_ok()
    };
    for name in ["tools", "t", "a-1", &"a".repeat(52)] {
        assert!(named(name), "{name} is refused");
    }
    for name in ["my.tools", "1tools", "-a", "a-", "A", "", &"a".repeat(53)] {
        assert!(!named(name), "{name} is taken");
    }
}
