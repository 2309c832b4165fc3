//! Which tools fit this query? One immutable index over one list of tools.

use crate::document::Document;
use crate::error::Error;
use crate::fuse::{Parts, Weights, fuse};
use crate::lexical::Lexical;
use crate::named::Names;
use crate::semantic::Semantic;
use crate::vectors::Vectors;

/// Both sides of the search over one list of documents.
#[derive(Debug)]
pub struct Index {
    lexical: Lexical,
    semantic: Option<Semantic>,
    names: Names,
    count: usize,
}

/// One result: a position in the list the index was built from, never a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Index into the documents.
    pub position: usize,
    /// Higher is better; comparable within one answer only; finite.
    pub score: f32,
}

/// How a hit came to its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The hit.
    pub hit: Hit,
    /// The lexical part as it entered the sum, weight and bonus for a name included.
    pub lexical: f32,
    /// The semantic part as it entered the sum, weight included; 0 without a model.
    pub semantic: f32,
    /// Query words that matched, with the fields they matched in, as `field:word`.
    pub matched: Vec<String>,
}

/// What answers a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Words only.
    Lexical,
    /// Meaning only; for measurements.
    Semantic,
    /// Both.
    Hybrid,
}

/// Characters of a query that are read: what follows is a pasted text.
const LONGEST_QUERY: usize = 2000;

impl Index {
    /// Builds both sides; without vectors the index is lexical.
    ///
    /// # Errors
    /// [`Error::Lexical`].
    pub fn build(documents: &[Document], vectors: Option<&Vectors>) -> Result<Self, Error> {
        Ok(Self {
            lexical: Lexical::build(documents)?,
            semantic: vectors.map(|vectors| Semantic::build(documents, vectors)),
            names: Names::new(documents),
            count: documents.len(),
        })
    }

    /// [`Mode::Hybrid`] with a model, [`Mode::Lexical`] without.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        if self.semantic.is_some() {
            Mode::Hybrid
        } else {
            Mode::Lexical
        }
    }

    /// The best `limit` documents, best first, ties by position. Never empty when the index and
    /// the query are not (a query of blanks counts as empty).
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let parts = self.parts(query, self.mode(), &Weights::default());
        best(&parts, limit)
    }

    /// As [`Index::search`], with chosen weights and mode, and how each score came about.
    #[must_use]
    pub fn explain(
        &self,
        query: &str,
        limit: usize,
        mode: Mode,
        weights: &Weights,
    ) -> Vec<Explanation> {
        let parts = self.parts(query, mode, weights);
        let hits = best(&parts, limit).into_iter();
        hits.map(|hit| {
            let Parts { lexical, semantic } = parts[hit.position];
            Explanation {
                hit,
                lexical,
                semantic,
                matched: self.lexical.matched(query, hit.position),
            }
        })
        .collect()
    }

    /// As [`Index::search`], with chosen weights and mode: for measurements.
    #[must_use]
    pub fn rank(&self, query: &str, limit: usize, mode: Mode, weights: &Weights) -> Vec<Hit> {
        best(&self.parts(query, mode, weights), limit)
    }

    /// Documents in the index.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn parts(&self, query: &str, mode: Mode, weights: &Weights) -> Vec<Parts> {
        let end = query
            .char_indices()
            .nth(LONGEST_QUERY)
            .map_or(query.len(), |(at, _)| at);
        let query = query[..end].trim();
        if query.is_empty() {
            return Vec::new();
        }
        let matches = (mode != Mode::Semantic).then(|| self.lexical.score(query));
        let semantic = self.semantic.as_ref().filter(|_| mode != Mode::Lexical);
        let semantic = semantic.and_then(|semantic| semantic.score(query));
        let lexical = matches
            .as_ref()
            .map(|matches| (&matches.scores[..], matches.best));
        let mut parts = fuse(lexical, semantic.as_deref(), self.count, weights);
        if mode != Mode::Semantic {
            for (position, bonus) in self.names.bonuses(query) {
                parts[position].lexical += bonus;
            }
        }
        parts
    }
}

fn best(parts: &[Parts], limit: usize) -> Vec<Hit> {
    let mut hits: Vec<Hit> = parts
        .iter()
        .enumerate()
        .map(|(position, parts)| Hit {
            position,
            score: parts.sum(),
        })
        .collect();
    let order = |a: &Hit, b: &Hit| {
        b.score
            .total_cmp(&a.score)
            .then(a.position.cmp(&b.position))
    };
    if limit < hits.len() {
        if limit == 0 {
            return Vec::new();
        }
        hits.select_nth_unstable_by(limit - 1, order);
        hits.truncate(limit);
    }
    hits.sort_by(order);
    hits
}

#[cfg(test)]
mod tests;
