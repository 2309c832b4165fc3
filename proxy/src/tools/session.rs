//! What is the same for every tool: who asks, what they have, where it goes.

use std::sync::Arc;

use crate::caller::Caller;
use crate::catalog::{Catalog, Catalogs};
use crate::tools::limits::Limits;
use crate::tools::metrics::Metrics;
use crate::upstream::Upstream;

/// One request's view of the world.
#[derive(Debug)]
pub struct Session<'a> {
    /// Who asks.
    pub caller: &'a Caller,
    /// This caller's catalog.
    pub catalog: Arc<Catalog>,
    /// For a name that the catalog does not know.
    pub catalogs: &'a Catalogs,
    /// Where calls go.
    pub upstream: &'a Upstream,
    /// Bounds of answers.
    pub limits: Limits,
    /// What is counted about calls.
    pub metrics: &'a Metrics,
}
