//! What is counted about catalogs and the searches in them.

use moka::notification::RemovalCause;
use prometheus::{
    Error, Histogram, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry,
    exponential_buckets,
};

/// The catalog's families, registered once a process.
#[derive(Debug)]
pub(super) struct Metrics {
    pub(super) callers: IntGauge,
    pub(super) lists: IntGauge,
    pub(super) distinct_tools: IntGauge,
    pub(super) list_tools: Histogram,
    pub(super) served_age: Histogram,
    pub(super) index_seconds: Histogram,
    pub(super) search_seconds: HistogramVec,
    loads: IntCounterVec,
    dropped_tools: IntCounterVec,
    evictions: IntCounterVec,
}

/// Why an entry goes, as the label says it.
const CAUSES: [&str; 3] = ["idle", "dropped", "size"];

impl Metrics {
    pub(super) fn register(registry: &Registry) -> Result<Self, Error> {
        let metrics = Self {
            callers: IntGauge::new(
                "toolsearch_catalog_callers",
                "Callers whose catalog is held.",
            )?,
            lists: IntGauge::new("toolsearch_catalog_lists", "Distinct tool lists held.")?,
            distinct_tools: IntGauge::new(
                "toolsearch_catalog_distinct_tools",
                "Distinct tool definitions held, all lists together.",
            )?,
            list_tools: histogram(
                "toolsearch_catalog_list_tools",
                "Tools of each list that was indexed.",
                exponential_buckets(10.0, 3.0, 8)?,
            )?,
            served_age: histogram(
                "toolsearch_catalog_served_age_seconds",
                "Age of the catalog each request was served from.",
                vec![
                    1.0, 10.0, 60.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 14400.0,
                ],
            )?,
            index_seconds: histogram(
                "toolsearch_catalog_index_seconds",
                "Time to index one distinct tool list.",
                exponential_buckets(0.001, 4.0, 8)?,
            )?,
            search_seconds: HistogramVec::new(
                HistogramOpts::new(
                    "toolsearch_search_seconds",
                    "Time of one query, by mode of search.",
                )
                .buckets(exponential_buckets(0.000_02, 2.5, 10)?),
                &["mode"],
            )?,
            loads: counters(
                "toolsearch_catalog_loads_total",
                "Listings of the upstream, by outcome.",
                &["outcome"],
            )?,
            dropped_tools: counters(
                "toolsearch_catalog_dropped_tools_total",
                "Tool definitions left out of a listing, by reason.",
                &["reason"],
            )?,
            evictions: counters(
                "toolsearch_cache_evictions_total",
                "Entries dropped from a cache, by cache and cause.",
                &["cache", "cause"],
            )?,
        };
        // Shown as zero before the first one is dropped.
        for (cache, cause) in ["callers", "lists"]
            .into_iter()
            .flat_map(|cache| CAUSES.map(|cause| (cache, cause)))
        {
            metrics.evictions.with_label_values(&[cache, cause]);
        }
        registry.register(Box::new(metrics.callers.clone()))?;
        registry.register(Box::new(metrics.lists.clone()))?;
        registry.register(Box::new(metrics.distinct_tools.clone()))?;
        registry.register(Box::new(metrics.list_tools.clone()))?;
        registry.register(Box::new(metrics.served_age.clone()))?;
        registry.register(Box::new(metrics.index_seconds.clone()))?;
        registry.register(Box::new(metrics.search_seconds.clone()))?;
        registry.register(Box::new(metrics.loads.clone()))?;
        registry.register(Box::new(metrics.dropped_tools.clone()))?;
        registry.register(Box::new(metrics.evictions.clone()))?;
        Ok(metrics)
    }

    pub(super) fn loaded(&self, outcome: &'static str) {
        self.loads.with_label_values(&[outcome]).inc();
    }

    pub(super) fn dropped_tool(&self, reason: &'static str) {
        self.dropped_tools.with_label_values(&[reason]).inc();
    }

    pub(super) fn evicted(&self, cache: &'static str, cause: RemovalCause) {
        let cause = match cause {
            RemovalCause::Expired => "idle",
            RemovalCause::Explicit => "dropped",
            RemovalCause::Replaced => "replaced",
            RemovalCause::Size => "size",
        };
        self.evictions.with_label_values(&[cache, cause]).inc();
    }
}

fn histogram(name: &str, help: &str, buckets: Vec<f64>) -> Result<Histogram, Error> {
    Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets))
}

fn counters(name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, Error> {
    IntCounterVec::new(Opts::new(name, help), labels)
}
