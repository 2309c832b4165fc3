//! What is counted? Shaped like other operators' metrics; no label ever holds an object's name.

use prometheus::{Histogram, HistogramOpts, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry};

/// The operator's metrics. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Metrics {
    reconciles: IntCounterVec,
    duration: Histogram,
    errors: IntCounterVec,
    drift: IntCounterVec,
    requests: IntCounterVec,
    /// 1 while this process may write.
    pub leader: IntGauge,
    resources: IntGaugeVec,
    running: IntGauge,
}

const BUCKETS: &[f64] = &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

impl Metrics {
    /// Makes and registers them.
    ///
    /// # Errors
    /// A metric of the same name is registered already.
    pub fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let counter = |name: &str, help: &str, labels: &[&str]| {
            let made = IntCounterVec::new(
                Opts::new(format!("toolsearch_operator_{name}"), help),
                labels,
            )?;
            registry.register(Box::new(made.clone()))?;
            Ok::<_, prometheus::Error>(made)
        };
        let gauge = |name: &str, help: &str| {
            let made = IntGauge::new(format!("toolsearch_operator_{name}"), help)?;
            registry.register(Box::new(made.clone()))?;
            Ok::<_, prometheus::Error>(made)
        };
        let duration = Histogram::with_opts(
            HistogramOpts::new(
                "toolsearch_operator_reconcile_duration_seconds",
                "How long a reconcile takes.",
            )
            .buckets(BUCKETS.to_vec()),
        )?;
        registry.register(Box::new(duration.clone()))?;
        let resources = IntGaugeVec::new(
            Opts::new(
                "toolsearch_operator_managed_resources",
                "ToolSearchProxy resources by what their Ready condition says.",
            ),
            &["state"],
        )?;
        registry.register(Box::new(resources.clone()))?;
        Ok(Self {
            reconciles: counter(
                "reconcile_total",
                "Reconciles by how they ended.",
                &["result"],
            )?,
            duration,
            errors: counter(
                "reconcile_errors_total",
                "Failed reconciles by reason.",
                &["reason"],
            )?,
            drift: counter(
                "drift_corrections_total",
                "Objects that somebody else had changed and that were set right, by kind.",
                &["kind"],
            )?,
            requests: counter(
                "api_requests_total",
                "Requests to the API server by verb, resource and status code.",
                &["verb", "resource", "code"],
            )?,
            leader: gauge("leader", "1 while this process may write.")?,
            running: gauge("reconciles_running", "Reconciles under way.")?,
            resources,
        })
    }

    /// A reconcile begins; dropping the guard ends it.
    pub(crate) fn begin(&self) -> Running {
        self.running.inc();
        Running(self.clone(), tokio::time::Instant::now())
    }

    /// A reconcile went well.
    pub(crate) fn succeeded(&self, result: &str) {
        self.reconciles.with_label_values(&[result]).inc();
    }

    /// A reconcile failed.
    pub(crate) fn failed(&self, reason: &str) {
        self.reconciles.with_label_values(&["error"]).inc();
        self.errors.with_label_values(&[reason]).inc();
    }

    /// Somebody's change was undone.
    pub(crate) fn drift(&self, kind: &str) {
        self.drift.with_label_values(&[kind]).inc();
    }

    /// The API server answered.
    pub(crate) fn request(&self, verb: &str, resource: &str, code: &str) {
        self.requests
            .with_label_values(&[verb, resource, code])
            .inc();
    }

    /// How many resources are ready, and how many are not.
    pub(crate) fn managed(&self, ready: i64, other: i64) {
        self.resources.with_label_values(&["ready"]).set(ready);
        self.resources.with_label_values(&["not_ready"]).set(other);
    }
}

/// A reconcile under way.
#[derive(Debug)]
pub(crate) struct Running(Metrics, tokio::time::Instant);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.dec();
        self.0.duration.observe(self.1.elapsed().as_secs_f64());
    }
}
