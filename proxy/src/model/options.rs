//! What a fetch is told: what, from where, to where, and how long it may take.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::manifest::Manifest;
use crate::model::source::Source;
use crate::model::token::Token;

/// What to fetch, from where, to where.
#[derive(Debug)]
pub struct Options {
    /// The folder that will be complete.
    pub folder: PathBuf,
    /// Where the files are.
    pub source: Source,
    /// Which files, and what they must be.
    pub manifest: Manifest,
    /// The credential for the source's origin.
    pub token: Option<Token>,
    /// PEM certificates that are trusted beside the system's.
    pub extra_roots: Option<Vec<u8>>,
    /// How long and how often.
    pub limits: Limits,
}

/// How long things may take, and how often they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For a connection.
    pub connect: Duration,
    /// For silence, or less than 1 kB a second.
    pub stall: Duration,
    /// For everything.
    pub total: Duration,
    /// Attempts after the first that bring no byte, in a row.
    pub retries: u32,
    /// The longest first pause; later ones double.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            total: Duration::from_secs(15 * 60),
            retries: 5,
            pause: Duration::from_millis(500),
        }
    }
}
