//! Folds are schemas, small, and never narrower than the whole.

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{DETAILS, within};
use crate::validate::{Validator, Verdict};

fn raw(schema: &Value) -> Box<RawValue> {
    RawValue::from_string(schema.to_string()).unwrap()
}

fn folded(schema: &Value, most: usize) -> Value {
    folded_about(schema, &[], most)
}

fn folded_about(schema: &Value, about: &[&str], most: usize) -> Value {
    let folded = within(&raw(schema), about, |json| json.len() <= most).unwrap();
    serde_json::from_str(folded.schema.get()).unwrap()
}

/// Every fold there is, the whole among them.
fn folds(schema: &Value, about: &[&str]) -> Vec<Value> {
    let asked = std::cell::Cell::new(0);
    let fold = |which| {
        asked.set(0);
        within(&raw(schema), about, |_| {
            asked.replace(asked.get() + 1) == which
        })
    };
    let folds = (0..=DETAILS.len()).filter_map(fold);
    folds
        .map(|folded| serde_json::from_str(folded.schema.get()).unwrap())
        .collect()
}

#[test]
fn what_fits_is_whole_but_for_blanks() {
    let text = "{ \"a\" : \"x \\\" y\" ,\n\"b\": [1.10, 2] }";
    let whole = within(
        &RawValue::from_string(text.to_owned()).unwrap(),
        &[],
        |_| true,
    )
    .unwrap();
    assert!(!whole.is_cut && whole.schema.get() == r#"{"a":"x \" y","b":[1.10,2]}"#);
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
    for fold in folds(&schema, &[]).into_iter().skip(1) {
        assert!(!fold.to_string().contains("$ref"), "{fold}");
        assert_eq!(fold["properties"]["a"]["type"], "object");
    }
    let wide: serde_json::Map<_, _> = (0..100)
        .map(|n| (format!("p{n}"), json!({"$ref": "#"})))
        .collect();
    let wide = json!({"type": "object", "properties": wide});
    assert!(folded(&wide, 2000).to_string().len() <= 2000);
}

#[test]
fn what_is_asked_about_is_shown_at_any_depth() {
    let many: serde_json::Map<_, _> = (0..200)
        .map(|n| (format!("o{n}"), json!({"type": "object", "description": "Of no use here.", "properties": {"x": {"type": "integer"}}})))
        .collect();
    let mut schema = json!({
        "type": "object", "properties": many, "required": ["o1"],
        "$defs": {"leg": {"type": "object", "properties": {"height": {
            "type": "integer", "minimum": 1, "description": "In centimetres, from the floor."
        }, "other": {"enum": (0..40).collect::<Vec<_>>()}}}},
    });
    schema["properties"]["z"] = json!({"type": "array", "items": {"anyOf": [
        {"type": "object", "properties": {"legs": {"type": "array", "items": {"$ref": "#/$defs/leg"}}}},
        {"type": "null"},
    ]}});
    let leg = |fold: &Value| {
        fold["properties"]["z"]["items"]["anyOf"][0]["properties"]["legs"]["items"]["properties"]
            .clone()
    };
    let fold = folded_about(&schema, &["/z/0/legs/3/height", "/z/0/legs/3/other"], 2000);
    assert_eq!(leg(&fold), schema["$defs"]["leg"]["properties"], "{fold}");
    assert_eq!(
        fold["properties"]["o1"]["type"], "object",
        "what is required stays"
    );
    assert!(fold["properties"].get("o7").is_none(), "{fold}");
    assert_eq!(leg(&folded(&schema, 2000)), Value::Null);
}

#[test]
fn a_keyword_of_a_later_dialect_does_not_gain_force() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"a": {"const": 1}, "pad": {"title": "x".repeat(900)}},
    });
    for fold in folds(&schema, &[]) {
        let given = json!({"a": 2});
        assert!(check(&fold, &given) == Verdict::Fits, "{fold}");
    }
}

fn check(schema: &Value, instance: &Value) -> Verdict {
    Validator::compile(&raw(schema)).check(instance)
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
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/$defs/a~1b", "required": ["a"]})),
        Just(json!({"$ref": "#/properties/a"})),
        Just(json!({"$dynamicRef": "#/$defs/a"})),
        Just(json!({"dependentRequired": {"a": ["b"]}, "dependencies": {"b": ["c"]}})),
        Just(json!({"items": [{"type": "string"}], "additionalItems": false})),
        Just(json!({"minimum": 1, "exclusiveMinimum": true})),
        Just(json!({"exclusiveMaximum": 3, "multipleOf": 0.5})),
        Just(json!({"maxItems": 1, "minLength": 1, "pattern": "^[ab]"})),
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
            (inner.clone(), inner.clone()).prop_map(
                |(a, b)| json!({"allOf": [a], "unevaluatedProperties": b, "unevaluatedItems": false})
            ),
            (inner.clone(), any::<bool>()).prop_map(|(a, old)| {
                let id = if old { "id" } else { "$id" };
                json!({id: "http://x.example/n", "$defs": {"a": false, "b": a}, "allOf": [{"$ref": "#/$defs/b"}]})
            }),
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

fn place() -> impl Strategy<Value = String> {
    let step = prop::sample::select(vec!["/a", "/b", "/c", "/0", "/1"]);
    prop::collection::vec(step, 0..5).prop_map(|steps| steps.concat())
}

/// A schema without references, in which every constraint has one place.
fn plain() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string", "maxLength": 3, "description": "Short."})),
        Just(json!({"enum": ["a", 1, null, "b", "c", "d"]})),
        Just(json!({"enum": [{"a": 1}]})),
        Just(json!({"const": "x".repeat(300)})),
        Just(json!({"not": {"type": "null"}})),
        Just(json!(true)),
    ];
    leaf.prop_recursive(5, 60, 14, |inner| {
        let members = |most| prop::collection::btree_map("[a-z]{1,2}", inner.clone(), 0..most);
        prop_oneof![
            (members(3), any::<bool>()).prop_map(|(members, closed)| {
                let required: Vec<_> = members.keys().take(1).collect();
                json!({"properties": members, "required": required, "additionalProperties": !closed})
            }),
            members(14).prop_map(|members| {
                let required: Vec<_> = members.keys().collect();
                json!({"properties": members, "required": required})
            }),
            inner.clone().prop_map(|items| json!({"items": items, "minItems": 1})),
            prop::collection::vec(inner, 1..14).prop_map(|branches| json!({"anyOf": branches})),
        ]
    })
}

