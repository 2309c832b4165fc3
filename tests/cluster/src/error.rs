//! What can go wrong, by what the caller would do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why the cluster did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// This machine cannot carry the cluster, whatever is tried again. Nothing was started.
    #[error(
        "this machine cannot carry the test cluster:\n  - {}\nwhat needs no namespaces of its own runs on kind (`kind create cluster`) with the same manifests and charts",
        .0.join("\n  - ")
    )]
    Unsupported(Vec<String>),
    /// Somebody else's cluster is in the one place there is.
    #[error("there is a cluster already ({0}); `tests/cluster/down` ends it")]
    Busy(String),
    /// A command needs a running cluster and there is none.
    #[error("no cluster is running; `tests/cluster/up` starts one")]
    Absent,
    /// A program said no.
    #[error("`{command}` failed ({status}){said}")]
    Command {
        /// The program and its first arguments.
        command: String,
        /// How it ended.
        status: String,
        /// What it wrote, shortened, with a line break in front; empty when it was silent.
        said: String,
    },
    /// A program could not be started at all.
    #[error("cannot start `{program}`")]
    Start {
        /// Which one.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// A file could not be read, written or removed.
    #[error("cannot {doing} {}", .path.display())]
    File {
        /// A verb: read, write, remove.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something did not become ready in its time.
    #[error("{what} was not ready within {seconds} s{said}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        seconds: u64,
        /// The last thing that was heard of it, with a line break in front.
        said: String,
    },
    /// Something was asked for that makes no sense, or a file does not hold what it should.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File {
            doing,
            path,
            source,
        }
    }
}
