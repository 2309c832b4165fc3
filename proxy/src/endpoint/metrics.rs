//! What is counted about requests of clients.

use std::time::Duration;

use prometheus::{
    Error, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
    exponential_buckets,
};

use crate::protocol::Revision;

/// The endpoint's families, registered once a process.
#[derive(Debug)]
pub(super) struct Metrics {
    requests: IntCounterVec,
    in_flight: IntGauge,
    calls: IntCounterVec,
    seconds: HistogramVec,
    refusals: IntCounterVec,
    challenges: IntCounter,
}

/// Counts a request as under way until it is dropped.
#[derive(Debug)]
pub(super) struct InFlight(IntGauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(super) fn register(registry: &Registry) -> Result<Self, Error> {
        let counters = |name: &str, help: &str, labels: &[&str]| {
            IntCounterVec::new(Opts::new(name, help), labels)
        };
        let metrics = Self {
            requests: counters(
                "toolsearch_requests_total",
                "Requests of clients, by method and protocol revision.",
                &["method", "revision"],
            )?,
            in_flight: IntGauge::new("toolsearch_requests_in_flight", "Requests under way.")?,
            calls: counters(
                "toolsearch_calls_total",
                "Calls of the five tools, by tool and outcome.",
                &["tool", "outcome"],
            )?,
            seconds: HistogramVec::new(
                HistogramOpts::new(
                    "toolsearch_call_seconds",
                    "Time of one call of the five tools, the upstream's included.",
                )
                .buckets(exponential_buckets(0.000_25, 4.0, 11)?),
                &["tool"],
            )?,
            refusals: counters(
                "toolsearch_refusals_total",
                "Requests answered with an error of the protocol or of HTTP, by kind.",
                &["kind"],
            )?,
            challenges: IntCounter::new(
                "toolsearch_challenges_total",
                "Authorization challenges of the upstream passed on at a handshake.",
            )?,
        };
        registry.register(Box::new(metrics.requests.clone()))?;
        registry.register(Box::new(metrics.in_flight.clone()))?;
        registry.register(Box::new(metrics.calls.clone()))?;
        registry.register(Box::new(metrics.seconds.clone()))?;
        registry.register(Box::new(metrics.refusals.clone()))?;
        registry.register(Box::new(metrics.challenges.clone()))?;
        Ok(metrics)
    }

    pub(super) fn request(&self, method: &str, revision: Revision) -> InFlight {
        const KNOWN: [&str; 5] = [
            "initialize",
            "server/discover",
            "tools/list",
            "tools/call",
            "ping",
        ];
        let method = KNOWN
            .into_iter()
            .find(|known| *known == method)
            .unwrap_or("other");
        self.requests
            .with_label_values(&[method, revision.as_str()])
            .inc();
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    pub(super) fn called(&self, tool: &'static str, outcome: &'static str, took: Duration) {
        self.calls.with_label_values(&[tool, outcome]).inc();
        self.seconds
            .with_label_values(&[tool])
            .observe(took.as_secs_f64());
    }

    pub(super) fn refused(&self, kind: &'static str) {
        self.refusals.with_label_values(&[kind]).inc();
    }

    pub(super) fn challenged(&self) {
        self.challenges.inc();
    }
}
