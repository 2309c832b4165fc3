//! What does a browser need to hear? Answers to its preflight, and which headers its page may read.

use http::{HeaderMap, HeaderValue, header};

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, OPTIONS");
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
);
const RESPONSE_HEADERS: HeaderValue = HeaderValue::from_static("WWW-Authenticate, Retry-After");

/// Adds what lets a page of this (allowed) origin read the answer.
pub(super) fn allow(headers: &mut HeaderMap, origin: &HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}

/// Adds the answer to a preflight.
pub(super) fn preflight(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
    headers.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static("600"),
    );
}
