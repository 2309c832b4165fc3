//! What does an HTTP status other than success mean? A challenge, a limit, or a refusal with what its
//! body says of it.

use http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::Response;
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use crate::protocol::{ErrorObject, challenge};
use crate::upstream::error::Error;
use crate::upstream::failure::{Failure, Refusal};
use crate::upstream::framing::{Body, Framer};

/// Bytes of a refusal's body that are read.
const EXPLANATION: usize = 64 * 1024;

#[derive(Deserialize)]
struct Explanation {
    error: ErrorObject,
}

/// What an HTTP status other than success means; its body is read until then.
pub(super) async fn read(response: Response, id: u64, until: Instant) -> Failure {
    let status = response.status().as_u16();
    let headers = response.headers();
    let challenges = || challenge::bounded(headers.get_all(WWW_AUTHENTICATE).iter());
    match status {
        401 => Error::Unauthorized {
            challenges: challenges(),
        }
        .into(),
        403 => {
            let challenges: Vec<HeaderValue> = challenges();
            let scope = challenges.iter().any(challenge::lacks_scope);
            Error::Forbidden { challenges, scope }.into()
        }
        429 => Error::RateLimited {
            retry_after: headers.get(RETRY_AFTER).cloned(),
        }
        .into(),
        _ => Failure::Refused(explained(response, status, id, until).await),
    }
}

/// Reads the body of a refusal as far as it helps; whatever is wrong with it, the status holds.
async fn explained(mut response: Response, status: u16, id: u64, until: Instant) -> Refusal {
    let kind = Body::of(response.headers());
    let retry_after = response.headers().get(RETRY_AFTER).cloned();
    let mut framer = Framer::new(kind.unwrap_or(Body::Json), EXPLANATION);
    while let Ok(Ok(Some(chunk))) = timeout_at(until, response.chunk()).await {
        if framer.push(&chunk).is_err() {
            break;
        }
    }
    let text = framer
        .next()
        .or_else(|| framer.finish())
        .unwrap_or_default();
    tracing::trace!(status, id, "the upstream refused a request");
    let lower = text.to_ascii_lowercase();
    let names = |word: &[u8]| lower.windows(word.len()).any(|window| window == word);
    Refusal {
        status,
        retry_after: retry_after.filter(|_| status == 503),
        // Some servers put an id of their own into these: the status says whom it is about.
        error: serde_json::from_slice::<Explanation>(&text)
            .ok()
            .map(|explanation| explanation.error),
        names_session: names(b"session") || names(b"initializ") || names(b"initialis"),
    }
}
