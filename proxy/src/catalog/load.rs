//! How does a list become a catalog? Every page from the upstream, interned, indexed off the
//! async threads, once for all callers who have the same list.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use moka::future::Cache as Lists;
use moka::notification::RemovalCause;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use toolsearch_search::Vectors;

use crate::caller::Caller;
use crate::catalog::access::Policy;
use crate::catalog::config::{Config, IDLE_LIFETIMES};
use crate::catalog::entry::Entry;
use crate::catalog::list::{List, ListHash};
use crate::catalog::metrics::Metrics;
use crate::protocol::Tool;
use crate::task::finished;
use crate::upstream::{Error, Listing, Upstream};

/// What is remembered of one caller's listing: the list itself is kept once, by its hash.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) hash: ListHash,
    pub(super) instructions: Option<Arc<str>>,
    pub(super) truncated: Option<&'static str>,
}

/// Lists the upstream and builds what is not built yet.
#[derive(Debug)]
pub(super) struct Loader {
    upstream: Upstream,
    vectors: Option<Vectors>,
    policy: Policy,
    lists: Lists<ListHash, Arc<List>>,
    entries: Mutex<Interned>,
    turns: Semaphore,
    metrics: Arc<Metrics>,
}

/// How long a listing waits for its turn before it is refused.
const TURN_WAIT: Duration = Duration::from_secs(30);

impl Loader {
    pub(super) fn new(
        config: Config,
        upstream: Upstream,
        vectors: Option<Vectors>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let counted = Arc::clone(&metrics);
        let lists = Lists::builder()
            .max_capacity(config.max_lists as u64)
            .time_to_idle(config.ttl * IDLE_LIFETIMES)
            .eviction_listener(move |_, _, cause| {
                if cause != RemovalCause::Replaced {
                    counted.evicted("lists", cause);
                }
            })
            .build();
        Self {
            upstream,
            vectors,
            policy: config.policy,
            lists,
            entries: Mutex::default(),
            turns: Semaphore::new(config.max_concurrent_lists),
            metrics,
        }
    }

    /// Lists with this caller's credential and builds the index if the list is new.
    pub(super) async fn load(self: &Arc<Self>, caller: &Caller) -> Result<Known, Error> {
        let listed = self.list(caller).await;
        self.metrics
            .loaded(listed.as_ref().map_or_else(Error::kind, |_| "ok"));
        let Listing {
            tools,
            dropped,
            instructions,
            truncated,
        } = listed?;
        for (name, reason) in dropped {
            self.metrics.dropped_tool(reason.kind());
            tracing::warn!(
                tool = name.as_deref().unwrap_or("?"),
                reason = reason.kind(),
                "left out a tool"
            );
        }
        if let Some(ceiling) = truncated {
            tracing::warn!(
                ceiling,
                tools = tools.len(),
                "the tool list was cut at a ceiling"
            );
        }
        let hash = self.keep(tools).await;
        Ok(Known {
            hash,
            instructions: instructions.map(Arc::from),
            truncated,
        })
    }

    /// The list of this hash, if it was not evicted.
    pub(super) fn held(&self, hash: &ListHash) -> Option<Arc<List>> {
        // `get` of the async cache never waits for I/O; polled once it is ready.
        futures_util::FutureExt::now_or_never(self.lists.get(hash)).flatten()
    }

    async fn list(&self, caller: &Caller) -> Result<Listing, Error> {
        let turn = tokio::time::timeout(TURN_WAIT, self.turns.acquire()).await;
        let _turn = turn
            .map_err(|_elapsed| Error::Busy)?
            .map_err(|_closed| Error::Busy)?;
        self.upstream.list(caller).await
    }

    async fn keep(self: &Arc<Self>, tools: Vec<Tool>) -> ListHash {
        let hash = ListHash::of(&tools);
        let loader = Arc::clone(self);
        self.lists
            .get_with(hash, async move { loader.build(hash, tools).await })
            .await;
        self.metrics
            .lists
            .set(i64::try_from(self.lists.entry_count()).unwrap_or(i64::MAX));
        hash
    }

    async fn build(self: Arc<Self>, hash: ListHash, tools: Vec<Tool>) -> Arc<List> {
        let building = tokio::task::spawn_blocking(move || {
            let entries = self.intern(tools);
            self.metrics.list_tools.observe(entries.len() as f64);
            List::build(
                hash,
                entries,
                self.vectors.as_ref(),
                Arc::clone(&self.metrics),
            )
        });
        Arc::new(finished(building).await)
    }

    fn intern(&self, tools: Vec<Tool>) -> Vec<Arc<Entry>> {
        let mut interned = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = tools
            .into_iter()
            .map(|tool| interned.entry(tool, &self.policy))
            .collect();
        interned.sweep();
        self.metrics
            .distinct_tools
            .set(i64::try_from(interned.held.len()).unwrap_or(i64::MAX));
        entries
    }
}

/// Every definition that some list holds, once.
#[derive(Debug, Default)]
struct Interned {
    held: HashMap<[u8; 32], Weak<Entry>>,
    /// Sweep when this many are held.
    sweep_at: usize,
}

impl Interned {
    fn entry(&mut self, tool: Tool, policy: &Policy) -> Arc<Entry> {
        let hash = Sha256::digest(tool.raw.get().as_bytes()).into();
        if let Some(entry) = self.held.get(&hash).and_then(Weak::upgrade) {
            return entry;
        }
        let access = policy.access(&tool);
        let entry = Arc::new(Entry::new(tool, access));
        self.held.insert(hash, Arc::downgrade(&entry));
        entry
    }

    /// Forgets definitions that no list holds, once their number may have doubled.
    fn sweep(&mut self) {
        if self.held.len() >= self.sweep_at {
            self.held.retain(|_, entry| entry.strong_count() > 0);
            self.sweep_at = (2 * self.held.len()).max(1024);
        }
    }
}
