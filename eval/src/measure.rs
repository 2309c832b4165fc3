//! How good is a ranking? Recall at k, MRR and nDCG@10 of each question (Manning, Raghavan and
//! Schütze, Introduction to Information Retrieval, chapter 8).

use serde::{Deserialize, Serialize};

/// Where recall is measured.
pub const CUTS: [usize; 4] = [1, 3, 5, 10];
/// How much of a ranking is looked at.
pub const DEPTH: usize = 25;

/// The figures of one question, or the means of many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Share of the needs met within the first 1, 3, 5, 10.
    pub recall: [f64; 4],
    /// Reciprocal rank of the first right answer.
    pub mrr: f64,
    /// Discounted gain of the first ten, over the best possible.
    pub ndcg: f64,
}

/// One of the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Recall at the cut of this place in [`CUTS`].
    Recall(usize),
    /// Reciprocal rank.
    Mrr,
    /// nDCG at 10.
    Ndcg,
}

impl Metric {
    /// All, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::Recall(0),
        Self::Recall(1),
        Self::Recall(2),
        Self::Recall(3),
        Self::Mrr,
        Self::Ndcg,
    ];
    /// The one that thresholds and intervals stand on.
    pub const MAIN: Self = Self::Recall(2);

    /// Its name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recall(0) => "R@1",
            Self::Recall(1) => "R@3",
            Self::Recall(2) => "R@5",
            Self::Recall(_) => "R@10",
            Self::Mrr => "MRR",
            Self::Ndcg => "nDCG@10",
        }
    }

    /// Its value.
    #[must_use]
    pub fn of(self, figures: &Figures) -> f64 {
        match self {
            Self::Recall(cut) => figures.recall[cut.min(CUTS.len() - 1)],
            Self::Mrr => figures.mrr,
            Self::Ndcg => figures.ndcg,
        }
    }
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
    let first = ranking.iter().take(DEPTH).position(right);
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

/// The mean of each figure; zeros of nothing.
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

#[cfg(test)]
mod tests {
    use super::{Figures, Metric, judge, mean};

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
        assert_eq!(mean([]), Figures::default());
    }

    #[test]
    fn every_figure_has_its_name() {
        let figures = judge(&[9, 4, 3, 7], &[vec![7], vec![3, 4]]);
        let named = Metric::ALL.map(|metric| (metric.name(), metric.of(&figures)));
        assert_eq!(named[1], ("R@3", 0.5));
        assert_eq!(named[2], (Metric::MAIN.name(), 1.0));
        assert_eq!(named[4], ("MRR", 0.5));
    }
}
