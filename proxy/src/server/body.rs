//! How much of a body is read, for how long, and of how many at once?
//!
//! Guarantees: a body that comes slowly takes no place of a request under way. Bodies that are
//! not whole yet are bounded among themselves, by number and, beyond their first bytes, by size:
//! whoever holds large ones half sent keeps other large ones out, and never a small one.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The whole body must have come by then.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The first bytes of a body, which every one of them may have: nearly all requests are smaller.
const SMALL: usize = 16 * 1024;
/// Bodies of the largest size that may be half read at once.
const LARGEST: usize = 64;

/// The bodies that are being read.
#[derive(Debug)]
pub(super) struct Bodies {
    most_bytes: usize,
    /// How many may be half read.
    places: Semaphore,
    /// Bytes beyond the first [`SMALL`] of each.
    bytes: Semaphore,
}

impl Bodies {
    /// `most`: bodies at once; `most_bytes`: of one of them.
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            most_bytes,
            places: Semaphore::new(most),
            bytes: Semaphore::new(
                most_bytes
                    .saturating_mul(LARGEST)
                    .min(Semaphore::MAX_PERMITS),
            ),
        }
    }

    /// Bytes of the largest body.
    pub(super) const fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Reads a body.
    ///
    /// # Errors
    /// The status to answer with: 413 too large, 408 too slow, 400 cut off, 503 too many of them.
    pub(super) async fn read(&self, body: Incoming) -> Result<Bytes, StatusCode> {
        if body.size_hint().lower() > self.most_bytes as u64 {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let _place = self
            .places
            .try_acquire()
            .map_err(|_full| StatusCode::SERVICE_UNAVAILABLE)?;
        tokio::time::timeout(TIMEOUT, self.whole(body))
            .await
            .unwrap_or(Err(StatusCode::REQUEST_TIMEOUT))
    }

    async fn whole(&self, mut body: Incoming) -> Result<Bytes, StatusCode> {
        // Copied: a chunk keeps the whole buffer that it was received in.
        let mut whole = BytesMut::new();
        let mut paid: Option<SemaphorePermit<'_>> = None;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_cut_off| StatusCode::BAD_REQUEST)?;
            let Ok(chunk) = frame.into_data() else {
                continue;
            };
            let length = whole.len() + chunk.len();
            if length > self.most_bytes {
                return Err(StatusCode::PAYLOAD_TOO_LARGE);
            }
            let owed = length.saturating_sub(SMALL) - whole.len().saturating_sub(SMALL);
            let permit = u32::try_from(owed).map(|owed| self.bytes.try_acquire_many(owed));
            let Ok(Ok(permit)) = permit else {
                return Err(StatusCode::SERVICE_UNAVAILABLE);
            };
            match &mut paid {
                Some(paid) => paid.merge(permit),
                None => paid = Some(permit),
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }
}
