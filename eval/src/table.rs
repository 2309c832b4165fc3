//! How are the figures of a set shown? One Markdown table, its rankings side by side in each cell.

use std::fmt::Write as _;

use crate::measure::Metric;
use crate::run::{Run, SetRun};

/// The tables of a run, each under a line that says what was asked.
#[must_use]
pub fn run(run: &Run, brief: bool) -> String {
    let mut text = format!(
        "version {}, embedder {}, {}, split {}\n",
        run.version, run.embedder, run.weights, run.split
    );
    for set in &run.sets {
        let _ = write!(
            text,
            "\n{}: {} tools, {} questions; each cell {}\n\n",
            set.set,
            set.tools,
            set.counted().count(),
            set.rankings.join(" / ")
        );
        text.push_str(&table(set, brief));
    }
    text
}

/// The groups of a set: all, then by language, then by kind; with `brief` the first alone.
#[must_use]
pub fn table(set: &SetRun, brief: bool) -> String {
    let best = set.rankings.last().map_or("", String::as_str);
    let names = Metric::ALL.map(Metric::name).join(" | ");
    let mut table = format!("| questions | n | {names} | R@5 {best}, 95 % |\n");
    table.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for group in set.groups().iter().take(if brief { 1 } else { usize::MAX }) {
        let rankings = 0..set.rankings.len();
        let means: Vec<_> = rankings.map(|ranking| group.mean(ranking)).collect();
        let cells = Metric::ALL.map(|metric| {
            let values = means.iter().map(|figures| share(metric.of(figures)));
            values.collect::<Vec<_>>().join(" / ")
        });
        let last = group.estimate(set.rankings.len().saturating_sub(1));
        // Writing to a string never fails.
        let _ = writeln!(
            table,
            "| {} | {} | {} | {}–{} |",
            group.name,
            group.questions.len(),
            cells.join(" | "),
            share(last.low),
            share(last.high)
        );
    }
    table
}

/// A Markdown table.
#[must_use]
pub fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        // Writing to a string never fails.
        let _ = writeln!(table, "| {} |", row.join(" | "));
    }
    table
}

/// A figure between 0 and 1, in three digits and without the zero.
#[must_use]
pub fn share(value: f64) -> String {
    let text = format!("{value:.3}");
    let short = text.strip_prefix('0').filter(|rest| rest.starts_with('.'));
    short.unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{share, table};
    use crate::measure::judge;
    use crate::run::{Judged, SetRun};

    #[test]
    fn rankings_stand_side_by_side() {
        let question = |id: &str, lang: &str, kind: &str, first: usize| Judged {
            id: id.to_owned(),
            lang: lang.to_owned(),
            kind: kind.to_owned(),
            cluster: first,
            control: false,
            figures: vec![judge(&[first], &[vec![0]]), judge(&[1, 0], &[vec![0]])],
        };
        let set = SetRun {
            set: "s".to_owned(),
            digest: String::new(),
            tools: 2,
            rankings: vec!["lexical".to_owned(), "hybrid".to_owned()],
            questions: vec![question("1", "en", "", 0), question("2", "lt", "terse", 1)],
        };
        expect_test::expect![[r"
            | questions | n | R@1 | R@3 | R@5 | R@10 | MRR | nDCG@10 | R@5 hybrid, 95 % |
            |---|---|---|---|---|---|---|---|---|
            | all | 2 | .500 / .000 | .500 / 1.000 | .500 / 1.000 | .500 / 1.000 | .500 / .500 | .500 / .631 | 1.000–1.000 |
            | en | 1 | 1.000 / .000 | 1.000 / 1.000 | 1.000 / 1.000 | 1.000 / 1.000 | 1.000 / .500 | 1.000 / .631 | 1.000–1.000 |
            | lt | 1 | .000 / .000 | .000 / 1.000 | .000 / 1.000 | .000 / 1.000 | .000 / .500 | .000 / .631 | 1.000–1.000 |
            | terse | 1 | .000 / .000 | .000 / 1.000 | .000 / 1.000 | .000 / 1.000 | .000 / .500 | .000 / .631 | 1.000–1.000 |
        "]]
        .assert_eq(&table(&set, false));
        assert_eq!(table(&set, true).lines().count(), 3);
        assert_eq!(share(-0.0123), "-0.012");
    }
}
