//! What can be counted about the upstream? Requests, time, retries, sessions, era.
//!
//! Never labels anything with a value that a caller or the upstream chose.

use std::time::Duration;

use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
};
use tokio::time::Instant;

use crate::upstream::request::Method;

/// The family `toolsearch_upstream_*`. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Metrics {
    requests: IntCounterVec,
    seconds: HistogramVec,
    retries: IntCounterVec,
    ignored: IntCounter,
    sessions: IntGauge,
    era: IntGaugeVec,
    breaker_open: IntGauge,
    breaker_openings: IntCounter,
    not_sent: IntCounter,
}

impl Metrics {
    pub(super) fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let metrics = Self {
            requests: IntCounterVec::new(
                Opts::new(
                    "toolsearch_upstream_requests_total",
                    "Requests to the upstream by method and outcome.",
                ),
                &["method", "outcome"],
            )?,
            seconds: HistogramVec::new(
                HistogramOpts::new(
                    "toolsearch_upstream_request_seconds",
                    "Time from sending a request to the end of its answer.",
                )
                .buckets(BUCKETS.to_vec()),
                &["method"],
            )?,
            retries: IntCounterVec::new(
                Opts::new(
                    "toolsearch_upstream_retries_total",
                    "Requests sent again, by what had gone wrong.",
                ),
                &["reason"],
            )?,
            ignored: IntCounter::new(
                "toolsearch_upstream_ignored_messages_total",
                "Answers that bore no id of a request of ours.",
            )?,
            sessions: IntGauge::new("toolsearch_upstream_sessions", "Legacy sessions held open.")?,
            era: IntGaugeVec::new(
                Opts::new(
                    "toolsearch_upstream_era",
                    "1 for the era the upstream is spoken to in; none while unknown.",
                ),
                &["era"],
            )?,
            breaker_open: IntGauge::new(
                "toolsearch_upstream_breaker_open",
                "1 while the upstream does not answer and requests to it are refused.",
            )?,
            breaker_openings: IntCounter::new(
                "toolsearch_upstream_breaker_openings_total",
                "How often it was found that the upstream does not answer.",
            )?,
            not_sent: IntCounter::new(
                "toolsearch_upstream_breaker_refused_total",
                "Requests that were not sent because the upstream does not answer.",
            )?,
        };
        registry.register(Box::new(metrics.requests.clone()))?;
        registry.register(Box::new(metrics.seconds.clone()))?;
        registry.register(Box::new(metrics.retries.clone()))?;
        registry.register(Box::new(metrics.ignored.clone()))?;
        registry.register(Box::new(metrics.sessions.clone()))?;
        registry.register(Box::new(metrics.era.clone()))?;
        registry.register(Box::new(metrics.breaker_open.clone()))?;
        registry.register(Box::new(metrics.breaker_openings.clone()))?;
        registry.register(Box::new(metrics.not_sent.clone()))?;
        metrics.show();
        Ok(metrics)
    }

    /// Makes the series exist before anything happens, so that a rate has a zero to start from.
    fn show(&self) {
        for method in Method::ALL {
            self.requests.with_label_values(&[label(method), "ok"]);
        }
        self.era(None);
    }

    /// Starts the clock of one request.
    pub(super) fn start(&self, method: Method) -> Timer {
        Timer {
            metrics: self.clone(),
            method,
            started: Instant::now(),
            outcome: "abandoned",
        }
    }

    /// A request is sent again.
    pub(super) fn retried(&self, reason: &'static str) {
        self.retries.with_label_values(&[reason]).inc();
    }

    /// An answer to nobody.
    pub(super) fn ignored(&self) {
        self.ignored.inc();
    }

    /// How many sessions there are now.
    pub(super) fn sessions(&self, count: usize) {
        self.sessions.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Whether requests are refused from now on.
    pub(super) fn breaker(&self, open: bool) {
        self.breaker_open.set(i64::from(open));
        if open {
            self.breaker_openings.inc();
        }
    }

    /// A request was refused.
    pub(super) fn not_sent(&self) {
        self.not_sent.inc();
    }

    /// `Some(true)`: modern; `Some(false)`: legacy.
    pub(super) fn era(&self, modern: Option<bool>) {
        for (name, is_modern) in [("modern", true), ("legacy", false)] {
            let stands = i64::from(modern == Some(is_modern));
            self.era.with_label_values(&[name]).set(stands);
        }
    }
}

/// The clock of one request. One that is dropped before its end was abandoned by its caller.
#[derive(Debug)]
pub(super) struct Timer {
    metrics: Metrics,
    method: Method,
    started: Instant,
    outcome: &'static str,
}

impl Timer {
    /// The request has ended; `outcome` is a static name.
    pub(super) fn stop(mut self, outcome: &'static str) {
        self.outcome = outcome;
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let labels = [label(self.method), self.outcome];
        self.metrics.requests.with_label_values(&labels).inc();
        let elapsed: Duration = self.started.elapsed();
        self.metrics
            .seconds
            .with_label_values(&labels[..1])
            .observe(elapsed.as_secs_f64());
    }
}

/// Seconds: from a loopback answer to a call that runs for minutes.
const BUCKETS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0, 300.0,
];

const fn label(method: Method) -> &'static str {
    match method {
        Method::Discover => "discover",
        Method::Initialize => "initialize",
        Method::Initialized => "initialized",
        Method::Ping => "ping",
        Method::List => "list",
        Method::Call => "call",
        Method::Cancelled => "cancelled",
        Method::Reply => "reply",
        Method::Resume => "resume",
        Method::Delete => "delete",
    }
}
