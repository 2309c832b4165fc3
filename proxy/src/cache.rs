//! Who loads, and who waits? A bounded cache with one load a key, served stale while refreshed.
//!
//! Guarantees: for one key at most one load runs at a time, and everyone who asks meanwhile
//! shares it; a load goes on when the request that started it is dropped; a value older than its
//! lifetime is served at once while one refresh runs in the background; a failed refresh keeps
//! the value, unless the error says that it must go; and a load never takes the place of one that
//! began after it. It knows nothing about what is loaded.

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use moka::Entry;
use moka::future::Cache as Slots;
use moka::notification::RemovalCause;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use crate::task::finished;

/// How a [`Cache`] behaves.
#[derive(Debug, Clone, Copy)]
pub struct Lifetime {
    /// How long a value is fresh.
    pub ttl: Duration,
    /// The least time between two loads of one key while a value is held.
    pub pause: Duration,
    /// A value that nobody asked for this long is dropped.
    pub idle: Duration,
    /// Values kept; beyond it the least used ones go.
    pub capacity: u64,
}

/// A cached value with what is known about its age.
#[derive(Debug, Clone)]
pub struct Cached<V, E> {
    /// The value.
    pub value: V,
    /// When its load began.
    pub loaded: Instant,
    /// Why the last refresh failed, when it did.
    pub failure: Option<E>,
}

/// Values of type `V` by key, loaded by futures that fail with `E`.
pub struct Cache<K, V, E> {
    slots: Slots<K, Arc<Slot<V, E>>>,
    lifetime: Lifetime,
    /// Whether an error means that the old value must not be served any more.
    evicts: fn(&E) -> bool,
}

#[derive(Debug)]
struct Slot<V, E> {
    cached: Cached<V, E>,
    /// Held while this key is refreshed; inside, when the last load began.
    refresh: Arc<Mutex<Instant>>,
}

impl<K, V, E> fmt::Debug for Cache<K, V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("lifetime", &self.lifetime)
            .finish_non_exhaustive()
    }
}

impl<K, V, E> Clone for Cache<K, V, E> {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            lifetime: self.lifetime,
            evicts: self.evicts,
        }
    }
}

impl<K, V, E> Cache<K, V, E>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    E: Clone + Send + Sync + 'static,
{
    /// An empty cache; `dropped` is told why a value went when nobody replaced it.
    pub fn new(
        lifetime: Lifetime,
        evicts: fn(&E) -> bool,
        dropped: impl Fn(RemovalCause) + Send + Sync + 'static,
    ) -> Self {
        let slots = Slots::builder()
            .max_capacity(lifetime.capacity)
            .time_to_idle(lifetime.idle)
            .eviction_listener(move |_, _, cause| {
                if cause != RemovalCause::Replaced {
                    dropped(cause);
                }
            })
            .build();
        Self {
            slots,
            lifetime,
            evicts,
        }
    }

    /// The value: fresh, or stale while one refresh runs (if `refreshing`), or loaded now.
    ///
    /// # Errors
    /// The load's error, when no value is held.
    pub async fn get<L, F>(&self, key: K, refreshing: bool, load: L) -> Result<Cached<V, E>, E>
    where
        L: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<V, E>> + Send + 'static,
    {
        let Some(slot) = self.slots.get(&key).await else {
            return self.load_first(key, load).await;
        };
        if refreshing
            && slot.cached.loaded.elapsed() >= self.lifetime.ttl
            && let Some(turn) = self.turn(&slot)
        {
            let cache = self.clone();
            let old = Arc::clone(&slot);
            tokio::spawn(async move { cache.refresh(key, old, turn, load()).await });
        }
        Ok(slot.cached.clone())
    }

