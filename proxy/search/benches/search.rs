//! How long does a search take? One query on one core, by size of the list and mode.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::Value;
use toolsearch_search::{Document, Embedder, Index, Mode, Vectors, Weights};

const QUERIES: [&str; 4] = [
    "create an issue for a login bug",
    "send an e-mail to the accountant",
    "sukurk naują įvykį kalendoriuje",
    "明日の東京の天気",
];
const SYLLABLES: [&str; 16] = [
    "ba", "de", "fi", "go", "hu", "ja", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "za",
];

/// The tools of `eval/data`, over and over; each gets a word of its own, so that the number of
/// distinct words grows with the list as in real ones (14,000 at 10,000 tools).
fn documents(count: usize) -> Vec<Document> {
    let catalog: Value = serde_json::from_str(include_str!("../../../eval/data/catalog.json"))
        .expect("the catalog is JSON");
    let tools = catalog["tools"].as_array().expect("the catalog has tools");
    let tool = |number: usize| {
        let tool = &tools[number % tools.len()];
        let text = |key: &str| tool[key].as_str().unwrap_or_default();
        let own: String = (0..4)
            .map(|place| SYLLABLES[(number >> (4 * place)) % 16])
            .collect();
        let (name, description) = (text("name"), text("description"));
        Document::new(
            &format!("{name}_{own}"),
            text("title"),
            description,
            &tool["inputSchema"],
        )
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
