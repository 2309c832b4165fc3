//! Arguments that miss their schema by form, against what they become.

use serde_json::value::RawValue;

use super::{Doubt, mend};
use crate::validate::Validator;

fn mended(schema: &str, arguments: &str, doubt: Doubt) -> Option<String> {
    let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
    let validator = Validator::compile(&raw(schema));
    let first = mend(&validator, &raw(arguments), doubt);
    assert_eq!(
        first,
        mend(&validator, &raw(arguments), doubt),
        "the same bytes each time"
    );
    first.map(|mended| mended.arguments.into())
}

const SCHEMA: &str = r##"{"type":"object","$defs":{"pair":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},
"properties":{"n":{"type":"integer"},"f":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"},
"tags":{"type":"array","items":{"type":"string"}},"ids":{"type":"array","items":{"type":"integer"}},
"e":{"enum":["low","High"]},"user_id":{"type":"string"},"pair":{"$ref":"#/$defs/pair"},
"either":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},"two":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]},
"all":{"allOf":[{"type":"integer"},{"minimum":2}]},"twin":{"enum":["a","A"]}},"additionalProperties":false}"##;

#[test]
fn form_is_mended_and_all_else_stays() {
    for (given, expected) in [
        (r#"{ "n":"5", "f":1.10 }"#, r#"{ "n":5, "f":1.10 }"#),
        (r#"{"f":"1.10"}"#, r#"{"f":1.10}"#),
        (r#"{"b":"true"}"#, r#"{"b":true}"#),
        (r#"{"s":1.10}"#, r#"{"s":"1.10"}"#),
        (
            r#"{"s":12345678901234567890}"#,
            r#"{"s":"12345678901234567890"}"#,
        ),
        (r#"{"s":false}"#, r#"{"s":"false"}"#),
        (r#"{"tags":"x"}"#, r#"{"tags":["x"]}"#),
        (r#"{"ids":7}"#, r#"{"ids":[7]}"#),
        (r#"{"ids":"[1, 2]"}"#, r#"{"ids":[1, 2]}"#),
        (r#"{"e":"HIGH"}"#, r#"{"e":"High"}"#),
        (r#"{"user-id":"a"}"#, r#"{"user_id":"a"}"#),
        (r#"{"userId":"a", "n":1}"#, r#"{"user_id":"a", "n":1}"#),
        (r#"{"n":null}"#, "{}"),
        (r#"{"n":null,"s":"x","b":null}"#, r#"{"s":"x"}"#),
        (r#"{"pair":"{\"n\":\"3\"}"}"#, r#"{"pair":{"n":3}}"#),
        (r#"{"input":{"n": 1}}"#, r#"{"n": 1}"#),
        (r#"{"params":{"n":"1"}}"#, r#"{"n":1}"#),
        (r#"{"either":"true"}"#, r#"{"either":true}"#),
        (r#"{"all":"3"}"#, r#"{"all":3}"#),
    ] {
        let found = mended(SCHEMA, given, Doubt::Neither);
        assert_eq!(found.as_deref(), Some(expected), "{given}");
    }
}

#[test]
fn what_has_two_readings_or_could_lose_something_is_left() {
    for given in [
        r#"{"n":"007"}"#,
        r#"{"n":"12345678901234567890"}"#,
        r#"{"n":"1e3"}"#,
        r#"{"n":" 5"}"#,
        r#"{"n":1.5}"#,
        r#"{"b":"True"}"#,
        r#"{"b":1}"#,
        r#"{"tags":"a, b"}"#,
        r#"{"tags":"[\"a\"]"}"#,
        r#"{"twin":"Á"}"#,
        r#"{"user-id":"a","userId":"b"}"#,
        r#"{"two":"5"}"#,
        r#"{"all":"1"}"#,
        r#"{"pair":{"n":null}}"#,
        r#"{"n":"5","n":"6"}"#,
        r#"{"other":{"n":1}}"#,
    ] {
        assert_eq!(mended(SCHEMA, given, Doubt::Neither), None, "{given}");
    }
    let list = mended(SCHEMA, r#"{"tags":"[\"a\"]"}"#, Doubt::Likelier);
    assert_eq!(list.as_deref(), Some(r#"{"tags":["a"]}"#));
}

#[test]
fn a_string_that_may_be_a_string_stays() {
    let schema =
        r#"{"properties":{"x":{"anyOf":[{"type":"string","maxLength":2},{"type":"object"}]}}}"#;
    assert_eq!(
        mended(schema, r#"{"x":"{\"a\":1}"}"#, Doubt::Likelier),
        None
    );
}

mod corpus;
