//! What is counted about calls on their way: what was mended, what could not be checked, what was
//! cut.

use prometheus::{Error, IntCounter, IntCounterVec, Opts, Registry};

use crate::repair::Kind;

/// The families of the five tools, registered once a process.
#[derive(Debug, Clone)]
pub struct Metrics {
    mended: IntCounterVec,
    unchecked: IntCounterVec,
    cut: IntCounter,
}

impl Metrics {
    /// Registers them.
    ///
    /// # Errors
    /// A metric of the same name is registered already.
    pub fn register(registry: &Registry) -> Result<Self, Error> {
        let metrics = Self {
            mended: IntCounterVec::new(
                Opts::new(
                    "toolsearch_mended_calls_total",
                    "Calls whose arguments were given the form their schema asks for, by kind of repair.",
                ),
                &["kind"],
            )?,
            unchecked: IntCounterVec::new(
                Opts::new(
                    "toolsearch_unchecked_calls_total",
                    "Calls whose arguments only the upstream could check, by reason.",
                ),
                &["reason"],
            )?,
            cut: IntCounter::new(
                "toolsearch_cut_results_total",
                "Results of which not all was given, by --max-result-tokens.",
            )?,
        };
        for kind in Kind::ALL {
            metrics.mended.with_label_values(&[kind.kind()]);
        }
        for reason in crate::validate::UNCHECKED {
            metrics.unchecked.with_label_values(&[reason]);
        }
        registry.register(Box::new(metrics.mended.clone()))?;
        registry.register(Box::new(metrics.unchecked.clone()))?;
        registry.register(Box::new(metrics.cut.clone()))?;
        Ok(metrics)
    }

    pub(super) fn mended(&self, kinds: &[Kind]) {
        for kind in kinds {
            self.mended.with_label_values(&[kind.kind()]).inc();
        }
    }

    pub(super) fn cut(&self, results: usize) {
        self.cut.inc_by(results as u64);
    }

    pub(super) fn unchecked(&self, reason: &'static str) {
        self.unchecked.with_label_values(&[reason]).inc();
    }
}
