//! How does an answer leave? Status, headers, JSON: the forms of JSON-RPC over HTTP.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::value::RawValue;

use crate::endpoint::{Broken, Failure};
use crate::protocol::{ErrorObject, Id};

/// Any body that is sent.
/// An error in one ends its connection, or its stream of HTTP/2, without an end.
pub(super) type Body = UnsyncBoxBody<Bytes, Broken>;

pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// A response message with a result, as text.
pub(super) fn success(id: &Id, result: &RawValue) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#,
        id.get(),
        result.get()
    )
}

/// What stands around a result that comes in pieces, in a response message.
pub(super) fn around(id: &Id) -> (String, &'static str) {
    let head = format!(r#"{{"jsonrpc":"2.0","id":{},"result":"#, id.get());
    (head, "}")
}

/// A response message with an error, as text; the id is null where it could not be read.
pub(super) fn error(failure: &Failure) -> String {
    let id = failure.id.as_ref().map_or("null", Id::get);
    let error = serde_json::to_string(&failure.error).unwrap_or_else(|_| "null".to_owned());
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

/// A JSON body with this status.
pub(super) fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut response = with_status(status, Bytes::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, NO_STORE);
    response
}

/// A JSON body that comes in pieces.
pub(super) fn flowing_json(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    response
}

/// A failure with its status and its challenge.
pub(super) fn failure(failure: &Failure) -> Response<Body> {
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json(status, error(failure));
    for challenge in &failure.challenges {
        response
            .headers_mut()
            .append(header::WWW_AUTHENTICATE, challenge.clone());
    }
    if let Some(seconds) = failure.retry_after {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A refusal by HTTP's own rules, with a sentence for whoever reads the body.
pub(super) fn refusal(status: StatusCode, message: &str) -> Response<Body> {
    // A positive code: those of JSON-RPC's reserved range are not ours to mint.
    let error = ErrorObject::new(i64::from(status.as_u16()), message);
    let error = serde_json::to_string(&error).unwrap_or_default();
    json(
        status,
        format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#),
    )
}

/// A status without a body.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    with_status(status, Bytes::new())
}

fn with_status(status: StatusCode, body: Bytes) -> Response<Body> {
    let mut response = Response::new(
        Full::new(body)
            .map_err(|never| match never {})
            .boxed_unsync(),
    );
    *response.status_mut() = status;
    response
}
