//! Which tools mean what this query means? Cosines of one list's vectors with a query's.

use std::fmt;

use crate::document::Document;
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
        let query = self.vectors.embedder().direction(query);
        let known = query.iter().any(|&number| number != 0.0);
        known.then(|| self.rows.iter().map(|row| dot(row, &query)).collect())
    }
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
