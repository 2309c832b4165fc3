//! How good is a ranking? Recall at k, MRR and nDCG@10 of each question (Manning, Raghavan and
//! Schütze, Introduction to Information Retrieval, chapter 8).

use std::collections::BTreeMap;

use toolsearch_search::{Index, Mode, Weights};

use crate::dataset::{Dataset, Question};

/// Where recall is measured.
pub const CUTS: [usize; 4] = [1, 3, 5, 10];

/// The figures of one question, or the means of many.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Share of the needs met within the first 1, 3, 5, 10.
    pub recall: [f64; 4],
    /// Reciprocal rank of the first right answer.
    pub mrr: f64,
    /// Discounted gain of the first ten, over the best possible.
    pub ndcg: f64,
}

/// A question's figures, with what it is grouped by.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The question's id.
    pub id: String,
    /// Its language.
    pub lang: String,
    /// Its kind.
    pub kind: String,
    /// How the ranking did.
    pub figures: Figures,
}

/// Asks every question of a split ("" for all).
#[must_use]
pub fn ask(
    index: &Index,
    dataset: &Dataset,
    split: &str,
    mode: Mode,
    weights: &Weights,
) -> Vec<Measured> {
    let asked = dataset
        .questions
        .iter()
        .filter(|question| split.is_empty() || question.split == split);
    asked
        .map(|question| {
            let ranking: Vec<usize> = index
                .rank(&question.text, 25, mode, weights)
                .into_iter()
                .map(|hit| hit.position)
                .collect();
            let Question { id, lang, kind, .. } = question.clone();
            Measured {
                id,
                lang,
                kind,
                figures: judge(&ranking, &question.needs),
            }
        })
        .collect()
}

/// Judges a ranking by the needs that it should meet.
#[must_use]
pub fn judge(ranking: &[usize], needs: &[Vec<usize>]) -> Figures {
    let met = |cut: usize| {
        let first = &ranking[..cut.min(ranking.len())];
        let met = needs
            .iter()
            .filter(|need| need.iter().any(|tool| first.contains(tool)))
            .count();
        met as f64 / needs.len() as f64
    };
    let right = |tool: &usize| needs.iter().any(|need| need.contains(tool));
    let first = ranking.iter().position(right);
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let mut open: Vec<&Vec<usize>> = needs.iter().collect();
    let mut gain = 0.0;
    for (rank, tool) in ranking.iter().take(10).enumerate() {
        // Each need is met once: a second tool for the same one gains nothing.
        if let Some(at) = open.iter().position(|need| need.contains(tool)) {
            open.remove(at);
            gain += discount(rank);
        }
    }
    let ideal: f64 = (0..needs.len().min(10)).map(discount).sum();
    Figures {
        recall: CUTS.map(met),
        mrr: first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0)),
        ndcg: gain / ideal,
    }
}

/// The mean of each figure.
#[must_use]
pub fn mean<'a>(measured: impl IntoIterator<Item = &'a Figures>) -> Figures {
    let (mut sum, mut count) = (Figures::default(), 0.0);
    for figures in measured {
        for (total, value) in sum.recall.iter_mut().zip(figures.recall) {
            *total += value;
        }
        sum.mrr += figures.mrr;
        sum.ndcg += figures.ndcg;
        count += 1.0;
    }
    let count = f64::max(count, 1.0);
    Figures {
        recall: sum.recall.map(|total| total / count),
        mrr: sum.mrr / count,
        ndcg: sum.ndcg / count,
    }
}

/// The bounds of the mean recall at 5 that 95 of 100 resamplings stay within.
#[must_use]
pub fn interval(measured: &[Measured]) -> (f64, f64) {
    const RESAMPLINGS: usize = 1000;
    let values: Vec<f64> = measured
        .iter()
        .map(|measured| measured.figures.recall[2])
        .collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut means: Vec<f64> = (0..RESAMPLINGS)
        .map(|_| {
            let sum: f64 = values
                .iter()
                .map(|_| values[random.below(values.len())])
                .sum();
            sum / values.len().max(1) as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (
        means[RESAMPLINGS / 40],
        means[RESAMPLINGS - 1 - RESAMPLINGS / 40],
    )
}

/// Measured questions by a key, keys in order.
pub fn by<'a>(
    measured: &'a [Measured],
    key: impl Fn(&'a Measured) -> &'a str,
) -> BTreeMap<&'a str, Vec<Measured>> {
    let mut groups: BTreeMap<&str, Vec<Measured>> = BTreeMap::new();
    for question in measured {
        groups
            .entry(key(question))
            .or_default()
            .push(question.clone());
    }
    groups
}

/// A small generator with a fixed seed, so that intervals are the same in every run (xorshift64*,
/// Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(random).unwrap_or_default() % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Figures, judge, mean};

    #[test]
    fn figures_are_those_of_the_textbook() {
        let needs = [vec![7], vec![3, 4]];
        let figures = judge(&[9, 4, 3, 7], &needs);
        assert_eq!(figures.recall, [0.0, 0.5, 1.0, 1.0]);
        assert!((figures.mrr - 0.5).abs() < 1e-9);
        let ideal = 1.0 + 1.0 / 3f64.log2();
        assert!((figures.ndcg - (1.0 / 3f64.log2() + 1.0 / 5f64.log2()) / ideal).abs() < 1e-9);
        assert_eq!(judge(&[], &needs), Figures::default());
        let half = mean([
            &Figures {
                mrr: 1.0,
                ..Figures::default()
            },
            &Figures::default(),
        ]);
        assert!((half.mrr - 0.5).abs() < 1e-9);
    }
}
