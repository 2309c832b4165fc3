//! How does a model get onto the disk? `fetch-model`: whole and verified, or not at all.
//!
//! # Guarantees
//! - Each file is checked against a pinned SHA-256 digest; nothing unverified gets its final name.
//! - The folder appears complete, with a `.complete` marker, or stays as it was.
//! - A second run verifies the folder and touches no network; a run that was cut goes on where it
//!   was, hashing again what is on the disk.
//! - Time is bounded: for connecting, for silence, and in all.
//! - The token goes to the configured origin alone and into no message.
//!
//! # Exit codes
//! The last line on standard error is one JSON object whose `reason` tells the same.
//!
//! | code | reason | meaning |
//! |---|---|---|
//! | 0 | `Fetched`, `AlreadyComplete` | the folder is complete and verified |
//! | 3 | `DigestMismatch` | a file is not the pinned one; not tried again |
//! | 4 | `NoSpace` | the disk or quota is full |
//! | 5 | `Unauthorized` | 401 or 403; not tried again |
//! | 6 | `Timeout` | a limit of time ran out |
//! | 7 | `Unreachable` | no connection, or the server kept failing |
//! | 8 | `NotFound` | 404 or 410; not tried again |
//! | 9 | `Tls` | the server's certificate is not trusted, or it speaks no TLS |
//! | 10 | `Folder` | the folder cannot be written |
//! | 64 | `Usage` | the command line is wrong |
//! | 130 | `Interrupted` | SIGTERM or SIGINT; the next run goes on where this one was |

mod arguments;
mod attempt;
mod backoff;
mod client;
mod digest;
mod failure;
mod folder;
mod manifest;
mod mistakes;
mod options;
mod outcome;
mod part;
mod progress;
mod request;
mod source;
mod token;
mod transfer;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, timeout_at};

pub use arguments::{command, options};
pub use client::BuildError;
pub use digest::{Digest, NoDigest};
pub use failure::{Failure, Found, Limit};
pub use manifest::{Entry, Manifest, NoEntry};
pub use mistakes::Mistakes;
pub use options::{Limits, Options};
pub use outcome::Outcome;
pub use progress::Reporter;
pub use source::Source;
pub use token::{NoToken, Token};

use crate::model::folder::Folder;
use crate::model::transfer::Transfer;

/// Runs the subcommand and returns the exit code of the table above.
pub async fn run(matches: &clap::ArgMatches) -> u8 {
    let stderr = io::stderr();
    let report = matches.get_one::<String>("report").map(PathBuf::from);
    let mut reporter =
        Reporter::new(Box::new(io::stderr()), stderr.is_terminal()).reporting_to(report);
    let options = match options(matches) {
        Ok(options) => options,
        Err(mistakes) => return reporter.usage(&mistakes),
    };
    let done = tokio::select! {
        done = fetch(&options, &mut reporter) => done,
        () = stopped() => return reporter.interrupted(),
    };
    reporter.end(&options, &done);
    done.map_or_else(|failure| failure.exit_code(), |_| 0)
}

/// As the first process of a container nothing ends us but what we listen for.
async fn stopped() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Makes the folder complete.
///
/// # Errors
/// See [`Failure`]; the folder is then as it was before.
pub async fn fetch(options: &Options, reporter: &mut Reporter) -> Result<Outcome, Failure> {
    let deadline = Instant::now() + options.limits.total;
    let folder = Folder::new(&options.folder)?;
    if folder.holds(&options.manifest)? {
        return Ok(Outcome::AlreadyComplete);
    }
    let _lock = folder.lock(deadline).await?;
    // Whoever held the lock may have done the work.
    if folder.holds(&options.manifest)? {
        return Ok(Outcome::AlreadyComplete);
    }
    folder.refuse_strangers()?;
    let transfer = Transfer::new(options, deadline)?;
    for entry in options.manifest.entries() {
        let target = folder.staged(entry)?;
        timeout_at(deadline, transfer.file(entry, &target, reporter))
            .await
            .map_err(|_| Failure::Timeout(Limit::Total))??;
    }
    folder.install(&options.manifest)?;
    Ok(Outcome::Fetched)
}

#[cfg(test)]
mod tests;
