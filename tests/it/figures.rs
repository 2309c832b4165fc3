//! What is measured is what runs: the same recall through `search_tools` of a running proxy as from
//! the ruler, question by question.

use serde_json::{Value, json};
use toolsearch_eval::dataset::Dataset;
use toolsearch_eval::measure::{Metric, judge};
use toolsearch_eval::run::ask;
use toolsearch_proxy::lookup::{self, Query};
use toolsearch_search::{Embedder, Vectors, Weights};
use toolsearch_tests::Running;
use toolsearch_tests::fake::{self, Fake};

/// Every so many questions are asked over the wire.
const STEP: usize = 5;

#[tokio::test]
async fn the_proxy_finds_what_the_ruler_says() {
    let dataset = Dataset::own().unwrap();
    let vectors = Vectors::new(Embedder::builtin().unwrap());
    let run = ask(&dataset, "test", Some(&vectors), &Weights::default()).unwrap();
    let tools = Value::from(dataset.tools.clone()).to_string();
    let fake = Fake::modern(&tools, |_| fake::text("unused")).await;
    let running = Running::start(&fake.url, &["--embedder", "builtin"]).await;
    let client = running.client();
    let mut compared = 0;
    for (question, judged) in dataset.asked("test").zip(&run.questions).step_by(STEP) {
        assert_eq!(question.id, judged.id);
        let asked = json!({"query": question.text, "limit": 5, "schemas": false});
        let reply = client.call("search_tools", asked).await;
        let answer: Value = serde_json::from_str(&reply.text()).unwrap();
        let hits = answer["tools"].as_array().unwrap();
        let position = |hit: &Value| dataset.names.iter().position(|name| hit["name"] == **name);
        let ranking: Vec<usize> = hits.iter().filter_map(position).collect();
        assert_eq!(ranking.len(), 5, "{}: {answer}", question.id);
        let reached = Metric::MAIN.of(&judge(&ranking, &question.needs));
        let said = Metric::MAIN.of(judged.figures.last().unwrap());
        assert!(
            (reached - said).abs() < 1e-9,
            "{}: {reached}, {said}",
            question.id
        );
        compared += 1;
    }
    assert!(compared >= 25, "{compared} questions");
}

#[test]
fn the_example_of_the_search_page_is_what_is_printed() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let page = std::fs::read_to_string(root.join("docs/search.md")).unwrap();
    let tools = lookup::read_catalog(&root.join("eval/data/catalog.json")).unwrap();
    let query = Query {
        text: "who is on call tonight".to_owned(),
        limit: 2,
        explain: true,
    };
    let mut printed = Vec::new();
    let embedder = Some(Embedder::builtin().unwrap());
    lookup::search(&tools, embedder, &query, &mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    assert!(
        page.contains(&printed),
        "docs/search.md shows other figures than:\n{printed}"
    );
}
