//! How long does a search take? One query on one core, by size of the list and mode.
//!
//! Means are criterion's. What it does not tell is measured by a loop of its own: how long the
//! slowest of a hundred queries take, and how scoring vectors compares with only reading them.
//! That goes to `search/loops.json` in the target folder for `toolsearch-eval record`.

use std::hint::black_box;
use std::io::Write;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use toolsearch_search::{
    Document, Embedder, Index, Mode, Vectors, Weights, fixed, products_of_fixed,
};

const QUERIES: [&str; 4] = [
    "create an issue for a login bug",
    "send an e-mail to the accountant",
    "sukurk naują įvykį kalendoriuje",
    "明日の東京の天気",
];
const MISSPELT: [&str; 4] = [
    "craete an isue for a loggin bug",
    "sned an email to the acountant",
    "shcedule a meetting with evreyone",
    "sukrti nauja ivyki kalendoriuej",
];
/// Identifiers that no tool has.
const MISNAMED: [&str; 4] = [
    "trackwell_craete_issue",
    "daymark_lsit_evnts",
    "nimbus_getForcast",
    "pagerook_whos_on_call",
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
    let mut group = criterion.benchmark_group("build an index");
    group.sample_size(10);
    for count in [1500, 10_000] {
        let documents = documents(count);
        group.bench_function(format!("lexical, {count}"), |bench| {
            bench.iter(|| Index::build(&documents, None));
        });
        group.bench_function(format!("hybrid, {count}, new vectors"), |bench| {
            let embedder = Embedder::builtin().expect("the built-in model");
            bench.iter(|| Index::build(&documents, Some(&Vectors::new(embedder.clone()))));
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("start");
    group.sample_size(10);
    group.bench_function("open the built-in model", |bench| {
        bench.iter(Embedder::builtin);
    });
    group.finish();
}

/// The nanoseconds that one call takes, many times, in order of length.
#[expect(clippy::disallowed_types, reason = "a benchmark has no paused clock")]
fn times(rounds: usize, mut calls: impl FnMut(usize)) -> Vec<f64> {
    let timed = (0..rounds).map(|round| {
        let begin = std::time::Instant::now();
        calls(round);
        begin.elapsed().as_secs_f64() * 1e9
    });
    let mut times: Vec<f64> = timed.collect();
    times.sort_by(f64::total_cmp);
    times
}

const ROUNDS: usize = 2000;

fn loops(_: &mut Criterion) {
    let mut kept: Vec<(String, f64)> = Vec::new();
    let vectors = Vectors::new(Embedder::builtin().expect("the built-in model"));
    let index = Index::build(&documents(10_000), Some(&vectors)).expect("an index");
    for (kind, queries) in [
        ("well spelt", QUERIES),
        ("misspelt", MISSPELT),
        ("a tool's name, misspelt", MISNAMED),
    ] {
        let times = times(ROUNDS, |round| {
            black_box(index.search(black_box(queries[round % queries.len()]), 8));
        });
        for (share, percent) in [("p50", 50), ("p99", 99)] {
            let time = times[ROUNDS * percent / 100];
            kept.push((format!("one of 10000/{kind}/{share}"), time));
        }
    }
    let row: Vec<f32> = (0..=255_u8)
        .map(|place| f32::from(place % 7) / 100.0)
        .collect();
    let query: Vec<i16> = fixed(&row).collect();
    let rows = query.repeat(10_000);
    // In turn, so that both meet the same neighbours on the machine.
    let (mut sum, mut products) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        sum.extend(times(1, |_| {
            let plain = |sum: i16, number: &i16| sum.wrapping_add(*number);
            black_box(black_box(&rows).iter().fold(0, plain));
        }));
        products.extend(times(1, |_| {
            black_box(products_of_fixed(black_box(&rows), black_box(&query)));
        }));
    }
    for (name, mut times) in [("plain sum", sum), ("products", products)] {
        times.sort_by(f64::total_cmp);
        kept.push((format!("vectors of 10000/{name}"), times[ROUNDS / 2]));
    }
    let mut out = std::io::stdout().lock();
    for (name, ns) in &kept {
        let _ = writeln!(out, "{name}: {:.1} µs", ns / 1e3);
    }
    if let [.., (_, sum), (_, products)] = &kept[..] {
        let _ = writeln!(
            out,
            "ratio: products take {:.2} times a plain sum",
            products / sum
        );
    }
    keep(&kept).expect("the target folder can be written");
}

/// Where the record of benchmarks looks for it: this program is `target/release/deps/search-…`.
fn keep(timings: &[(String, f64)]) -> std::io::Result<()> {
    let program = std::env::current_exe()?;
    let folder = program
        .ancestors()
        .nth(3)
        .unwrap_or(&program)
        .join("search");
    std::fs::create_dir_all(&folder)?;
    let timings = timings
        .iter()
        .map(|(id, ns)| json!({"id": id, "ns": ns.round()}));
    let timings: Value = timings.collect();
    std::fs::write(folder.join("loops.json"), timings.to_string())
}

criterion_group!(all, benches, loops);
criterion_main!(all);
