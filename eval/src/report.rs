//! How are figures shown? Tables for a terminal, in Markdown as well.

use std::fmt::Write as _;

use crate::measure::{Figures, Measured, by, interval, mean};

/// The lines of one set and mode: all questions, then by language, then by kind.
#[must_use]
pub fn table(set: &str, mode: &str, measured: &[Measured]) -> String {
    let mut table = String::new();
    line(&mut table, set, mode, "all", measured);
    for (lang, questions) in by(measured, |question| &question.lang) {
        line(&mut table, set, mode, lang, &questions);
    }
    for (kind, questions) in by(measured, |question| &question.kind)
        .into_iter()
        .filter(|(kind, _)| !kind.is_empty())
    {
        line(&mut table, set, mode, kind, &questions);
    }
    table
}

/// The head of such tables.
#[must_use]
pub const fn head() -> &'static str {
    "| set | mode | questions | n | R@1 | R@3 | R@5 | R@5, 95 % | R@10 | MRR | nDCG@10 |\n\
     |---|---|---|---|---|---|---|---|---|---|---|\n"
}

fn line(table: &mut String, set: &str, mode: &str, questions: &str, measured: &[Measured]) {
    let Figures {
        recall: [r1, r3, r5, r10],
        mrr,
        ndcg,
    } = mean(measured.iter().map(|question| &question.figures));
    let (low, high) = interval(measured);
    // Writing to a string never fails.
    let _ = writeln!(
        table,
        "| {set} | {mode} | {questions} | {} | {r1:.3} | {r3:.3} | {r5:.3} | {low:.3}–{high:.3} | {r10:.3} | {mrr:.3} | {ndcg:.3} |",
        measured.len()
    );
}
