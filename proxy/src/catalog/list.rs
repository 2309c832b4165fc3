//! One distinct list of tools with its index: built once, shared by every caller who has it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use toolsearch_search::{Document, Index, Vectors};

use crate::catalog::entry::Entry;
use crate::catalog::metrics::Metrics;
use crate::catalog::sentences::Shared;
use crate::protocol::Tool;

/// SHA-256 over every definition of a list, in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ListHash([u8; 32]);

impl fmt::Debug for ListHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ListHash")
    }
}

impl ListHash {
    /// Hashes the raw definitions, each with its length, so that no two lists run together.
    pub(super) fn of(tools: &[Tool]) -> Self {
        let mut hasher = Sha256::new();
        for tool in tools {
            let raw = tool.raw.get().as_bytes();
            hasher.update((raw.len() as u64).to_le_bytes());
            hasher.update(raw);
        }
        Self(hasher.finalize().into())
    }
}

/// The tools of one list, by position and by name, and the index over them.
#[derive(Debug)]
pub(super) struct List {
    pub(super) hash: ListHash,
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) by_name: HashMap<String, usize>,
    /// `None` when the index could not be built: names still answer.
    pub(super) index: Option<Index>,
    pub(super) shared: Shared,
    pub(super) metrics: Arc<Metrics>,
}

impl List {
    /// Indexes the entries. Takes about a second for 10,000 tools: not for an async thread.
    pub(super) fn build(
        hash: ListHash,
        entries: Vec<Arc<Entry>>,
        vectors: Option<&Vectors>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let documents: Vec<Document> = entries.iter().map(|entry| document(&entry.tool)).collect();
        let index = metrics
            .index_seconds
            .observe_closure_duration(|| Index::build(&documents, vectors))
            .inspect_err(|error| {
                tracing::error!(reason = error.kind(), "failed to index a tool list");
            })
            .ok();
        let descriptions = entries.iter().map(|entry| entry.tool.description.as_str());
        let shared = Shared::of(descriptions);
        let names = entries.iter().enumerate();
        let by_name = names
            .map(|(position, entry)| (entry.tool.name.clone(), position))
            .collect();
        Self {
            hash,
            entries,
            by_name,
            index,
            shared,
            metrics,
        }
    }
}

fn document(tool: &Tool) -> Document {
    let schema = serde_json::from_str(tool.input_schema.get()).unwrap_or(Value::Null);
    Document::new(
        &tool.name,
        tool.title.as_deref().unwrap_or_default(),
        &tool.description,
        &schema,
    )
}
