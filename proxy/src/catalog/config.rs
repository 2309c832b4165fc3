//! What do the catalogs need to know?

use std::time::Duration;

use crate::catalog::access::Policy;

/// Everything that [`Catalogs::new`](crate::catalog::Catalogs::new) needs to know.
#[derive(Debug)]
pub struct Config {
    /// How long a list is fresh.
    pub ttl: Duration,
    /// Callers remembered.
    pub max_callers: usize,
    /// Distinct lists kept.
    pub max_lists: usize,
    /// Upstream lists under way at once.
    pub max_concurrent_lists: usize,
    /// The least time between two refreshes of one caller.
    pub refresh_pause: Duration,
    /// Which tools are reads.
    pub policy: Policy,
}

/// A caller who stays away for this many lifetimes is forgotten.
pub(super) const IDLE_LIFETIMES: u32 = 6;
