//! When is the best hit called weak? Often where the search went wrong, seldom where it was right.

use serde_json::{Value, json};
use toolsearch_eval::dataset::Dataset;
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::{Client, Running};

/// Every so many questions are asked.
const STEP: usize = 4;

/// How many answers there were, and how many were called weak.
#[derive(Debug, Default)]
struct Share {
    all: usize,
    weak: usize,
}

impl Share {
    fn add(&mut self, answer: &Value) {
        self.all += 1;
        self.weak += usize::from(answer["weak"] == true);
        let is_said = answer["notes"]
            .to_string()
            .contains("Search again in other words");
        assert_eq!(is_said, answer["weak"] == true, "{answer}");
    }

    fn percent(&self) -> usize {
        assert!(self.all >= 30, "{self:?}");
        100 * self.weak / self.all
    }
}

async fn ask(client: &Client, question: &str) -> Value {
    let asked = json!({"query": question, "limit": 5, "schemas": false});
    let reply = client.call("search_tools", asked).await;
    serde_json::from_str(&reply.text()).expect("an answer that is JSON")
}

#[tokio::test]
async fn weak_is_said_where_the_search_went_wrong() {
    let dataset = Dataset::own().unwrap();
    let unrelated: Vec<String> = serde_json::from_str(include_str!("unrelated.json")).unwrap();
    let tools = Value::from(dataset.tools.clone()).to_string();
    let fake = Fake::modern(&tools, |_| fake::text("unused")).await;
    for embedder in ["builtin", "none"] {
        let running = Running::start(&fake.url, &["--embedder", embedder]).await;
        let client = running.client();
        let [mut first, mut absent, mut nothing] = [(); 3].map(|()| Share::default());
        for question in dataset.asked("test").step_by(STEP) {
            let answer = ask(&client, &question.text).await;
            let hits = answer["tools"].as_array().unwrap();
            let needed: Vec<&str> = question
                .needs
                .iter()
                .flatten()
                .map(|&at| dataset.names[at].as_str())
                .collect();
            let is_needed =
                |hit: &Value| hit["name"].as_str().is_some_and(|it| needed.contains(&it));
            if is_needed(&hits[0]) {
                first.add(&answer);
            } else if !hits.iter().any(is_needed) {
                absent.add(&answer);
            }
        }
        for question in &unrelated {
            nothing.add(&ask(&client, question).await);
        }
        let shares = [&first, &absent, &nothing].map(Share::percent);
        println!("{embedder}: {first:?} {absent:?} {nothing:?} {shares:?}");
        assert!(
            shares[0] <= 15,
            "called weak though right: {embedder}, {shares:?} %"
        );
        assert!(
            shares[1] >= 35 && shares[1] >= 3 * shares[0],
            "{embedder}, {shares:?} %"
        );
        assert!(shares[2] >= 20, "{embedder}, {shares:?} %");
    }
}
