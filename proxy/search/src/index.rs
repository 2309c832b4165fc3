//! Which tools fit this query? One immutable index over one list of tools.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::corpus::Corpus;
use crate::document::Document;
use crate::error::Error;
use crate::expansion::Expansion;
use crate::fuse::{Parts, Sides, Weights};
use crate::known::Known;
use crate::lexical::Lexical;
use crate::named::Names;
use crate::semantic::Semantic;
use crate::twins::Twins;
use crate::vectors::Vectors;

/// Both sides of the search over one list of documents.
#[derive(Debug)]
pub struct Index {
    lexical: Lexical,
    /// What needs a model.
    meaning: Option<(Semantic, Expansion)>,
    names: Names,
    known: Known,
    twins: Twins,
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

/// How a hit came to its score, which is the sum of the four parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The hit.
    pub hit: Hit,
    /// What a query that names the tool, nearly or its service, adds; else 0.
    pub named: f32,
    /// The part of the query's words as they are, weight included.
    pub lexical: f32,
    /// The part of words near in meaning, weight included; 0 without a model.
    pub expansion: f32,
    /// The part of query and tool as a whole, weight included; 0 without a model.
    pub semantic: f32,
    /// Query words that matched, with the fields they matched in, as `field:word`.
    pub matched: Vec<String>,
    /// Query words with the tool's word nearest in meaning, as `asked~found`, and their cosine.
    pub near: Vec<(String, f32)>,
    /// The share of the query's words that some tool has, in [0, 1]: its square is the trust in
    /// words as they are.
    pub known: f32,
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
        let corpus = Corpus::read(documents);
        let known = Known::new(&corpus);
        Ok(Self {
            lexical: Lexical::build(&corpus)?,
            meaning: vectors.map(|vectors| {
                let embedder = vectors.embedder();
                let mut pieces = embedder.pieces_of_many();
                let semantic = Semantic::build(documents, vectors, &mut pieces);
                (semantic, Expansion::build(&corpus, embedder, &mut pieces))
            }),
            names: Names::new(documents, &known),
            known,
            twins: Twins::new(documents),
            count: documents.len(),
        })
    }

    /// [`Mode::Hybrid`] with a model, [`Mode::Lexical`] without.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        if self.meaning.is_some() {
            Mode::Hybrid
        } else {
            Mode::Lexical
        }
    }

    /// The best `limit` documents, best first, ties by position. Never empty when the index and
    /// the query are not (a query of blanks counts as empty).
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.rank(query, limit, self.mode(), &Weights::default())
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
        let Some(query) = read(query) else {
            return Vec::new();
        };
        let sides = self.sides(query, mode);
        let parts = sides.fuse(weights);
        let near = |position| {
            let meaning = self.meaning.as_ref().filter(|_| mode == Mode::Hybrid);
            let near = meaning.map(|(_, expansion)| expansion.matched(query, position));
            let near = near.into_iter().flatten();
            near.map(|near| (format!("{}~{}", near.asked, near.found), near.similarity))
                .collect()
        };
        let hits = self.best(&parts, limit).into_iter();
        hits.map(|hit| {
            let Parts {
                named,
                lexical,
                expansion,
                semantic,
            } = parts(hit.position);
            Explanation {
                hit,
                named,
                lexical,
                expansion,
                semantic,
                matched: self.lexical.matched(query, hit.position),
                near: near(hit.position),
                known: sides.known,
            }
        })
        .collect()
    }

    /// As [`Index::search`], with chosen weights and mode: for measurements.
    #[must_use]
    pub fn rank(&self, query: &str, limit: usize, mode: Mode, weights: &Weights) -> Vec<Hit> {
        read(query).map_or_else(Vec::new, |query| {
            self.best(self.sides(query, mode).fuse(weights), limit)
        })
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

    /// The other positions that have the same tool under other names: of these at most one is
    /// among the hits of a query, the best.
    pub fn twins(&self, position: usize) -> impl Iterator<Item = usize> {
        self.twins.of(position)
    }

    /// What each side says.
    fn sides(&self, query: &str, mode: Mode) -> Sides {
        let meaning = self.meaning.as_ref().filter(|_| mode != Mode::Lexical);
        let words = mode != Mode::Semantic;
        let expansion = meaning.filter(|_| words);
        let known = self.known.share(query);
        // In the catalog's language a service's name counts as any rare word does.
        let foreign = if expansion.is_some() {
            1.0 - known * known
        } else {
            0.0
        };
        Sides {
            named: words.then(|| self.named(query, foreign)),
            lexical: words.then(|| self.lexical.score(query)),
            expansion: expansion.map(|(_, expansion)| expansion.score(query)),
            semantic: meaning.and_then(|(semantic, _)| semantic.score(query)),
            known,
        }
    }

    /// What the names in a query add to each document.
    fn named(&self, query: &str, foreign: f32) -> Vec<f32> {
        let mut named = vec![0.0; self.count];
        for (position, lift) in self.names.lifts(query) {
            named[position] += foreign * lift;
        }
        for (position, bonus) in self.names.bonuses(query) {
            named[position] += bonus;
        }
        named
    }

    /// The best documents, of twins the best one.
    fn best(&self, parts: impl Fn(usize) -> Parts, limit: usize) -> Vec<Hit> {
        let mut scores: Vec<f32> = (0..self.count)
            .map(|position| parts(position).sum())
            .collect();
        self.twins.keep_best(&mut scores);
        let mut best = BinaryHeap::with_capacity(limit.min(self.count));
        for (position, score) in scores.into_iter().enumerate() {
            if score == f32::NEG_INFINITY {
                continue;
            }
            let ranked = Ranked(Hit { position, score });
            if best.len() < limit {
                best.push(ranked);
            } else if let Some(mut worst) = best.peek_mut()
                && ranked < *worst
            {
                *worst = ranked;
            }
        }
        let best = best.into_sorted_vec();
        best.into_iter().map(|Ranked(hit)| hit).collect()
    }
}

/// A hit in the order of an answer: the better first, ties by position.
#[derive(PartialEq)]
struct Ranked(Hit);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.0.score.total_cmp(&self.0.score);
        by_score.then(self.0.position.cmp(&other.0.position))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What of a query is read; `None` where nothing is left.
fn read(query: &str) -> Option<&str> {
    let end = query
        .char_indices()
        .nth(LONGEST_QUERY)
        .map_or(query.len(), |(at, _)| at);
    Some(query[..end].trim()).filter(|query| !query.is_empty())
}

#[cfg(test)]
mod tests;
