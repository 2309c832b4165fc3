//! Folds are schemas, small, and never narrower than the whole.

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{DETAILS, compact, within};

fn raw(schema: &Value) -> Box<RawValue> {
    RawValue::from_string(schema.to_string()).unwrap()
}

fn folded(schema: &Value, most: usize) -> Value {
    let folded = within(&raw(schema), |json| json.len() <= most).unwrap();
    serde_json::from_str(folded.schema.get()).unwrap()
}

/// Every fold there is, the whole among them.
fn folds(schema: &Value) -> Vec<Value> {
    let asked = std::cell::Cell::new(0);
    let fold = |which| {
        asked.set(0);
        within(&raw(schema), |_| asked.replace(asked.get() + 1) == which)
    };
    let folds = (0..=DETAILS.len()).filter_map(fold);
    folds
        .map(|folded| serde_json::from_str(folded.schema.get()).unwrap())
        .collect()
}

#[test]
fn what_fits_is_whole_but_for_blanks() {
    let text = "{ \"a\" : \"x \\\" y\" ,\n\"b\": [1.10, 2] }";
    assert_eq!(compact(text), r#"{"a":"x \" y","b":[1.10,2]}"#);
    let whole = within(&RawValue::from_string(text.to_owned()).unwrap(), |_| true).unwrap();
    assert!(!whole.is_cut && whole.schema.get() == compact(text));
}

#[test]
fn deep_parts_become_their_type_and_what_they_are_for() {
    let long = "x".repeat(300);
    let deep = json!({"type": "object", "description": "Where to.", "properties": {"street": {"type": "string", "description": long}}});
    let schema = json!({
        "type": "object", "required": ["to"], "additionalProperties": false,
        "properties": {"to": deep, "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    });
    let expected = json!({
        "type": "object", "required": ["to"], "additionalProperties": false,
        "properties": {
            "to": {"type": "object", "description": "…"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    });
    assert_eq!(folded(&schema, expected.to_string().len()), expected);
}

#[test]
fn references_are_followed_and_circles_end() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/n", "description": "First."}, "b": {"$ref": "https://x.example/s"}},
        "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}, "m": {"$ref": "#/$defs/n"}}, "x-pad": "y".repeat(900)}},
    });
    for fold in folds(&schema).into_iter().skip(1) {
        assert!(!fold.to_string().contains("$ref"), "{fold}");
        assert_eq!(fold["properties"]["a"]["type"], "object");
    }
    let wide: serde_json::Map<_, _> = (0..100)
        .map(|n| (format!("p{n}"), json!({"$ref": "#"})))
        .collect();
    let wide = json!({"type": "object", "properties": wide});
    assert!(folded(&wide, 2000).to_string().len() <= 2000);
}

fn schema() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["a", "b", "c", "d"]);
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "string", "integer", "null", "array", "object", "boolean"
        ])
        .prop_map(|name| json!({"type": name})),
        Just(json!({"enum": ["a", 1, null, {"a": 1}, "b", "c", "d"]})),
        Just(json!({"const": {"a": [1]}})),
        Just(json!({"type": "integer", "minimum": 2, "description": "long ".repeat(50)})),
        Just(json!({"$ref": "#/$defs/a"})),
        Just(json!({"$ref": "#/$defs/b", "maxProperties": 1})),
        Just(json!({"$ref": "#/nowhere"})),
        Just(json!({"minContains": 0, "contains": {"type": "string"}})),
        Just(json!(true)),
        Just(json!(false)),
    ];
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        let members = prop::collection::btree_map(name.clone(), inner.clone(), 0..4);
        prop_oneof![
            (members.clone(), inner.clone(), any::<bool>(), any::<u8>()).prop_map(
                |(members, extra, closed, bits)| {
                    let required: Vec<_> = members.keys().take(usize::from(bits % 3)).collect();
                    let extra = if closed { json!(false) } else { extra };
                    let mut schema =
                        json!({"type": "object", "properties": members, "required": required});
                    for (bit, key) in [
                        (4, "additionalProperties"),
                        (8, "unevaluatedProperties"),
                        (16, "propertyNames"),
                        (32, "patternProperties"),
                    ] {
                        if bits & bit != 0 {
                            schema[key] = if bit == 32 {
                                json!({"^a": extra})
                            } else {
                                extra.clone()
                            };
                        }
                    }
                    schema
                }
            ),
            (list.clone(), inner.clone(), any::<bool>()).prop_map(|(list, items, tuple)| {
                if tuple {
                    json!({"prefixItems": list, "items": items})
                } else {
                    json!({"type": "array", "items": items, "uniqueItems": true})
                }
            }),
            (
                list.clone(),
                prop::sample::select(vec!["anyOf", "oneOf", "allOf"])
            )
                .prop_map(|(list, key)| json!({ key: list })),
            (list, inner.clone())
                .prop_map(|(list, one)| json!({"oneOf": list, "anyOf": [one, {"type": "string"}]})),
            (inner.clone(), inner.clone()).prop_map(
                |(a, b)| json!({"not": a, "if": b, "then": {"type": "object"}, "else": a})
            ),
        ]
    })
}

fn instance() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (0..5).prop_map(Value::from),
        prop::sample::select(vec!["a", "b", "x"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        let name = prop::sample::select(vec!["a", "b", "c", "d", "e"]).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Valid, and never narrower than the whole.
    #[test]
    fn a_fold_accepts_all_that_the_whole_accepts(
        schema in schema(),
        a in schema(),
        b in schema(),
        instances in prop::collection::vec(instance(), 30),
    ) {
        let mut schema = match schema { Value::Object(it) => Value::Object(it), other => json!({"anyOf": [other]}) };
        schema["$defs"] = json!({"a": a, "b": b});
        let whole = jsonschema::validator_for(&schema);
        for fold in folds(&schema) {
            prop_assert!(jsonschema::meta::is_valid(&fold), "{fold}");
            let validator = jsonschema::validator_for(&fold);
            let Ok(whole) = &whole else { continue };
            let validator = validator.unwrap();
            for instance in &instances {
                prop_assert!(
                    !whole.is_valid(instance) || validator.is_valid(instance),
                    "{instance} fits {schema} and not {fold}"
                );
            }
        }
    }
}
