//! What does one `search_tools` answer cost a model? A running proxy in front of ever larger
//! catalogs is asked the questions of the test split; what comes back is counted.
//!
//! Started by `toolsearch-eval record`, with the file to write as the argument. It lives here
//! because an answer is what the proxy makes of its hits: `eval` may not know the proxy, and a copy
//! of that code would measure itself.

use anyhow::Context;
use serde_json::{Value, json};
use toolsearch_eval::dataset::Dataset;
use toolsearch_eval::grow::grown;
use toolsearch_eval::records::{AnswerTokens, Answers, Stamp};
use toolsearch_eval::tokens::{SIZES, TOKENIZER, count};
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::{Client, Running};

/// Questions of one size; a part of them, taken evenly, says as much as all.
const ASKED: usize = 300;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let file = std::env::args_os().nth(1).context("which file to write?")?;
    let dataset = Dataset::own()?;
    let questions: Vec<&str> = dataset
        .asked("test")
        .filter(|question| !question.control)
        .map(|question| question.text.as_str())
        .collect();
    let step = questions.len().div_ceil(ASKED).max(1);
    let questions: Vec<&str> = questions.into_iter().step_by(step).collect();
    let mut sizes = Vec::new();
    for size in SIZES {
        let tools = Value::from(grown(&dataset.tools, size)).to_string();
        let fake = Fake::modern(&tools, |_| fake::text("unused")).await;
        let limit = size.to_string();
        let flags = ["--embedder", "builtin", "--max-tools", &limit];
        let running = Running::start(&fake.url, &flags).await;
        sizes.push(ask(&running.client(), size, &questions).await?);
    }
    let answers = Answers {
        recorded: Stamp::now(),
        tokenizer: TOKENIZER.to_owned(),
        sizes,
    };
    let json = serde_json::to_string_pretty(&answers)? + "\n";
    std::fs::write(file, json).context("failed to write the record")
}

async fn ask(client: &Client, tools: usize, questions: &[&str]) -> anyhow::Result<AnswerTokens> {
    let mut tokens = Vec::with_capacity(questions.len());
    for question in questions {
        let reply = client
            .call("search_tools", json!({"query": question}))
            .await;
        let text = reply.text();
        anyhow::ensure!(!reply.is_error(), "{question}: {text}");
        let answer: Value = serde_json::from_str(&text).context("an answer is no JSON")?;
        let total = answer["total"]
            .as_u64()
            .context("an answer without a total")?;
        anyhow::ensure!(
            usize::try_from(total)? == tools,
            "{total} of {tools} tools were listed"
        );
        tokens.push(count(&text));
    }
    tokens.sort_unstable();
    let at = |share: usize| tokens.get((tokens.len() * share / 100).min(tokens.len() - 1));
    let at = |share| at(share).copied().context("no question was asked");
    Ok(AnswerTokens {
        tools,
        questions: tokens.len(),
        p50: at(50)?,
        p95: at(95)?,
        max: at(100)?,
    })
}
