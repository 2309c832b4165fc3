//! How long does the check of one call's arguments take?

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use serde_json::value::RawValue;
use toolsearch_proxy::validate::Validator;

const SCHEMA: &str = r#"{"type":"object","properties":{"title":{"type":"string","minLength":3},"priority":{"enum":["low","normal","high"]},
    "labels":{"type":"array","items":{"type":"string"}},"due":{"type":"string","pattern":"^\\d{4}-\\d\\d-\\d\\d$"}},
    "required":["title"],"additionalProperties":false}"#;

fn benches(criterion: &mut Criterion) {
    let schema = RawValue::from_string(SCHEMA.to_owned()).expect("JSON");
    criterion.bench_function("compile a schema", |bench| {
        bench.iter(|| Validator::compile(black_box(&schema)));
    });
    let validator = Validator::compile(&schema);
    let fitting = json!({"title": "Leak", "priority": "low", "labels": ["a"], "due": "2026-12-01"});
    let wrong = json!({"titel": "Leak", "priority": "hihg"});
    criterion.bench_function("check arguments that fit", |bench| {
        bench.iter(|| validator.check(black_box(&fitting)));
    });
    criterion.bench_function("check arguments that do not", |bench| {
        bench.iter(|| validator.check(black_box(&wrong)));
    });
}

criterion_group!(all, benches);
criterion_main!(all);
