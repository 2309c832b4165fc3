//! What came of it? Counts and times by kind of client; every failure is one line at once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use serde_json::{Value, json};

use crate::connection::Failure;

#[derive(Debug, Default)]
struct Kind {
    calls: u64,
    failures: BTreeMap<String, u64>,
    times: Vec<u32>,
    last: Option<Instant>,
    gap: Duration,
}

/// Gathers results of all clients.
#[derive(Debug, Default)]
pub(crate) struct Report(Mutex<BTreeMap<&'static str, Kind>>);

impl Report {
    /// One call ended.
    pub(crate) fn count(&self, kind: &'static str, began: Instant, ended: Result<(), Failure>) {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = kinds.entry(kind).or_default();
        let now = Instant::now();
        of.calls += 1;
        of.times
            .push(u32::try_from((now - began).as_micros()).unwrap_or(u32::MAX));
        if let Some(last) = of.last {
            of.gap = of.gap.max(now - last);
        }
        of.last = Some(now);
        if let Err(failure) = ended {
            *of.failures.entry(format!("{failure:?}")).or_default() += 1;
        }
    }

    /// The summary.
    pub(crate) fn summary(&self) -> Value {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rows: BTreeMap<_, _> = kinds
            .iter_mut()
            .map(|(name, kind)| {
                kind.times.sort_unstable();
                let at = |share: f64| {
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a rank")]
                    let rank = ((kind.times.len() as f64 - 1.0) * share).round() as usize;
                    f64::from(kind.times.get(rank).copied().unwrap_or_default()) / 1000.0
                };
                let row = json!({
                    "calls": kind.calls, "failed": kind.failures.values().sum::<u64>(), "failures": kind.failures,
                    "p50_ms": at(0.5), "p99_ms": at(0.99), "longest_gap_ms": kind.gap.as_millis() as u64,
                });
                (*name, row)
            })
            .collect();
        let sum = |key: &str| {
            rows.values()
                .filter_map(|row| row[key].as_u64())
                .sum::<u64>()
        };
        json!({ "calls": sum("calls"), "failed": sum("failed"), "kinds": rows })
    }
}
