//! How does one file come in whole? Attempts, pauses between them, and the check at the end.
//!
//! Attempts without progress are counted; one that brought bytes begins the count anew, so a
//! mirror that cuts every few megabytes is no reason to give up. What cannot pass is not tried
//! again. The time in all is the caller's concern.

use std::time::Duration;

use reqwest::Client;
use tokio::time::Instant;

use crate::model::attempt::{Setback, admit, mismatch, take_in};
use crate::model::backoff;
use crate::model::client;
use crate::model::digest::Digest;
use crate::model::failure::{Failure, Found};
use crate::model::manifest::Entry;
use crate::model::options::Options;
use crate::model::part::Part;
use crate::model::progress::Reporter;
use crate::model::request::Get;
use crate::model::source::is_loopback;

/// Fetches the files of one source.
#[derive(Debug)]
pub(crate) struct Transfer<'a> {
    options: &'a Options,
    client: Client,
    deadline: Instant,
}

impl<'a> Transfer<'a> {
    pub(crate) fn new(options: &'a Options, deadline: Instant) -> Result<Self, Failure> {
        let local = is_loopback(options.source.base());
        let roots = options.extra_roots.as_deref();
        let client =
            client::build(roots, options.limits.connect, local).map_err(Failure::Client)?;
        Ok(Self {
            options,
            client,
            deadline,
        })
    }

    /// Brings one file to `target`, verified and on the disk.
    pub(crate) async fn file(
        &self,
        entry: &Entry,
        target: &std::path::Path,
        reporter: &mut Reporter,
    ) -> Result<(), Failure> {
        if Digest::of_file(target).is_ok_and(|(_, digest)| digest == entry.digest) {
            return Ok(());
        }
        let mut part = Part::open(target)?;
        reporter.begin(entry, part.length());
        match self.complete(entry, &mut part, reporter).await {
            Ok(()) => {}
            Err(failure) => {
                if matches!(failure, Failure::DigestMismatch { .. }) {
                    part.discard()?;
                }
                return Err(failure);
            }
        }
        let found = part.digest();
        if found != entry.digest {
            part.discard()?;
            return Err(mismatch(entry, Found::Digest(found)));
        }
        let length = part.length();
        part.keep(target)?;
        reporter.finished(entry, length);
        Ok(())
    }

    async fn complete(
        &self,
        entry: &Entry,
        part: &mut Part,
        reporter: &mut Reporter,
    ) -> Result<(), Failure> {
        if entry.size.is_some_and(|size| part.length() > size) {
            part.restart()?;
        }
        let mut barren = 0;
        while entry.size != Some(part.length()) {
            let before = part.length();
            let Err(setback) = self.attempt(entry, part, reporter).await else {
                break;
            };
            barren = if part.length() > before {
                1
            } else {
                barren + 1
            };
            if !setback.failure.is_passing() || barren > self.options.limits.retries {
                return Err(setback.failure);
            }
            let pause = self.pause(&setback, barren);
            if Instant::now() + pause >= self.deadline {
                return Err(setback.failure);
            }
            reporter.pausing(&setback.failure, pause);
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }

    fn pause(&self, setback: &Setback, attempt: u32) -> Duration {
        setback
            .retry_after
            .unwrap_or_else(|| backoff::pause(self.options.limits.pause, attempt))
    }

    async fn attempt(
        &self,
        entry: &Entry,
        part: &mut Part,
        reporter: &mut Reporter,
    ) -> Result<(), Setback> {
        let get = Get {
            url: self.options.source.url(entry),
            token: self.options.token.as_ref(),
            from: part.length(),
            etag: part.etag(),
            patience: self.options.limits.stall,
        };
        let response = get.send(&self.client).await?;
        admit(&response, entry, part)?;
        let stall = self.options.limits.stall;
        Ok(take_in(response, entry, part, stall, reporter).await?)
    }
}
