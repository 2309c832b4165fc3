//! Which tools does this caller have? A snapshot per caller, shared where lists are equal.
//!
//! Guarantees: a caller is known by a keyed hash of its credential; what one caller lists is
//! served to no other; equal lists are indexed once; a refresh that fails keeps the last good
//! list and says so, except on a challenge, which drops it. Never decides who may call what.

mod access;
mod config;
mod entry;
mod list;
mod load;
mod metrics;
mod names;
mod sentences;
mod snapshot;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolsearch_search::{Embedder, Vectors};

use crate::cache::{Cache, Cached, Lifetime};
use crate::caller::{Caller, CallerKey};
use crate::upstream::{Error, Upstream};

use config::IDLE_LIFETIMES;
use load::{Known, Loader};
use metrics::Metrics;

pub use access::{Access, Policy};
pub use config::Config;
pub use entry::Entry;
pub use snapshot::{Catalog, Found, Staleness};

/// Every caller's catalog. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Catalogs {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    callers: Cache<CallerKey, Known, Error>,
    loader: Arc<Loader>,
    metrics: Arc<Metrics>,
    refreshing: AtomicBool,
}

impl Catalogs {
    /// An empty store; with no embedder, search is lexical.
    ///
    /// # Errors
    /// A metric of the same name is registered already.
    pub fn new(
        config: Config,
        upstream: Upstream,
        embedder: Option<Embedder>,
        registry: &prometheus::Registry,
    ) -> Result<Self, prometheus::Error> {
        let metrics = Arc::new(Metrics::register(registry)?);
        let lifetime = Lifetime {
            ttl: config.ttl,
            pause: config.refresh_pause,
            idle: config.ttl * IDLE_LIFETIMES,
            capacity: config.max_callers as u64,
        };
        let counted = Arc::clone(&metrics);
        let callers = Cache::new(lifetime, is_challenge, move |cause| {
            counted.evicted("callers", cause);
        });
        let vectors = embedder.map(Vectors::new);
        let loader = Arc::new(Loader::new(config, upstream, vectors, Arc::clone(&metrics)));
        let refreshing = AtomicBool::new(true);
        Ok(Self {
            inner: Arc::new(Inner {
                callers,
                loader,
                metrics,
                refreshing,
            }),
        })
    }

    /// This caller's catalog: fresh, or stale while one refresh runs, or loaded now.
    ///
    /// # Errors
    /// The upstream's error, when there is nothing to serve in its place. A 401 or a scope
    /// challenge is always an error: what was listed with that credential is dropped.
    pub async fn get(&self, caller: &Caller) -> Result<Arc<Catalog>, Error> {
        let refreshing = self.inner.refreshing.load(Ordering::Relaxed);
        let load = self.load(caller);
        let known = self
            .inner
            .callers
            .get(caller.key(), refreshing, load)
            .await?;
        if let Some(catalog) = self.view(&known) {
            return Ok(catalog);
        }
        // The list was evicted to make room for others': as if this caller were new.
        self.inner.callers.remove(&caller.key()).await;
        let known = self
            .inner
            .callers
            .get(caller.key(), refreshing, self.load(caller))
            .await?;
        self.view(&known).ok_or(Error::Busy)
    }

    /// A name was not in `seen`: lists again, unless that was done a moment ago.
    ///
    /// Gives `seen` itself when the pause is not over, the same list came back, or the upstream
    /// failed (the catalog's staleness then says so).
    ///
    /// # Errors
    /// As [`Catalogs::get`] for challenges only.
    pub async fn get_newer(
        &self,
        caller: &Caller,
        seen: &Arc<Catalog>,
    ) -> Result<Arc<Catalog>, Error> {
        let load = self.load(caller);
        match self.inner.callers.get_newer(caller.key(), load).await {
            Ok(known) => Ok(self
                .view(&known)
                .filter(|newer| !newer.same_list(seen) || newer.staleness().is_some())
                .unwrap_or_else(|| Arc::clone(seen))),
            Err(error) if is_challenge(&error) => Err(error),
            Err(_) => Ok(Arc::clone(seen)),
        }
    }

    /// Whether a catalog is held for this caller that was listed within its lifetime: proof that
    /// the upstream accepted the credential.
    pub async fn holds_fresh(&self, caller: &Caller) -> bool {
        self.inner.callers.peek_fresh(&caller.key()).await
    }

    /// Starts no more background refreshes (draining).
    pub fn stop_refreshing(&self) {
        self.inner.refreshing.store(false, Ordering::Relaxed);
    }

    fn load(
        &self,
        caller: &Caller,
    ) -> impl FnOnce() -> futures_util::future::BoxFuture<'static, Result<Known, Error>> + Send + 'static
    {
        let loader = Arc::clone(&self.inner.loader);
        let caller = caller.clone();
        move || Box::pin(async move { loader.load(&caller).await })
    }

    fn view(&self, known: &Cached<Known, Error>) -> Option<Arc<Catalog>> {
        self.inner
            .metrics
            .callers
            .set(i64::try_from(self.inner.callers.len()).unwrap_or(i64::MAX));
        let list = self.inner.loader.held(&known.value.hash)?;
        let age = known.loaded.elapsed();
        self.inner.metrics.served_age.observe(age.as_secs_f64());
        let staleness = known.failure.as_ref().map(|failure| Staleness {
            age,
            reason: failure.kind(),
        });
        Some(Arc::new(Catalog::new(list, &known.value, staleness)))
    }
}

/// Whether an error says that this credential is not accepted (any more).
const fn is_challenge(error: &Error) -> bool {
    matches!(
        error,
        Error::Unauthorized { .. } | Error::Forbidden { scope: true, .. }
    )
}
