//! Which tools mean what this query means? Cosines of one list's vectors with a query's.

use std::fmt;

use crate::document::Document;
use crate::embed::{Embedder, Pieces};
use crate::simd;
use crate::text::{self, Run};
use crate::vectors::{Rows, Vectors};

/// The vectors of one list of documents.
pub(crate) struct Semantic {
    vectors: Vectors,
    rows: Rows,
}

impl fmt::Debug for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semantic")
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

impl Semantic {
    pub(crate) fn build(
        documents: &[Document],
        vectors: &Vectors,
        pieces: &mut Pieces<'_>,
    ) -> Self {
        Self {
            vectors: vectors.clone(),
            rows: vectors.of(documents, pieces),
        }
    }

    /// One score in [-1, 1] a document, in order; `None` when no piece of the query is known.
    pub(crate) fn score(&self, query: &str) -> Option<Vec<f32>> {
        let query = direction(self.vectors.embedder(), query);
        let known = query.iter().any(|&number| number != 0.0);
        known.then(|| {
            let query: Vec<i16> = simd::fixed(&query).collect();
            simd::products_of_fixed(self.rows.numbers(), &query)
        })
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
