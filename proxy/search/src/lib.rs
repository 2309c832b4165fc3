//! Text in, ranked positions out: BM25 fused with static embeddings.
//!
//! No network, no clock, no MCP: the same code runs in production and in the evaluation.

mod bm25f;
mod corpus;
mod document;
mod embed;
mod error;
mod expansion;
mod fuse;
mod index;
mod known;
mod lexical;
mod named;
mod near;
mod semantic;
mod simd;
mod slips;
mod text;
mod twins;
mod vectors;
mod views;

pub use document::{Document, Parameter};
pub use embed::Embedder;
pub use error::Error;
pub use fuse::Weights;
pub use index::{Explanation, Hit, Index, Mode};
#[doc(hidden)] // For the benchmark, which compares them with only reading the rows.
pub use simd::{fixed, products_of_fixed};
pub use vectors::Vectors;
