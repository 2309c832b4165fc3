//! Schemas and arguments against what a model is told.

use expect_test::{Expect, expect};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Validator, Verdict};

fn check(schema: &str, arguments: &str) -> Verdict {
    let schema = RawValue::from_string(schema.to_owned()).unwrap();
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    Validator::compile(&schema).check(&arguments)
}

fn told(schema: &str, arguments: &str, expected: &Expect) {
    let Verdict::Violates(violations) = check(schema, arguments) else {
        panic!("violates")
    };
    let told = violations
        .iter()
        .map(|v| format!("{:?} {}: {}\n", v.path, v.keyword, v.message));
    expected.assert_eq(&told.collect::<String>());
}

const ISSUE: &str = r#"{"type":"object","properties":{
    "title":{"type":"string","minLength":3},
    "priority":{"enum":["low","normal","high"]},
    "labels":{"type":"array","items":{"type":"string"},"maxItems":2},
    "due":{"type":"string","pattern":"^\\d{4}-\\d\\d-\\d\\d$"},
    "points":{"type":["integer","null"],"minimum":1},
    "owner":{"anyOf":[{"type":"string"},{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}]}
    },"required":["title"],"additionalProperties":false}"#;

#[test]
fn what_fits_fits() {
    let fitting = r#"{"title":"Leak","priority":"low","labels":["a"],"due":"2026-12-01","points":null,"owner":{"id":1}}"#;
    assert_eq!(check(ISSUE, fitting), Verdict::Fits);
}

#[test]
fn a_model_is_told_what_to_mend() {
    told(
        ISSUE,
        r#"{"titel":"Leak","priority":"hihg"}"#,
        &expect![[r#"
            "" required: lacks the required property "title", a string; is "titel" meant? Call it "title"
            "" additionalProperties: has no property "titel"; did you mean "title"?
            "/priority" enum: must be one of "low", "normal", "high"; the nearest is "high", but is the string "hihg"
        "#]],
    );
    told(
        ISSUE,
        r#"{"title":7,"labels":["a","b","c"],"due":"tomorrow","points":0}"#,
        &expect![[r#"
            "/title" type: must be a string, but is the number 7; send "7"
            "/due" pattern: must match the pattern ^\d{4}-\d\d-\d\d$, but is the string "tomorrow"
            "/labels" maxItems: must have at most 2 items, but is an array of 3
            "/points" minimum: must be at least 1, but is the number 0
        "#]],
    );
    told(
        ISSUE,
        r#"{"title":"Leak","owner":{}}"#,
        &expect![[r#"
            "/owner" required: lacks the required property "id", an integer (by the closest of the alternatives)
        "#]],
    );
    told(
        ISSUE,
        "[]",
        &expect![[r#"
        "" type: must be an object, but is an array of 0
    "#]],
    );
}

#[test]
fn long_values_are_cut() {
    let long = "x".repeat(500);
    let Verdict::Violates(violations) = check(r#"{"type":"integer"}"#, &format!("{long:?}")) else {
        panic!()
    };
    assert!(
        violations[0].message.len() < 120,
        "{}",
        violations[0].message
    );
}

#[test]
fn a_schema_that_cannot_be_used_blocks_nothing() {
    let deep = format!(
        "{}{}",
        r#"{"items":"#.repeat(300),
        "{}".to_owned() + &"}".repeat(300)
    );
    for (schema, expected) in [
        (r#"{"type":"nonsense"}"#, "schema_does_not_compile"),
        (
            r#"{"$ref":"https://example.com/schema.json"}"#,
            "schema_does_not_compile",
        ),
        (r##"{"$ref":"#/$defs/missing"}"##, "schema_does_not_compile"),
        (r#"{"pattern":"("}"#, "schema_does_not_compile"),
        (
            r#"{"$schema":"https://example.com/own-dialect"}"#,
            "schema_does_not_compile",
        ),
        (deep.as_str(), "schema_too_deep"),
    ] {
        assert_eq!(
            check(schema, "{}"),
            Verdict::Unchecked(expected),
            "{}",
            &schema[..schema.len().min(80)]
        );
    }
}

#[test]
fn a_pattern_that_takes_for_ever_is_given_up() {
    let schema = r#"{"properties":{"a":{"pattern":"^(?=(a+)+$)(a|aa)+(?<!b)$"}}}"#;
    let arguments = format!(r#"{{"a":"{}b"}}"#, "a".repeat(60));
    assert!(matches!(
        check(schema, &arguments),
        Verdict::Unchecked("pattern_too_slow") | Verdict::Violates(_)
    ));
}

#[test]
fn local_references_and_older_dialects_are_followed() {
    let tree = r##"{"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":"integer"}}}},"$ref":"#/$defs/node"}"##;
    assert_eq!(check(tree, r#"{"next":{"next":{"v":1}}}"#), Verdict::Fits);
    assert!(matches!(
        check(tree, r#"{"next":{"next":{"v":"1"}}}"#),
        Verdict::Violates(_)
    ));
    let draft7 = r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"}],"additionalItems":false}"#;
    assert_eq!(check(draft7, "[1]"), Verdict::Fits);
    assert!(matches!(check(draft7, "[1,2]"), Verdict::Violates(_)));
}
