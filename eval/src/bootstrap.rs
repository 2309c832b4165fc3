//! How sure is a mean? Resampling with a fixed seed, so that every run prints the same bounds
//! (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13).
//!
//! Whole clusters are drawn, not single questions: a need asked in ten variants is one
//! observation, and taking it for ten would make every interval too narrow.

use std::collections::BTreeMap;

const RESAMPLINGS: usize = 2000;

/// A mean with what resampling says about it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// Of all values.
    pub mean: f64,
    /// 2.5 of 100 resamplings have a lower mean.
    pub low: f64,
    /// 2.5 of 100 resamplings have a higher mean.
    pub high: f64,
    /// Share of the resamplings whose mean is above zero; those at zero count half.
    pub above: f64,
}

/// Estimates the mean of values, each given with its cluster; zeros of nothing.
#[must_use]
pub fn estimate(values: impl IntoIterator<Item = (usize, f64)>) -> Estimate {
    let mut clusters: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (cluster, value) in values {
        let (sum, count) = clusters.entry(cluster).or_default();
        *sum += value;
        *count += 1.0;
    }
    let clusters: Vec<(f64, f64)> = clusters.into_values().collect();
    if clusters.is_empty() {
        return Estimate::default();
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let resampling = |_| {
        let drawn = clusters
            .iter()
            .map(|_| clusters[random.below(clusters.len())]);
        mean(drawn)
    };
    let mut means: Vec<f64> = (0..RESAMPLINGS).map(resampling).collect();
    means.sort_by(f64::total_cmp);
    let tail = RESAMPLINGS / 40;
    let above: f64 = means.iter().map(|mean| wins(*mean)).sum();
    Estimate {
        mean: mean(clusters.iter().copied()),
        low: means[tail],
        high: means[RESAMPLINGS - 1 - tail],
        above: above / RESAMPLINGS as f64,
    }
}

fn mean(clusters: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, count) = clusters.fold((0.0, 0.0), |(sum, count), (more, further)| {
        (sum + more, count + further)
    });
    sum / count
}

fn wins(mean: f64) -> f64 {
    const EVEN: f64 = 1e-12;
    if mean > EVEN {
        1.0
    } else if mean < -EVEN {
        0.0
    } else {
        0.5
    }
}

/// A small generator (xorshift64*, Vigna 2016).
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
    use super::{Estimate, estimate};

    #[test]
    fn bounds_are_those_of_theory_and_of_every_run() {
        // 400 independent coin throws: the mean is one half, its deviation 0.025.
        let coins = || (0..400).map(|at| (at, f64::from(u8::from(at % 2 == 0))));
        let found = estimate(coins());
        assert!((found.mean - 0.5).abs() < 1e-9);
        assert!((found.low - 0.451).abs() < 0.006, "{found:?}");
        assert!((found.high - 0.549).abs() < 0.006, "{found:?}");
        assert_eq!(found, estimate(coins()));
        assert!((found.above - 1.0).abs() < 1e-9);
    }

    #[test]
    fn copies_of_an_observation_make_nothing_surer() {
        let coins = |copies: usize| {
            let throws = (0..100).map(|at| (at, f64::from(u8::from(at % 2 == 0))));
            throws.flat_map(move |throw| std::iter::repeat_n(throw, copies))
        };
        assert_eq!(estimate(coins(1)), estimate(coins(10)));
    }

    #[test]
    fn nothing_and_no_difference_are_even() {
        assert_eq!(estimate([]), Estimate::default());
        let same = estimate((0..10).map(|at| (at, 0.0)));
        assert_eq!((same.mean, same.above), (0.0, 0.5));
    }
}
