//! What does this text mean? Static embeddings in the Model2Vec format.
//!
//! A text's vector is the weighted mean of the rows of its pieces, as the reference
//! implementation (model2vec 0.10) computes it. Never reads the network; never fails on a text.

mod config;
mod files;
mod pieces;
mod pool;
mod tokens;
mod weights;
mod words;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::Error;

pub(crate) use pieces::Pieces;

use config::Config;
use files::{CONFIG, TABLE, TOKENIZER};
use tokens::Tokens;
use weights::{Bytes, Weights};

/// A loaded model. Cheap to clone; safe to use from many threads.
#[derive(Clone)]
pub struct Embedder {
    model: Arc<Model>,
}

struct Model {
    id: String,
    config: Config,
    tokens: Tokens,
    weights: Weights,
}

impl Embedder {
    /// The model inside the binary.
    ///
    /// # Errors
    /// Never in a build whose tests passed.
    pub fn builtin() -> Result<Self, Error> {
        Self::assemble(
            include_bytes!("../model/config.json"),
            include_bytes!("../model/tokenizer.json"),
            Bytes::Static(include_bytes!("../model/model.safetensors")),
        )
    }

    /// Opens a folder with `config.json`, `tokenizer.json` and `model.safetensors`; the table is
    /// mapped, not read, and must not be changed in place while it is open.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let read = |file| {
            let path = folder.join(file);
            std::fs::read(&path).map_err(|source| Error::Read { path, source })
        };
        let config = read(CONFIG)?;
        let tokenizer = read(TOKENIZER)?;
        Self::assemble(&config, &tokenizer, Bytes::map(&folder.join(TABLE))?)
    }

    fn assemble(config: &[u8], tokenizer: &[u8], table: Bytes) -> Result<Self, Error> {
        let digest = Sha256::new().chain_update(config).chain_update(tokenizer);
        // The header names every tensor's type, shape and place; hashing half a gigabyte of
        // numbers as well would cost half a second at each start.
        let digest = digest
            .chain_update(table.header())
            .chain_update(table.sample());
        let id = digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let tokens = Tokens::parse(tokenizer)?;
        let weights = Weights::parse(table, tokens.vocabulary_size())?;
        let config = Config::parse(config)?;
        Ok(Self {
            model: Arc::new(Model {
                id,
                config,
                tokens,
                weights,
            }),
        })
    }

    /// Tells models apart: SHA-256 of configuration, tokenizer and the table's header with a
    /// sample of its rows, hexadecimal. Two models never share vectors.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.model.id
    }

    /// Numbers in a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.model.weights.dimensions()
    }

    /// The vector of a text: unit length where the model normalizes, all zero where no piece of
    /// the text is known.
    #[must_use]
    pub fn embed(&self, text: &str) -> Vec<f32> {
        let Model {
            id: _,
            config,
            tokens,
            weights,
        } = &*self.model;
        pool::mean(&tokens.ids(text), weights, config.normalize)
    }

    /// The pieces that a text consists of, without unknown ones.
    pub(crate) fn pieces(&self, text: &str) -> Vec<u32> {
        self.model.tokens.ids(text)
    }

    /// As [`Embedder::pieces`], for many texts.
    pub(crate) fn pieces_of_many(&self) -> Pieces<'_> {
        Pieces::of(&self.model.tokens)
    }

    /// The piece of the word that was meant by one for which the model has none.
    pub(crate) fn meant(&self, word: &str) -> Option<u32> {
        self.model.tokens.meant(word)
    }

    /// The vector of a text's pieces, made unit length whatever the model asks for: products of
    /// two are cosines.
    pub(crate) fn direction_of(&self, pieces: &[u32]) -> Vec<f32> {
        pool::direction(pool::mean(pieces, &self.model.weights, false))
    }

    /// As [`Embedder::direction_of`], for many short texts.
    pub(crate) fn direction_of_one(&self, pieces: &[u32]) -> Vec<f32> {
        pool::direction(pool::sum(pieces, &self.model.weights))
    }
}

impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder")
            .field("id", &self.model.id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
