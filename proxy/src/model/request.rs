//! One GET, redirects followed by hand.
//!
//! The token goes to the origin that was configured; once a redirect has left it, no later hop
//! sees the token, not even one that leads back. Never goes from https to http.

use std::time::Duration;

use http::header::{ACCEPT_ENCODING, AUTHORIZATION, IF_RANGE, LOCATION, RANGE};
use http::{HeaderValue, StatusCode};
use reqwest::{Client, Response};
use tokio::time::timeout;
use url::Url;

use crate::model::failure::{Failure, Limit};
use crate::model::token::Token;

const REDIRECTS: usize = 10;

/// What to ask for.
#[derive(Debug)]
pub(crate) struct Get<'a> {
    /// Where to begin.
    pub(crate) url: Url,
    /// The credential of that origin.
    pub(crate) token: Option<&'a Token>,
    /// From which byte on; 0 asks for the whole.
    pub(crate) from: u64,
    /// The version that the first bytes are of, where known.
    pub(crate) etag: Option<HeaderValue>,
    /// How long an answer may take to begin.
    pub(crate) patience: Duration,
}

impl Get<'_> {
    /// The first answer that is no redirect, whatever its status.
    pub(crate) async fn send(&self, client: &Client) -> Result<Response, Failure> {
        let mut url = self.url.clone();
        let mut at_home = true;
        for _ in 0..=REDIRECTS {
            at_home &= url.origin() == self.url.origin();
            let request = self.request(client, &url, at_home);
            let response = timeout(self.patience, request.send())
                .await
                .map_err(|_| Failure::Timeout(Limit::Stall))?
                .map_err(classify)?;
            if !is_redirect(response.status()) {
                return Ok(response);
            }
            url = next(&url, &response).ok_or(Failure::Redirect)?;
        }
        Err(Failure::Redirect)
    }

    fn request(&self, client: &Client, url: &Url, at_home: bool) -> reqwest::RequestBuilder {
        // Compressed bytes would be neither the pinned ones nor possible to resume.
        let mut request = client
            .get(url.clone())
            .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(token) = self.token.filter(|_| at_home) {
            request = request.header(AUTHORIZATION, token.header());
        }
        if self.from > 0 {
            request = request.header(RANGE, format!("bytes={}-", self.from));
            if let Some(etag) = &self.etag {
                request = request.header(IF_RANGE, etag.clone());
            }
        }
        request
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn next(from: &Url, response: &Response) -> Option<Url> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let to = from.join(location).ok()?;
    let same_or_safer =
        to.scheme() == "https" || (to.scheme() == "http" && from.scheme() == "http");
    let bare = to.username().is_empty() && to.password().is_none();
    (same_or_safer && bare && to.has_host()).then_some(to)
}

/// What kind of failure a client's error is, without its URL.
pub(crate) fn classify(error: reqwest::Error) -> Failure {
    let error = error.without_url();
    if is_tls(&error) {
        return Failure::Tls(error);
    }
    match (error.is_timeout(), error.is_connect()) {
        (true, true) => Failure::Timeout(Limit::Connect),
        (true, false) => Failure::Timeout(Limit::Stall),
        (false, _) => Failure::Unreachable(Some(error)),
    }
}

fn is_tls(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(each) = cause {
        if each.is::<rustls::Error>() {
            return true;
        }
        // An I/O error leaves the error that it wraps out of the chain of sources.
        let wrapped = each
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        cause = match wrapped {
            Some(inner) => Some(inner),
            None => each.source(),
        };
    }
    false
}
