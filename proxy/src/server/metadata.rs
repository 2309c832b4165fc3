//! What is answered to whoever asks how to authorize? The metadata of the protected resource
//! (RFC 9728), which needs no credential and gets none.

use http::{HeaderValue, Method, Response, StatusCode, header};

use crate::caller::Callers;
use crate::endpoint::{Endpoint, MetadataError};
use crate::server::cors;
use crate::server::respond::{self, Body};

/// Answers one request for the document.
pub(super) async fn answer(
    endpoint: &Endpoint,
    callers: &Callers,
    method: &Method,
) -> Response<Body> {
    if method == Method::OPTIONS {
        let mut response = respond::empty(StatusCode::NO_CONTENT);
        cors::preflight(response.headers_mut());
        return response;
    }
    if method != Method::GET {
        endpoint.refused("method");
        let mut refused =
            respond::refusal(StatusCode::METHOD_NOT_ALLOWED, "metadata is read with GET");
        let allow = HeaderValue::from_static("GET");
        refused.headers_mut().insert(header::ALLOW, allow);
        return refused;
    }
    // Whatever credential came along stays here.
    match endpoint.metadata(&callers.identify(None)).await {
        Ok(document) => respond::json(StatusCode::OK, document.get().to_owned()),
        Err(MetadataError::Absent) => {
            endpoint.refused("metadata_absent");
            respond::refusal(
                StatusCode::NOT_FOUND,
                "the server behind the proxy has no protected-resource metadata (RFC 9728), so its \
                 authorization cannot be discovered here; configure the client with a credential",
            )
        }
        Err(MetadataError::Failed) => {
            endpoint.refused("metadata_failed");
            respond::refusal(
                StatusCode::BAD_GATEWAY,
                "the protected-resource metadata of the server behind the proxy cannot be read; \
                 try again later",
            )
        }
    }
}
