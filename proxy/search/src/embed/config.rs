//! What does the model's `config.json` ask of its reader?

use serde::Deserialize;

use crate::embed::files;
use crate::error::Error;

/// The one key that changes a vector; all others are informational, and may be null or unknown.
#[derive(Debug, Deserialize)]
pub(super) struct Config {
    /// Whether vectors are scaled to unit length. The reference reads a missing key as false.
    #[serde(default)]
    pub(super) normalize: bool,
}

impl Config {
    pub(super) fn parse(json: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(json).map_err(|error| Error::Model {
            file: files::CONFIG,
            problem: error.to_string(),
        })
    }
}
