//! Which tools mean what this query means? Cosines of one list's vectors with a query's.

use std::fmt;

use crate::document::Document;
use crate::embed::Embedder;
use crate::text::{self, Run};
use crate::vectors::{Vector, Vectors};

/// The vectors of one list of documents.
pub(crate) struct Semantic {
    vectors: Vectors,
    rows: Vec<Vector>,
}

impl fmt::Debug for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semantic")
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

impl Semantic {
    pub(crate) fn build(documents: &[Document], vectors: &Vectors) -> Self {
        Self {
            vectors: vectors.clone(),
            rows: vectors.of(documents),
        }
    }

    /// One score in [-1, 1] a document, in order; `None` when no piece of the query is known.
    pub(crate) fn score(&self, query: &str) -> Option<Vec<f32>> {
        let query = direction(self.vectors.embedder(), query);
        let known = query.iter().any(|&number| number != 0.0);
        known.then(|| self.rows.iter().map(|row| dot(row, &query)).collect())
    }
}

/// A query's direction, slips of the pen mended: the words meant beside what was written, which may
/// have been right all the same.
fn direction(embedder: &Embedder, query: &str) -> Vec<f32> {
    /// A query with more words is a pasted text.
    const MOST: usize = 48;
    let mut pieces = embedder.pieces(query);
    let mut words = 0;
    text::each_run(query, &mut |run| {
        if let Run::Word(written) = run
            && words < MOST
        {
            words += 1;
            pieces.extend(embedder.meant(written));
        }
    });
    embedder.direction_of(&pieces)
}

/// Sixteen running sums, so that the compiler can use the processor's wide registers: the order
/// of a plain sum would forbid it.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (wide_a, rest_a) = a.as_chunks::<LANES>();
    let (wide_b, rest_b) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in wide_a.iter().zip(wide_b) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}