    /// The value, loaded again unless that was done a moment ago or is being done: then its
    /// result is waited for.
    ///
    /// # Errors
    /// The load's error, when no value is held or the error evicts it.
    pub async fn get_newer<L, F>(&self, key: K, load: L) -> Result<Cached<V, E>, E>
    where
        L: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<V, E>> + Send + 'static,
    {
        let Some(slot) = self.slots.get(&key).await else {
            return self.load_first(key, load).await;
        };
        let turn = Arc::clone(&slot.refresh).lock_owned().await;
        if turn.elapsed() < self.lifetime.pause {
            let newest = self.slots.get(&key).await.unwrap_or(slot);
            return Ok(newest.cached.clone());
        }
        let cache = self.clone();
        finished(tokio::spawn(async move {
            cache.refresh(key, slot, turn, load()).await
        }))
        .await
    }

    /// Whether a value is held that is within its lifetime and whose refresh has not failed.
    pub async fn peek_fresh(&self, key: &K) -> bool {
        let held = self.slots.get(key).await;
        held.is_some_and(|slot| {
            slot.cached.failure.is_none() && slot.cached.loaded.elapsed() < self.lifetime.ttl
        })
    }

    /// Forgets a key.
    pub async fn remove(&self, key: &K) {
        self.slots.invalidate(key).await;
    }

    /// Keys held, about.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.slots.entry_count()
    }

    /// Whether none is held, about.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    async fn load_first<L, F>(&self, key: K, load: L) -> Result<Cached<V, E>, E>
    where
        L: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<V, E>> + Send + 'static,
    {
        let slots = self.slots.clone();
        // A task of its own: the load outlives the request that asked first.
        let loading = tokio::spawn(async move {
            let (held, place) = (slots.clone(), key.clone());
            slots
                .try_get_with(key, async move {
                    let loaded = Instant::now();
                    let value = load().await?;
                    // A refresh of what was there before may have been followed by a newer one.
                    let newer = held.get(&place).await;
                    let newer = newer.filter(|held| held.cached.loaded > loaded);
                    Ok::<_, E>(newer.unwrap_or_else(|| Arc::new(Slot::new(value, loaded))))
                })
                .await
        });
        match finished(loading).await {
            Ok(slot) => Ok(slot.cached.clone()),
            Err(error) => Err((*error).clone()),
        }
    }

    /// The right to refresh, unless someone has it or the last load was a moment ago.
    fn turn(&self, slot: &Slot<V, E>) -> Option<OwnedMutexGuard<Instant>> {
        let turn = Arc::clone(&slot.refresh).try_lock_owned().ok()?;
        (turn.elapsed() >= self.lifetime.pause).then_some(turn)
    }

    async fn refresh(
        &self,
        key: K,
        old: Arc<Slot<V, E>>,
        mut turn: OwnedMutexGuard<Instant>,
        load: impl Future<Output = Result<V, E>>,
    ) -> Result<Cached<V, E>, E> {
        let loaded = Instant::now();
        *turn = loaded;
        let cached = match load.await {
            Ok(value) => Cached {
                value,
                loaded,
                failure: None,
            },
            Err(error) if (self.evicts)(&error) => {
                self.remove(&key).await;
                return Err(error);
            }
            Err(error) => Cached {
                failure: Some(error),
                ..old.cached.clone()
            },
        };
        let slot = Arc::new(Slot {
            cached,
            refresh: Arc::clone(&old.refresh),
        });
        // Evicted while it was loaded, and loaded anew by somebody: what began later stays.
        let newest = |held: Option<Entry<K, Arc<Slot<V, E>>>>| {
            let held = held.map(Entry::into_value);
            let newer = held.filter(|held| held.cached.loaded > slot.cached.loaded);
            std::future::ready(newer.unwrap_or(slot))
        };
        let kept = self.slots.entry(key).and_upsert_with(newest).await;
        Ok(kept.into_value().cached.clone())
    }
}

impl<V, E> Slot<V, E> {
    fn new(value: V, loaded: Instant) -> Self {
        let cached = Cached {
            value,
            loaded,
            failure: None,
        };
        Self {
            cached,
            refresh: Arc::new(Mutex::new(loaded)),
        }
    }
}

#[cfg(test)]
mod tests;
