//! Is B better than A? A paired bootstrap over the questions that both runs answered, and which of
//! them moved: a mean alone hides that what was gained here was lost there.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use anyhow::{Context, bail};

use crate::bootstrap::estimate;
use crate::measure::Metric;
use crate::run::{Run, SetRun};

/// What to compare.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The ranking looked at ("hybrid"); a run that lacks it is compared by its last.
    pub ranking: String,
    /// The figure looked at.
    pub metric: Metric,
    /// How many of the moved questions are shown for each set and direction.
    pub moved: usize,
    /// Texts of questions, by set and id, from data at hand.
    pub texts: HashMap<(String, String), String>,
}

/// One question in both runs.
struct Pair<'a> {
    id: &'a str,
    lang: &'a str,
    kind: &'a str,
    cluster: usize,
    before: f64,
    after: f64,
}

impl Pair<'_> {
    fn gain(&self) -> f64 {
        self.after - self.before
    }
}

/// The comparison as text: for each set that both runs have, a table by language and kind, then
/// what moved.
///
/// # Errors
/// The runs have no set in common, or not the same data under one name.
pub fn compare(a: &Run, b: &Run, by: &Comparison) -> anyhow::Result<String> {
    let mut text = format!(
        "A: version {}, {}, split {}\nB: version {}, {}, split {}\n",
        a.version, a.weights, a.split, b.version, b.weights, b.split
    );
    let mut common = 0;
    for before in &a.sets {
        let Some(after) = b.sets.iter().find(|set| set.set == before.set) else {
            let _ = writeln!(text, "\n{}: in A alone", before.set);
            continue;
        };
        if before.digest != after.digest {
            bail!("{} is not the same data in A and in B", before.set);
        }
        common += 1;
        let pairs = pairs(before, after, by)?;
        let left_out = before.counted().count() + after.counted().count() - 2 * pairs.len();
        let _ = writeln!(
            text,
            "\n{}: {} of both runs' {} questions in common\n",
            before.set,
            pairs.len(),
            pairs.len() + left_out
        );
        text.push_str(&table(&pairs, by.metric));
        text.push_str(&moved(&before.set, &pairs, by));
    }
    if common == 0 {
        bail!("the runs have no set in common");
    }
    Ok(text)
}

fn pairs<'a>(
    before: &'a SetRun,
    after: &'a SetRun,
    by: &Comparison,
) -> anyhow::Result<Vec<Pair<'a>>> {
    let ranking = |set: &SetRun| {
        let last = set.rankings.len().checked_sub(1);
        set.ranking(&by.ranking)
            .or(last)
            .with_context(|| format!("{} was not ranked at all", set.set))
    };
    let (old, new) = (ranking(before)?, ranking(after)?);
    let asked: HashMap<&str, _> = after
        .counted()
        .map(|question| (question.id.as_str(), question))
        .collect();
    let pairs = before.counted().filter_map(|question| {
        let again = asked.get(question.id.as_str())?;
        Some(Pair {
            id: &question.id,
            lang: &question.lang,
            kind: &question.kind,
            cluster: question.cluster,
            before: by.metric.of(&question.figures[old]),
            after: by.metric.of(&again.figures[new]),
        })
    });
    Ok(pairs.collect())
}