/// A place where the fold lacks something of the whole and does not say so.
fn unsaid(whole: &Value, fold: &Value) -> Option<String> {
    let (Some(before), Some(after)) = (whole.as_object(), fold.as_object()) else {
        return (whole != fold).then(|| format!("{whole} became {fold}"));
    };
    let says_so = after
        .get("description")
        .and_then(Value::as_str)
        .is_some_and(|text| text.ends_with('…'));
    let is_whole = |key: &str| match (&before[key], after.get(key)) {
        (_, _) if key == "description" => true,
        (Value::Bool(true), None) => key == "additionalProperties",
        (Value::Object(all), None) => key == "properties" && all.is_empty(),
        (Value::Object(all), Some(Value::Object(kept))) => {
            key != "properties" || all.len() == kept.len()
        }
        (Value::Array(all), Some(Value::Array(kept))) => all.len() == kept.len(),
        (part, kept) => Some(part) == kept,
    };
    if !says_so && !before.keys().all(|key| is_whole(key)) {
        return Some(format!("{whole} became {fold}"));
    }
    after
        .iter()
        .find_map(|(key, kept)| match (key.as_str(), kept) {
            ("properties", Value::Object(kept)) => kept
                .iter()
                .find_map(|(name, kept)| unsaid(&before[key][name], kept)),
            ("anyOf", Value::Array(kept)) => {
                let all = before[key].as_array()?.iter();
                all.zip(kept)
                    .find_map(|(branch, kept)| unsaid(branch, kept))
            }
            ("items" | "additionalProperties", kept) => unsaid(&before[key], kept),
            _ => None,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_fold_says_where_something_is_left_out(schema in plain()) {
        for fold in folds(&schema, &[]) {
            prop_assert_eq!(unsaid(&schema, &fold), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// At any budget (every fold there is, and the one that a budget chooses): JSON and a valid
    /// schema; never stricter than the whole, as our own check reads both; within the budget, or
    /// nothing because not even the smallest is.
    #[test]
    fn a_fold_accepts_all_that_the_whole_accepts(
        schema in schema(),
        defined in prop::array::uniform3(schema()),
        dialect in prop::option::of(prop::sample::select(vec![
            "http://json-schema.org/draft-04/schema#",
            "http://json-schema.org/draft-06/schema#",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-12/schema",
        ])),
        places in prop::collection::vec(place(), 0..3),
        instances in prop::collection::vec(instance(), 30),
        budget in 0..1500_usize,
    ) {
        let mut schema = match schema {
            Value::Object(it) => Value::Object(it),
            other => json!({"anyOf": [other]}),
        };
        let [a, b, c] = defined;
        schema["$defs"] = json!({"a": a, "b": b, "a/b": c});
        if let Some(dialect) = dialect {
            schema["$schema"] = dialect.into();
        }
        let whole = Validator::compile(&raw(&schema));
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let all = folds(&schema, &places);
        let sizes: Vec<usize> = all.iter().map(|fold| fold.to_string().len()).collect();
        match within(&raw(&schema), &places, |json| json.len() <= budget) {
            Some(chosen) => {
                let value: Value = serde_json::from_str(chosen.schema.get()).unwrap();
                prop_assert!(chosen.schema.get().len() <= budget);
                prop_assert_eq!(chosen.is_cut, value != schema);
                prop_assert!(all.contains(&value));
            }
            None => prop_assert!(sizes.iter().all(|size| *size > budget), "{sizes:?}"),
        }
        for fold in all {
            if fold == schema {
                continue;
            }
            prop_assert!(jsonschema::meta::is_valid(&fold), "{fold}");
            let validator = Validator::compile(&raw(&fold));
            prop_assert_eq!(validator.unusable(), None, "{}", fold);
            for instance in &instances {
                let (before, after) = (whole.check(instance), validator.check(instance));
                prop_assert!(
                    before != Verdict::Fits || after == Verdict::Fits,
                    "{instance} fits {schema} and not {fold}"
                );
            }
        }
    }
}
