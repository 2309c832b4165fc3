//! Why is there no model? Told apart by what whoever reads the exit code would do.
//!
//! No variant holds a URL: a redirect's may be signed, and that is a credential.

use std::io;
use std::path::PathBuf;

use crate::model::client::BuildError;
use crate::model::digest::Digest;

/// What ended a fetch.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The bytes are not those that are pinned.
    #[error(
        "{file} is not the pinned file: expected sha256:{expected}, got {found}; check the revision and the mirror"
    )]
    DigestMismatch {
        /// The file's path in the model.
        file: String,
        /// What was pinned.
        expected: Digest,
        /// What came.
        found: Found,
    },
    /// The disk or the quota is full.
    #[error("no space left for {}; it takes the size of the model and a little more", .path.display())]
    NoSpace {
        /// What was being written.
        path: PathBuf,
    },
    /// 401 or 403.
    #[error(
        "the server refuses {file} with HTTP status {status}; give --token-file with a token that may read it"
    )]
    Unauthorized {
        /// The file's path in the model.
        file: String,
        /// The HTTP status.
        status: u16,
    },
    /// 404 or 410.
    #[error(
        "the server does not have {file} (HTTP status {status}); check repository, revision and endpoint"
    )]
    NotFound {
        /// The file's path in the model.
        file: String,
        /// The HTTP status.
        status: u16,
    },
    /// A limit of time ran out.
    #[error("{}", .0.words())]
    Timeout(Limit),
    /// The connection could not be made, or broke.
    #[error(
        "failed to reach the server, or the connection broke; check the endpoint and the network"
    )]
    Unreachable(#[source] Option<reqwest::Error>),
    /// The server answered, but not with the file.
    #[error("the server answered with HTTP status {status}; try again later")]
    Status {
        /// The HTTP status.
        status: u16,
    },
    /// A redirect that is not followed: too many, to plain http, or to nowhere.
    #[error(
        "the server redirects in a way that is not followed; give the final address with --base-url"
    )]
    Redirect,
    /// The certificate is not trusted, or the server speaks no TLS.
    #[error(
        "failed to agree on TLS; give --ca with the certificates to trust, or check the address"
    )]
    Tls(#[source] reqwest::Error),
    /// The client could not be built.
    #[error("failed to prepare the download")]
    Client(#[source] BuildError),
    /// The folder cannot be read or written.
    #[error("failed to write {}; give a folder whose parent can be written", .path.display())]
    Folder {
        /// What was being read or written.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is something else in the folder.
    #[error("{} holds files that fetch-model did not put there; give a new or empty folder", .path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
}

/// What came instead of the pinned file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Another digest.
    Digest(Digest),
    /// Another length than was pinned.
    Bytes(u64),
}

/// A limit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// For the connection.
    Connect,
    /// For silence, or near silence, within an answer.
    Stall,
    /// For everything.
    Total,
    /// For another process that fetches into the same folder.
    Lock,
}

impl Failure {
    /// An I/O error on a path, full disks told apart.
    pub(crate) fn io(path: &std::path::Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace { path },
            _ => Self::Folder { path, source },
        }
    }

    /// A static name, in the form of a condition's reason.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::DigestMismatch { .. } => "DigestMismatch",
            Self::NoSpace { .. } => "NoSpace",
            Self::Unauthorized { .. } => "Unauthorized",
            Self::NotFound { .. } => "NotFound",
            Self::Timeout(_) => "Timeout",
            Self::Unreachable(_) | Self::Status { .. } | Self::Redirect => "Unreachable",
            Self::Tls(_) | Self::Client(_) => "Tls",
            Self::Folder { .. } | Self::Occupied { .. } => "Folder",
        }
    }

    /// The process's exit code.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::DigestMismatch { .. } => 3,
            Self::NoSpace { .. } => 4,
            Self::Unauthorized { .. } => 5,
            Self::Timeout(_) => 6,
            Self::Unreachable(_) | Self::Status { .. } | Self::Redirect => 7,
            Self::NotFound { .. } => 8,
            Self::Tls(_) | Self::Client(_) => 9,
            Self::Folder { .. } | Self::Occupied { .. } => 10,
        }
    }

    /// Whether the same request may end better a little later.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        match self {
            Self::Timeout(limit) => matches!(limit, Limit::Connect | Limit::Stall),
            Self::Unreachable(_) => true,
            Self::Status { status } => matches!(status, 206 | 408 | 416 | 425 | 429 | 500..),
            Self::DigestMismatch { .. }
            | Self::NoSpace { .. }
            | Self::Unauthorized { .. }
            | Self::NotFound { .. }
            | Self::Redirect
            | Self::Tls(_)
            | Self::Client(_)
            | Self::Folder { .. }
            | Self::Occupied { .. } => false,
        }
    }
}

impl Limit {
    const fn words(self) -> &'static str {
        match self {
            Self::Connect => "no connection in time; check the network, or raise --connect-timeout",
            Self::Stall => "the server fell silent; try again, or raise --stall-timeout",
            Self::Total => {
                "not done in time; run it again to go on where it was, or raise --total-timeout"
            }
            Self::Lock => "another process is fetching into this folder; wait for it to end",
        }
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Digest(digest) => write!(f, "sha256:{digest}"),
            Self::Bytes(bytes) => write!(f, "{bytes} bytes"),
        }
    }
}
