//! One vector per distinct tool text in the process, shared by every index that holds it.
//!
//! A tool's vector is the weighted sum of the vectors of its views (what it is called, what it
//! does, how it is introduced), so that one product with a query's vector is the weighted sum of
//! the three cosines.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sha2::{Digest, Sha256};

use crate::document::Document;
use crate::embed::{Embedder, Pieces};
use crate::simd;
use crate::views;

/// An embedder with the vectors of every tool text that is in use. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Vectors {
    embedder: Embedder,
    held: Arc<Mutex<Held>>,
}

/// The vectors of one list, in its order. They lie side by side, so that a search reads memory as
/// fast as it can be read; what is shared between lists lies beside them, to be computed once.
pub(crate) struct Rows {
    numbers: Vec<i16>,
    texts: Vec<Arc<[i16]>>,
}

impl Rows {
    pub(crate) const fn len(&self) -> usize {
        self.texts.len()
    }

    /// Row after row, of at most unit length, as [`simd::fixed`] makes them.
    pub(crate) fn numbers(&self) -> &[i16] {
        &self.numbers
    }
}

#[derive(Debug, Default)]
struct Held {
    by_text: HashMap<Key, Weak<[i16]>>,
    /// Sweep when this many are held.
    sweep_at: usize,
}

/// The digest of what of a tool is embedded.
type Key = [u8; 32];

impl Vectors {
    /// Starts empty. Vectors that no index holds any more are dropped.
    #[must_use]
    pub fn new(embedder: Embedder) -> Self {
        Self {
            embedder,
            held: Arc::default(),
        }
    }

    /// The model.
    #[must_use]
    pub const fn embedder(&self) -> &Embedder {
        &self.embedder
    }

    /// Distinct tool texts held now.
    #[must_use]
    pub fn len(&self) -> usize {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.by_text
            .values()
            .filter(|vector| vector.strong_count() > 0)
            .count()
    }

    /// Whether none is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One vector a document, computed where no other index holds it.
    pub(crate) fn of(&self, documents: &[Document], pieces: &mut Pieces<'_>) -> Rows {
        let texts: Vec<_> = documents
            .iter()
            .map(|document| self.vector(document, pieces))
            .collect();
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .sweep();
        let numbers = texts.iter().flat_map(|text| text.iter().copied()).collect();
        Rows { numbers, texts }
    }

    fn vector(&self, document: &Document, pieces: &mut Pieces<'_>) -> Arc<[i16]> {
        let key = key(document);
        let held = |held: &Mutex<Held>| {
            let held = held.lock().unwrap_or_else(PoisonError::into_inner);
            held.by_text.get(&key).and_then(Weak::upgrade)
        };
        if let Some(vector) = held(&self.held) {
            return vector;
        }
        // Embedding is the slow part: not under the lock. Two may compute the same; one is kept.
        let computed: Arc<[i16]> = self.sum(document, pieces).into();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = held.by_text.get(&key).and_then(Weak::upgrade) {
            return vector;
        }
        held.by_text.insert(key, Arc::downgrade(&computed));
        computed
    }

    /// The weights add up to one, so the sum is no longer than its parts.
    fn sum(&self, document: &Document, pieces: &mut Pieces<'_>) -> Vec<i16> {
        let mut sum = vec![0.0; self.embedder.dimensions()];
        for (weight, text) in views::of(document) {
            let direction = self.embedder.direction_of_one(&pieces.of_text(&text));
            for (total, number) in sum.iter_mut().zip(direction) {
                *total += weight * number;
            }
        }
        simd::fixed(&sum).collect()
    }
}

fn key(document: &Document) -> Key {
    let mut hasher = Sha256::new();
    for text in views::texts(document) {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.finalize().into()
}

impl Held {
    /// Forgets texts that no index holds, once their number may have doubled.
    fn sweep(&mut self) {
        if self.by_text.len() >= self.sweep_at {
            self.by_text.retain(|_, vector| vector.strong_count() > 0);
            self.sweep_at = (2 * self.by_text.len()).max(1024);
        }
    }
}
