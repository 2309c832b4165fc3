//! What does one caller see? An immutable view: the shared list, and this caller's instructions.

use std::sync::Arc;
use std::time::Duration;

use toolsearch_search::{Explanation, Mode, Weights};

use crate::catalog::entry::Entry;
use crate::catalog::list::List;
use crate::catalog::load::Known;
use crate::catalog::names;

/// One caller's catalog as one listing gave it.
#[derive(Debug)]
pub struct Catalog {
    list: Arc<List>,
    instructions: Option<Arc<str>>,
    truncated: Option<&'static str>,
    staleness: Option<Staleness>,
}

/// One search result.
#[derive(Debug, Clone)]
pub struct Found {
    /// The tool.
    pub entry: Arc<Entry>,
    /// Higher is better; comparable within one answer only.
    pub score: f32,
    /// The same tool under other names, in the list's order: none of them is a result of its own.
    pub twins: Vec<Arc<Entry>>,
}

/// The last refresh failed: this is the last good list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staleness {
    /// Since the list was loaded.
    pub age: Duration,
    /// The upstream error's static name.
    pub reason: &'static str,
}

impl Catalog {
    pub(super) fn new(list: Arc<List>, known: &Known, staleness: Option<Staleness>) -> Self {
        let Known {
            hash: _,
            instructions,
            truncated,
        } = known.clone();
        Self {
            list,
            instructions,
            truncated,
            staleness,
        }
    }

    /// How many tools it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.entries.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.entries.is_empty()
    }

    /// The tool of exactly this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.list
            .by_name
            .get(name)
            .map(|&position| &self.list.entries[position])
    }

    /// The best tools for a query, best first; never empty when the catalog and query are not.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Found> {
        let Some(index) = &self.list.index else {
            let nearest = self.similar(query, limit).into_iter().cloned();
            let alone = |entry| Found {
                entry,
                score: 0.0,
                twins: Vec::new(),
            };
            return nearest.map(alone).collect();
        };
        let seconds = &self.list.metrics.search_seconds;
        let seconds = seconds.with_label_values(&[mode_name(index.mode())]);
        let hits = seconds.observe_closure_duration(|| index.search(query, limit));
        let entry = |position: usize| Arc::clone(&self.list.entries[position]);
        hits.into_iter()
            .map(|hit| Found {
                entry: entry(hit.position),
                score: hit.score,
                twins: index.twins(hit.position).map(entry).collect(),
            })
            .collect()
    }

    /// As [`Catalog::search`], with how each score came about; empty without an index.
    #[must_use]
    pub fn explain(&self, query: &str, limit: usize) -> Vec<(&Arc<Entry>, Explanation)> {
        let Some(index) = &self.list.index else {
            return Vec::new();
        };
        let explained = index.explain(query, limit, index.mode(), &Weights::default());
        let explained = explained.into_iter();
        explained
            .map(|explained| (&self.list.entries[explained.hit.position], explained))
            .collect()
    }

    /// The sentences of a tool's description that tell it from the others of this list.
    #[must_use]
    pub fn own_sentences(&self, entry: &Entry) -> Vec<String> {
        self.list.shared.own_sentences(&entry.tool.description)
    }

    /// Whether a model takes part in the search.
    #[must_use]
    pub fn searches_by_meaning(&self) -> bool {
        self.list
            .index
            .as_ref()
            .is_some_and(|index| index.mode() != Mode::Lexical)
    }

    /// The tools whose names are closest to one that no tool has, closest first.
    #[must_use]
    pub fn similar(&self, name: &str, limit: usize) -> Vec<&Arc<Entry>> {
        let nearest = names::nearest(name, self.names(), limit).into_iter();
        nearest
            .map(|position| &self.list.entries[position])
            .collect()
    }

    /// The one tool that this name is clearly a slip of: equal but for case, hyphen, underscore,
    /// dot or slash, or a short edit away from one name and far from all others.
    #[must_use]
    pub fn intended(&self, name: &str) -> Option<&Arc<Entry>> {
        names::intended(name, self.names()).map(|position| &self.list.entries[position])
    }

    /// The upstream's instructions for this caller, unchanged.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// Set when the list was cut at a ceiling, naming which.
    #[must_use]
    pub const fn truncated(&self) -> Option<&'static str> {
        self.truncated
    }

    /// Set when the last refresh failed.
    #[must_use]
    pub const fn staleness(&self) -> Option<Staleness> {
        self.staleness
    }

    /// Whether both show the same tools in the same order.
    #[must_use]
    pub fn same_list(&self, other: &Self) -> bool {
        self.list.hash == other.list.hash
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.list
            .entries
            .iter()
            .map(|entry| entry.tool.name.as_str())
    }
}

const fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Lexical => "lexical",
        Mode::Semantic => "semantic",
        Mode::Hybrid => "hybrid",
    }
}
