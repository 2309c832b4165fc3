//! What can go wrong while a model is opened or an index is built.

use std::path::PathBuf;

/// Opening a model, or building an index.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the model cannot be read.
    #[error("failed to read {}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file of the model does not hold what the format asks for.
    #[error("{file} is not a Model2Vec model: {problem}")]
    Model {
        /// Which file of the folder.
        file: &'static str,
        /// What is wrong with it, as a fragment.
        problem: String,
    },
    /// The lexical index cannot be built.
    #[error("failed to build the lexical index")]
    Lexical(#[from] tantivy::TantivyError),
}

impl Error {
    /// A static name for metrics.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Read { .. } => "read",
            Self::Model { .. } => "model",
            Self::Lexical(_) => "lexical",
        }
    }
}
