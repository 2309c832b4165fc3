//! One attempt at the rest of a file: what the answer means, and how its bytes are taken in.

use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::model::backoff;
use crate::model::failure::{Failure, Found, Limit};
use crate::model::manifest::Entry;
use crate::model::part::Part;
use crate::model::progress::Reporter;
use crate::model::request::classify;

/// An attempt that failed, and what the server said about the next.
#[derive(Debug)]
pub(crate) struct Setback {
    pub(crate) failure: Failure,
    pub(crate) retry_after: Option<Duration>,
}

impl From<Failure> for Setback {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            retry_after: None,
        }
    }
}

/// Slower than this is as good as silent.
const LEAST_BYTES_PER_SECOND: u64 = 1000;

/// Makes the part ready for the body of this answer.
///
/// # Errors
/// Any answer that brings no bytes of the file.
pub(crate) fn admit(response: &Response, entry: &Entry, part: &mut Part) -> Result<(), Setback> {
    let headers = response.headers();
    let status = response.status().as_u16();
    match status {
        200 => part.restart()?,
        206 if range_start(headers) == Some(part.length()) => {}
        // Another range than was asked for, or none: what is here does not fit what is there.
        206 | 416 => {
            part.restart()?;
            return Err(Failure::Status { status }.into());
        }
        _ => return Err(refused(status, headers, entry)),
    }
    if let (Some(expected), Some(rest)) = (entry.size, content_length(headers)) {
        let whole = part.length() + rest;
        if whole != expected {
            return Err(mismatch(entry, Found::Bytes(whole)).into());
        }
    }
    part.remember(headers.get(ETAG))?;
    Ok(())
}

/// Takes the body in until it ends.
///
/// # Errors
/// Cuts, silence, and more bytes than were pinned.
pub(crate) async fn take_in(
    response: Response,
    entry: &Entry,
    part: &mut Part,
    stall: Duration,
    reporter: &mut Reporter,
) -> Result<(), Failure> {
    let mut window = Window::new(stall);
    let mut body = response.bytes_stream();
    loop {
        let Ok(next) = timeout_at(window.end, body.next()).await else {
            window.turn()?;
            continue;
        };
        let Some(bytes) = next.transpose().map_err(classify)? else {
            break;
        };
        let length = part.length() + bytes.len() as u64;
        if entry.size.is_some_and(|size| length > size) {
            return Err(mismatch(entry, Found::Bytes(length)));
        }
        part.append(&bytes)?;
        window.bytes += bytes.len() as u64;
        reporter.advanced(length);
    }
    if entry.size.is_some_and(|size| part.length() < size) {
        // A body without a length ends like one that was cut.
        return Err(Failure::Unreachable(None));
    }
    Ok(())
}

/// The failure of a file that is not the pinned one.
pub(crate) fn mismatch(entry: &Entry, found: Found) -> Failure {
    Failure::DigestMismatch {
        file: entry.path.clone(),
        expected: entry.digest,
        found,
    }
}

/// A span of time in which enough bytes must come.
struct Window {
    length: Duration,
    end: Instant,
    bytes: u64,
}

impl Window {
    fn new(length: Duration) -> Self {
        Self {
            length,
            end: Instant::now() + length,
            bytes: 0,
        }
    }

    fn turn(&mut self) -> Result<(), Failure> {
        if self.bytes <= LEAST_BYTES_PER_SECOND * self.length.as_secs() {
            return Err(Failure::Timeout(Limit::Stall));
        }
        *self = Self::new(self.length);
        Ok(())
    }
}

fn refused(status: u16, headers: &HeaderMap, entry: &Entry) -> Setback {
    let file = entry.path.clone();
    let failure = match status {
        401 | 403 => Failure::Unauthorized { file, status },
        404 | 410 => Failure::NotFound { file, status },
        _ => Failure::Status { status },
    };
    Setback {
        failure,
        retry_after: backoff::retry_after(headers, SystemTime::now()),
    }
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The `5` of `bytes 5-9/10`.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(CONTENT_RANGE)?.to_str().ok()?;
    let (start, _) = text.strip_prefix("bytes ")?.split_once('-')?;
    start.parse().ok()
}
