//! Text in, ranked positions out: BM25 fused with static embeddings.
//!
//! No network, no clock, no MCP: the same code runs in production and in the evaluation.

mod bm25f;
mod document;
mod embed;
mod error;
mod expansion;
mod fuse;
mod index;
mod known;
mod lexical;
mod named;
mod semantic;
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
pub use vectors::Vectors;
