//! What does a model load? Definitions, and the answers of a search.

use std::fmt::Write as _;

use crate::records::{Answers, Tokens};
use crate::table::markdown;

/// The section on definitions.
pub(crate) fn definitions(tokens: &Tokens) -> String {
    let mut text = format!(
        "\
## Tokens

`cargo run --release -p toolsearch-eval -- tokens` counts definitions with the {} tokenizer. Other \
tokenizers count differently; compare ratios. Catalogs larger than the project's own are its tools \
again under other prefixes and with other words (`eval/src/grow.rs`).

",
        tokens.tokenizer
    );
    let rows = tokens.definitions.iter().map(|row| {
        let saved = 100.0 * (1.0 - row.with as f64 / row.without.max(1) as f64);
        vec![
            row.tools.to_string(),
            row.without.to_string(),
            row.with.to_string(),
            format!("{saved:.1} %"),
        ]
    });
    let head = ["tools", "without the proxy", "with it", "saved"];
    text.push_str(&markdown(&head, &rows.collect::<Vec<_>>()));
    let _ = write!(text, "\n{}\n", tokens.recorded);
    text
}

/// The section on answers.
pub(crate) fn answers(answers: &Answers) -> String {
    let mut text = format!(
        "\
### One search answer

`cargo run --release -p toolsearch-tests --bin toolsearch-answers` starts the proxy in front of \
such catalogs, asks the questions of the test split through `search_tools` with no other argument, \
and counts the {} tokens of the answer's text.

",
        answers.tokenizer
    );
    let rows = answers.sizes.iter().map(|row| {
        [row.tools, row.questions, row.p50, row.p95, row.max].map(|number| number.to_string())
    });
    let rows: Vec<Vec<String>> = rows.map(Vec::from).collect();
    text.push_str(&markdown(
        &["tools", "questions", "p50", "p95", "max"],
        &rows,
    ));
    let _ = write!(text, "\n{}\n", answers.recorded);
    text
}
