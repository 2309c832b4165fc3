//! Schemas that would take for ever, and ordinary ones that must not be taken for such.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::repair::{Doubt, mend};
use crate::validate::{Validator, Verdict};

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn check(schema: &Value, value: &Value) -> Verdict {
    Validator::compile(&raw(schema)).check(value)
}

const TOO_COSTLY: Verdict = Verdict::Unchecked("check_too_costly");

/// Each definition uses the next one twice.
fn doubling(times: usize, keyword: &str, last: &Value) -> Value {
    let mut definitions = Map::new();
    for at in 0..times {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        definitions.insert(format!("d{at}"), json!({keyword: [next, next]}));
    }
    definitions.insert(format!("d{times}"), last.clone());
    json!({"$defs": definitions, "properties": {"a": {"$ref": "#/$defs/d0"}}})
}

#[test]
fn references_that_double_are_given_up() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = doubling(60, keyword, &json!({"type": "integer"}));
        for value in [json!({"a": 1}), json!({"a": "x"})] {
            assert_eq!(check(&schema, &value), TOO_COSTLY, "{keyword}");
            assert!(
                mend(
                    &Validator::compile(&raw(&schema)),
                    &raw(&value),
                    Doubt::Likelier
                )
                .is_none()
            );
        }
        // What the doubling does not speak about is checked as ever.
        assert_eq!(check(&schema, &json!({"b": 1})), Verdict::Fits);
        let schema = doubling(6, keyword, &json!({"type": "integer"}));
        assert!(matches!(
            check(&schema, &json!({"a": "x"})),
            Verdict::Violates(_)
        ));
    }
}

#[test]
fn doubling_beside_unevaluated_is_not_even_compiled() {
    let mut schema = doubling(40, "allOf", &json!({"properties": {"b": {}}}));
    schema["properties"]["a"]["unevaluatedProperties"] = json!(false);
    assert_eq!(
        Validator::compile(&raw(&schema)).unusable(),
        Some("check_too_costly")
    );
    let mut nested = json!({"properties": {"a": true}});
    for _ in 0..50 {
        nested = json!({"allOf": [nested], "unevaluatedProperties": false});
    }
    assert!(matches!(
        check(&nested, &json!({"a": 1})),
        Verdict::Unchecked(_)
    ));
}

#[test]
fn alternatives_that_recur_are_given_up_where_the_value_is_deep() {
    let next = json!({"$ref": "#/$defs/n"});
    let schema = json!({"$defs": {"n": {"anyOf": [
        {"properties": {"c": next}, "required": ["c", "x"]},
        {"properties": {"c": next}, "required": ["c", "y"]},
    ]}}, "$ref": "#/$defs/n"});
    let deep = |levels| (0..levels).fold(json!({}), |inner, _| json!({"c": inner}));
    assert_eq!(check(&schema, &deep(60)), TOO_COSTLY);
    assert!(matches!(check(&schema, &deep(4)), Verdict::Violates(_)));
}

#[test]
fn circles_and_chains_of_references_overflow_no_stack() {
    let chain = |length: usize| {
        let mut definitions = Map::new();
        for at in 0..length {
            definitions.insert(
                format!("d{at}"),
                json!({"$ref": format!("#/$defs/d{}", at + 1)}),
            );
        }
        definitions.insert(format!("d{length}"), json!({"type": "object"}));
        json!({"$defs": definitions, "$ref": "#/$defs/d0"})
    };
    assert_eq!(check(&chain(100), &json!({})), Verdict::Fits);
    assert_eq!(
        check(&chain(1000), &json!({})),
        Verdict::Unchecked("schema_too_deep")
    );
    assert_eq!(check(&chain(20_000), &json!({})), TOO_COSTLY);
    assert_eq!(
        check(&json!({"allOf": [{"$ref": "#"}]}), &json!({})),
        TOO_COSTLY
    );
    // Each of twelve refers to all others: without the bound this takes the factorial of it.
    let all: Map<String, Value> = (0..12)
        .map(|at| {
            let others = (0..12).filter(|other| *other != at);
            let others: Vec<Value> = others
                .map(|other| json!({"$ref": format!("#/$defs/{other}")}))
                .collect();
            (at.to_string(), json!({"allOf": others}))
        })
        .collect();
    assert_eq!(
        check(&json!({"$defs": all, "$ref": "#/$defs/0"}), &json!({})),
        TOO_COSTLY
    );
    // A chain that comes back through a member, under a value as deep as a value can be.
    let mut around = chain(200);
    around["$defs"]["d200"] = json!({"properties": {"a": {"$ref": "#"}}});
    let deep = (0..120).fold(json!({}), |inner, _| json!({"a": inner}));
    assert_eq!(check(&around, &deep), TOO_COSTLY);
}

#[test]
fn patterns_are_counted() {
    let many: Map<String, Value> = (0..2000)
        .map(|at| {
            (
                format!("p{at}"),
                json!({"pattern": format!(r"\w{{90}}{at}")}),
            )
        })
        .collect();
    assert_eq!(check(&json!({"properties": many}), &json!({})), TOO_COSTLY);
    let slow = json!({"items": {"pattern": "^(?=(a|aa)+$)(a|aa)+c(?<!b)$"}});
    let texts = vec![json!("a".repeat(60)); 1000];
    assert_eq!(check(&slow, &json!(texts)), TOO_COSTLY);
    let usual = json!({"items": {"pattern": r"^(?!.*--)[a-z0-9-]{1,63}$"}});
    assert_eq!(check(&usual, &json!(vec!["a-name"; 50])), Verdict::Fits);
}

#[test]
fn large_values_of_ordinary_schemas_are_checked() {
    let row = json!({"id": 7, "name": "x", "tags": ["a", "b"], "at": {"x": 1, "y": 2}});
    let point =
        json!({"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}});
    let schema = json!({"$defs": {"point": point, "row": {
        "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": {"id": {"type": "integer"}, "name": {"type": "string", "pattern": "^[a-z]+$"},
            "tags": {"items": {"type": "string"}, "uniqueItems": true}, "at": {"$ref": "#/$defs/point"}},
    }}, "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}}});
    let rows = json!({"rows": vec![row; 5000]});
    assert_eq!(check(&schema, &rows), Verdict::Fits);
}

#[test]
fn words_as_long_as_a_page_are_not_compared() {
    let schema = json!({"properties": {"a": {"enum": ["x".repeat(50_000), "y"]}}, "additionalProperties": false});
    let value = json!({"a": "x".repeat(49_999), "b".repeat(50_000): 1});
    assert!(matches!(check(&schema, &value), Verdict::Violates(_)));
}
