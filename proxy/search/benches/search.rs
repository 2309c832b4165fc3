//! How long does a search take? One query on one core, by size of the list and mode.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolsearch_search::{Document, Embedder, Index, Mode, Vectors, Weights};

const QUERIES: [&str; 4] = [
    "create an issue for a login bug",
    "send an e-mail to the accountant",
    "sukurk naują įvykį kalendoriuje",
    "明日の東京の天気",
];
const VERBS: [&str; 10] = [
    "create", "list", "update", "delete", "search", "send", "export", "approve", "move", "share",
];
const NOUNS: [&str; 20] = [
    "issue",
    "invoice",
    "calendar event",
    "file",
    "message",
    "contact",
    "deployment",
    "machine",
    "report",
    "ticket",
    "page",
    "campaign",
    "order",
    "parcel",
    "flight",
    "recipe",
    "playlist",
    "bucket",
    "secret",
    "branch",
];

/// Made-up tools, each with a text of its own.
fn documents(count: usize) -> Vec<Document> {
    let tool = |number: usize| {
        let (verb, noun) = (VERBS[number % 10], NOUNS[number / 10 % 20]);
        let service = format!("service{}", number / 200);
        let name = format!("{service}_{verb}_{}", noun.replace(' ', "_"));
        let text = format!(
            "{verb}s a {noun} in {service}. Needs the id of the {noun} and, where several are meant, a filter number {number}."
        );
        let schema = json!({"properties": {"id": {"description": format!("Id of the {noun}")}, "filter": {"enum": ["all", "own"]}}});
        Document::new(&name, "", &text, &schema)
    };
    (0..count).map(tool).collect()
}

fn benches(criterion: &mut Criterion) {
    let embedder = Embedder::builtin().expect("the built-in model");
    criterion.bench_function("embed a query", |bench| {
        bench.iter(|| QUERIES.map(|query| embedder.embed(black_box(query))));
    });
    let vectors = Vectors::new(embedder);
    let mut group = criterion.benchmark_group("search");
    for count in [500, 1500, 10_000] {
        let index = Index::build(&documents(count), Some(&vectors)).expect("an index");
        for (name, mode) in [
            ("lexical", Mode::Lexical),
            ("semantic", Mode::Semantic),
            ("hybrid", Mode::Hybrid),
        ] {
            let weights = Weights::default();
            group.throughput(criterion::Throughput::Elements(QUERIES.len() as u64));
            group.bench_function(BenchmarkId::new(name, count), |bench| {
                bench.iter(|| QUERIES.map(|query| index.rank(black_box(query), 8, mode, &weights)));
            });
        }
    }
    group.finish();
    let documents = documents(1500);
    let mut group = criterion.benchmark_group("build an index");
    group.sample_size(10);
    group.bench_function("lexical, 1500", |bench| {
        bench.iter(|| Index::build(&documents, None));
    });
    group.bench_function("hybrid, 1500, new vectors", |bench| {
        let embedder = Embedder::builtin().expect("the built-in model");
        bench.iter(|| Index::build(&documents, Some(&Vectors::new(embedder.clone()))));
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
