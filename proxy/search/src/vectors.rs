//! One vector per distinct tool text in the process, shared by every index that holds it.
//!
//! A tool's vector is the weighted sum of the vectors of its views (what it is called, what it
//! does, how it is introduced), so that one product with a query's vector is the weighted sum of
//! the three cosines.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sha2::{Digest, Sha256};

use crate::document::Document;
use crate::embed::Embedder;
use crate::views;

/// An embedder with the vectors of every tool text that is in use. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Vectors {
    embedder: Embedder,
    held: Arc<Mutex<Held>>,
}

/// A tool's vector; not of unit length.
pub(crate) type Vector = Arc<[f32]>;

#[derive(Debug, Default)]
struct Held {
    by_text: HashMap<[u8; 32], Weak<[f32]>>,
    /// Sweep when this many are held.
    sweep_at: usize,
}

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
    pub(crate) fn of(&self, documents: &[Document]) -> Vec<Vector> {
        let vectors = documents
            .iter()
            .map(|document| self.vector(document))
            .collect();
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .sweep();
        vectors
    }

    fn vector(&self, document: &Document) -> Vector {
        let views = views::of(document);
        let mut hasher = Sha256::new();
        for (_, text) in &views {
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text);
        }
        let key = hasher.finalize().into();
        let held = |held: &Mutex<Held>| {
            let held = held.lock().unwrap_or_else(PoisonError::into_inner);
            held.by_text.get(&key).and_then(Weak::upgrade)
        };
        if let Some(vector) = held(&self.held) {
            return vector;
        }
        // Embedding is the slow part: not under the lock. Two may compute the same; one is kept.
        let computed: Vector = self.sum(&views).into();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = held.by_text.get(&key).and_then(Weak::upgrade) {
            return vector;
        }
        held.by_text.insert(key, Arc::downgrade(&computed));
        computed
    }

    fn sum(&self, views: &[(f32, String)]) -> Vec<f32> {
        let mut sum = vec![0.0; self.embedder.dimensions()];
        for (weight, text) in views {
            for (total, number) in sum.iter_mut().zip(self.embedder.direction(text)) {
                *total += weight * number;
            }
        }
        sum
    }
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
