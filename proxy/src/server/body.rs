//! How much of a body is read, and for how long?

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};

/// The whole body must have come by then.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a body of at most `limit` bytes.
///
/// # Errors
/// The status to answer with: 413 too large, 408 too slow, 400 cut off.
pub(super) async fn read(body: Incoming, limit: usize) -> Result<Bytes, StatusCode> {
    if body.size_hint().lower() > limit as u64 {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(TIMEOUT, Limited::new(body, limit).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_cut_off)) => Err(StatusCode::BAD_REQUEST),
        Err(_elapsed) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}