fn table(pairs: &[Pair<'_>], metric: Metric) -> String {
    let name = metric.name();
    let mut table = format!(
        "| questions | n | {name} of A | of B | B − A | 95 % | B wins | up | down |\n|---|---|---|---|---|---|---|---|---|\n"
    );
    let all: Vec<&Pair<'_>> = pairs.iter().collect();
    line(&mut table, "all", &all);
    let keys: [fn(&Pair<'_>) -> String; 2] =
        [|pair| pair.lang.to_owned(), |pair| pair.kind.to_owned()];
    for key in keys {
        let mut groups: BTreeMap<String, Vec<&Pair<'_>>> = BTreeMap::new();
        for pair in pairs {
            groups.entry(key(pair)).or_default().push(pair);
        }
        groups.remove("");
        for (name, pairs) in groups {
            line(&mut table, &name, &pairs);
        }
    }
    table
}

fn line(table: &mut String, name: &str, pairs: &[&Pair<'_>]) {
    let count = pairs.len().max(1) as f64;
    let mean =
        |value: fn(&Pair<'_>) -> f64| pairs.iter().map(|pair| value(pair)).sum::<f64>() / count;
    let difference = estimate(pairs.iter().map(|pair| (pair.cluster, pair.gain())));
    let moved = |up: bool| {
        let moved = pairs.iter().filter(|pair| has_moved(pair, up));
        moved.count()
    };
    // Writing to a string never fails.
    let _ = writeln!(
        table,
        "| {name} | {} | {:.3} | {:.3} | {:+.4} | {:+.4} to {:+.4} | {:.1} % | {} | {} |",
        pairs.len(),
        mean(|pair| pair.before),
        mean(|pair| pair.after),
        difference.mean,
        difference.low,
        difference.high,
        100.0 * difference.above,
        moved(true),
        moved(false)
    );
}

fn has_moved(pair: &Pair<'_>, up: bool) -> bool {
    const EVEN: f64 = 1e-12;
    if up {
        pair.gain() > EVEN
    } else {
        pair.gain() < -EVEN
    }
}

fn moved(set: &str, pairs: &[Pair<'_>], by: &Comparison) -> String {
    let mut text = String::new();
    for (up, title) in [(true, "up"), (false, "down")] {
        let mut moved: Vec<&Pair<'_>> = pairs.iter().filter(|pair| has_moved(pair, up)).collect();
        moved.sort_by(|a, b| {
            b.gain()
                .abs()
                .total_cmp(&a.gain().abs())
                .then(a.id.cmp(b.id))
        });
        let shown = moved.len().min(by.moved);
        let _ = writeln!(text, "\n{title}, {shown} of {}:", moved.len());
        for pair in &moved[..shown] {
            let key = (set.to_owned(), pair.id.to_owned());
            let asked = by.texts.get(&key).map_or("", String::as_str);
            let _ = writeln!(
                text,
                "  {:.2} → {:.2}  {}  {} {}  {asked}",
                pair.before, pair.after, pair.id, pair.lang, pair.kind
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Comparison, compare};
    use crate::measure::{Metric, judge};
    use crate::run::{Judged, Run, SetRun};

    fn run(tops: [usize; 4], digest: &str) -> Run {
        let question = |(at, top): (usize, usize)| Judged {
            id: format!("q{at}"),
            lang: if at < 2 { "en" } else { "lt" }.to_owned(),
            kind: String::new(),
            cluster: at,
            control: false,
            figures: vec![judge(&[top], &[vec![7]])],
        };
        Run {
            version: "0".to_owned(),
            embedder: "none".to_owned(),
            weights: "even".to_owned(),
            split: "all".to_owned(),
            sets: vec![SetRun {
                set: "s".to_owned(),
                digest: digest.to_owned(),
                tools: 9,
                rankings: vec!["lexical".to_owned()],
                questions: tops.into_iter().enumerate().map(question).collect(),
            }],
        }
    }

    #[test]
    fn what_moved_is_told_with_the_means() {
        let by = Comparison {
            ranking: "hybrid".to_owned(),
            metric: Metric::MAIN,
            moved: 1,
            texts: HashMap::from([(("s".to_owned(), "q1".to_owned()), "what?".to_owned())]),
        };
        let text = compare(&run([7, 0, 0, 7], "d"), &run([7, 7, 7, 0], "d"), &by).unwrap();
        for line in [
            "| en | 2 | 0.500 | 1.000 | +0.5000 | +0.0000 to +1.0000 |",
            "| 1 | 0 |\n",
            "up, 1 of 2:\n  0.00 → 1.00  q1  en   what?\n",
            "down, 1 of 1:\n  1.00 → 0.00  q3  lt",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let other = compare(&run([7, 0, 0, 7], "d"), &run([7, 7, 7, 0], "e"), &by);
        assert!(other.unwrap_err().to_string().contains("not the same data"));
    }
}
