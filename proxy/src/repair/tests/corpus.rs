//! Calls as models get them wrong: each is mended to exactly what was meant, or told the fix.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::repair::{Doubt, mend};
use crate::validate::{Validator, Verdict};

#[derive(Deserialize)]
struct Case {
    schema: Box<RawValue>,
    arguments: Box<RawValue>,
    sent: Option<Value>,
    told: Option<String>,
}

#[test]
fn nearly_all_succeed_or_carry_the_fix_and_no_value_is_altered() {
    let corpus = include_str!("../../../../tests/fixtures/malformed-calls.jsonl");
    let (mut cases, mut missed, mut altered) = (0, Vec::new(), Vec::new());
    for line in corpus.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let validator = Validator::compile(&case.schema);
        let mended = mend(&validator, &case.arguments, Doubt::Neither);
        let found: Option<Value> =
            mended.map(|mended| serde_json::from_str(&mended.arguments).unwrap());
        let given = serde_json::from_str(case.arguments.get()).unwrap();
        let helped = match (&found, &case.sent, &case.told) {
            (Some(found), Some(sent), _) => found == sent,
            (None, None, Some(told)) => match validator.check(&given) {
                Verdict::Violates(all) => all.iter().any(|one| one.message.contains(told)),
                Verdict::Fits | Verdict::Unchecked(_) => false,
            },
            _ => false,
        };
        cases += 1;
        if found.is_some() && found != case.sent {
            altered.push(line);
        }
        if !helped {
            missed.push(line);
        }
    }
    assert!(cases >= 200, "{cases} cases");
    assert!(altered.is_empty(), "altered:\n{}", altered.join("\n"));
    assert!(
        missed.len() * 20 <= cases,
        "{} of {cases} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

/// What a value says, whatever its form: text that is JSON is that JSON, a list of one is its item.
fn reading(value: &Value) -> Value {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if !inner.is_null() && !inner.is_string() => reading(&inner),
            _ => Value::from(text.to_lowercase()),
        },
        Value::Array(items) if items.len() == 1 => reading(&items[0]),
        Value::Array(items) => items.iter().map(reading).collect(),
        Value::Object(members) => members
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.to_lowercase().replace(['-', '_'], ""), reading(value)))
            .collect(),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn whatever_is_mended_says_the_same_and_fits(
        members in proptest::collection::hash_map(
            prop_oneof![Just("n"), Just("N"), Just("my_list"), Just("my-list"), Just("myList"), Just("b"), Just("s"), Just("e"), Just("o"), Just("x")],
            prop_oneof![
                Just("null".to_owned()), Just("true".to_owned()), any::<i32>().prop_map(|n| n.to_string()),
                any::<i64>().prop_map(|n| format!("\"{n}\"")), any::<f32>().prop_filter("finite", |f| f.is_finite()).prop_map(|f| format!("\"{f}\"")),
                "[a-zA-Z0-9 ,]{0,4}".prop_map(|text| format!("{text:?}")),
                Just(r#""[1,\"2\"]""#.to_owned()), Just(r#""{\"n\":\"1\"}""#.to_owned()), Just(r#""true""#.to_owned()), Just(r#""LOW""#.to_owned()),
            ], 0..4),
        likelier in any::<bool>(),
    ) {
        let schema = r##"{"type":"object","properties":{"n":{"type":"number"},"my_list":{"type":"array","items":{"type":"string"}},"b":{"type":["boolean","null"]},
            "s":{"type":"string"},"e":{"enum":["low",1]},"o":{"anyOf":[{"type":"object","properties":{"n":{"type":"integer"}}},{"type":"integer"}]}},"additionalProperties":false}"##;
        let raw = |json: String| RawValue::from_string(json).unwrap();
        let validator = Validator::compile(&raw(schema.to_owned()));
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let given = raw(format!("{{{}}}", members.join(",")));
        let doubt = if likelier { Doubt::Likelier } else { Doubt::Neither };
        if let Some(mended) = mend(&validator, &given, doubt) {
            let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
            let (before, after) = (value(given.get()), value(&mended.arguments));
            prop_assert_eq!(validator.check(&after), Verdict::Fits);
            let without_nulls = reading(&before);
            prop_assert_eq!(without_nulls, reading(&after));
        }
    }
}
