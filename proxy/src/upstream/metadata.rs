//! Where do the upstream's callers authorize? Its protected-resource metadata (RFC 9728).
//!
//! Guarantees: only the upstream's own origin is asked, by GET and without any credential; a
//! document is bounded in size and time, asked for by one at a time and kept for a moment.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::{Instant, timeout};
use url::Url;

use crate::protocol::{Members, challenge};
use crate::upstream::error::Error;

/// Why there is no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// The upstream answered that it has none.
    #[error("the upstream has no protected-resource metadata")]
    Absent,
    /// It did not answer, or with something else than a JSON object of a sane size.
    #[error("the upstream's protected-resource metadata cannot be read")]
    Failed,
}

/// Where documents of this kind are, before the resource's own path.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// Bytes of a document.
const LARGEST: usize = 64 * 1024;
/// One request for it, answer included.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a document stands.
const STANDS: Duration = Duration::from_secs(60);
/// How long its absence stands, so that a flood of questions reaches the upstream as a few.
const ABSENCE_STANDS: Duration = Duration::from_secs(5);

type Outcome = Result<Box<RawValue>, MetadataError>;

/// The document, and where the upstream said it is.
pub(super) struct Metadata {
    client: reqwest::Client,
    upstream: Url,
    named: Mutex<Option<Url>>,
    last: tokio::sync::Mutex<Option<Held>>,
}

struct Held {
    when: Instant,
    named: Option<Url>,
    outcome: Outcome,
}

impl Metadata {
    pub(super) fn new(client: reqwest::Client, upstream: Url) -> Self {
        Self {
            client,
            upstream,
            named: Mutex::default(),
            last: tokio::sync::Mutex::default(),
        }
    }

    /// Remembers which document a challenge names.
    pub(super) fn heed(&self, error: &Error) {
        let (Error::Unauthorized { challenges } | Error::Forbidden { challenges, .. }) = error
        else {
            return;
        };
        let named = challenges.iter().find_map(challenge::metadata);
        if let Some(place) = named.and_then(|named| place(&self.upstream, &named)) {
            *self.named.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
        }
    }

    /// The document, asked for unless that was done a moment ago.
    pub(super) async fn get(&self) -> Outcome {
        // Held while asking: those who ask meanwhile wait for this answer instead of asking too.
        let mut last = self.last.lock().await;
        let named = self.named();
        if let Some(held) = last.as_ref().filter(|held| held.named == named) {
            let stands = if held.outcome.is_ok() {
                STANDS
            } else {
                ABSENCE_STANDS
            };
            if held.when.elapsed() < stands {
                return held.outcome.clone();
            }
        }
        let outcome = self.ask(named.clone()).await;
        *last = Some(Held {
            when: Instant::now(),
            named,
            outcome: outcome.clone(),
        });
        outcome
    }

    /// Whether a challenge named a document so far.
    pub(super) fn is_named(&self) -> bool {
        self.named().is_some()
    }

    fn named(&self) -> Option<Url> {
        self.named
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    async fn ask(&self, named: Option<Url>) -> Outcome {
        let mut places: Vec<Url> = named.into_iter().collect();
        places.extend(derived(&self.upstream));
        places.dedup();
        let mut worst = MetadataError::Absent;
        for place in places {
            match timeout(PATIENCE, self.fetch(place)).await {
                Ok(Ok(document)) => return Ok(document),
                Ok(Err(MetadataError::Absent)) => (),
                Ok(Err(MetadataError::Failed)) | Err(_) => worst = MetadataError::Failed,
            }
        }
        Err(worst)
    }

    async fn fetch(&self, place: Url) -> Outcome {
        let request = self.client.get(place).header("accept", "application/json");
        let sent = request.send().await;
        let mut response = sent.map_err(|_| MetadataError::Failed)?;
        match response.status().as_u16() {
            200 => (),
            // Servers that guard every path answer 401 or 405 where there is nothing.
            400..=499 => return Err(MetadataError::Absent),
            _ => return Err(MetadataError::Failed),
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|_| MetadataError::Failed)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LARGEST {
                return Err(MetadataError::Failed);
            }
        }
        let document: Box<RawValue> =
            serde_json::from_slice(&bytes).map_err(|_| MetadataError::Failed)?;
        Members::read(&document)
            .map(|_| document)
            .ok_or(MetadataError::Failed)
    }
}

/// The URL that a challenge names, on the upstream's origin. One of another origin names the
/// upstream by the name that the public knows; its path counts here where it is a well-known one.
fn place(upstream: &Url, named: &str) -> Option<Url> {
    let named = Url::parse(named).ok()?;
    if named.origin() == upstream.origin() {
        let bare = named.username().is_empty() && named.password().is_none();
        return bare.then_some(named);
    }
    named
        .path()
        .starts_with(WELL_KNOWN)
        .then(|| at(upstream, named.path()))
}

/// The two places that follow from a resource's URL: with its path, and without.
fn derived(resource: &Url) -> [Url; 2] {
    let path = resource.path().trim_end_matches('/');
    [format!("{WELL_KNOWN}{path}"), WELL_KNOWN.to_owned()].map(|path| at(resource, &path))
}

fn at(origin: &Url, path: &str) -> Url {
    let mut url = origin.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{derived, place};

    #[test]
    fn nothing_but_the_upstreams_origin_is_asked() {
        let upstream = Url::parse("http://gateway:8080/a/mcp?k=v").unwrap();
        for (named, expected) in [
            (
                "http://gateway:8080/x?y=z",
                Some("http://gateway:8080/x?y=z"),
            ),
            (
                "https://mcp.example.com/.well-known/oauth-protected-resource/pub",
                Some("http://gateway:8080/.well-known/oauth-protected-resource/pub"),
            ),
            ("https://mcp.example.com/latest/meta-data", None),
            ("http://gateway:9090/x", None),
            ("http://user:word@gateway:8080/x", None),
            ("/relative", None),
        ] {
            let found = place(&upstream, named);
            assert_eq!(found.as_ref().map(Url::as_str), expected, "{named}");
        }
        assert_eq!(
            derived(&upstream).map(|url| url.to_string()),
            [
                "http://gateway:8080/.well-known/oauth-protected-resource/a/mcp",
                "http://gateway:8080/.well-known/oauth-protected-resource"
            ]
        );
    }
}
