//! Does the upstream answer at all? Asked for by people and by the operator, never by a probe:
//! an upstream that is down must not take the proxy down with it.
//!
//! No caller's credential is at hand here, so any HTTP answer counts, a 401 too.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::upstream::{BuildError, http_client};

/// How long an answer stands, so that asking often costs the upstream nothing.
const STANDS: Duration = Duration::from_secs(5);
/// The longest wait for the upstream's first byte.
const PATIENCE: Duration = Duration::from_secs(5);

struct Asker {
    client: reqwest::Client,
    url: Url,
    last: Mutex<Option<(Instant, Value)>>,
}

/// `GET /upstreamz`: `{"reachable": true, "status": 401}` or `{"reachable": false, "message": …}`.
///
/// # Errors
/// The client cannot be built; see [`BuildError`].
pub(crate) fn route(
    url: &Url,
    roots: Option<&[u8]>,
    connect: Duration,
) -> Result<Router, BuildError> {
    let asker = Arc::new(Asker {
        client: http_client(roots, connect.min(PATIENCE))?,
        url: url.clone(),
        last: Mutex::default(),
    });
    Ok(Router::new()
        .route("/upstreamz", get(answer))
        .with_state(asker))
}

async fn answer(State(asker): State<Arc<Asker>>) -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "application/json")],
        said(&asker).await.to_string(),
    )
}

async fn said(asker: &Asker) -> Value {
    // Held while asking: those who ask meanwhile wait for this answer instead of asking too.
    let mut last = asker.last.lock().await;
    if let Some((when, said)) = &*last
        && when.elapsed() < STANDS
    {
        return said.clone();
    }
    let said = ask(asker).await;
    *last = Some((Instant::now(), said.clone()));
    said
}

async fn ask(asker: &Asker) -> Value {
    let request = asker
        .client
        .get(asker.url.clone())
        .header("accept", "application/json");
    match tokio::time::timeout(PATIENCE, request.send()).await {
        Ok(Ok(answer)) => json!({ "reachable": true, "status": answer.status().as_u16() }),
        Ok(Err(error)) => json!({ "reachable": false, "message": innermost(error) }),
        Err(_) => json!({
            "reachable": false,
            "message": format!("no answer within {} s", PATIENCE.as_secs()),
        }),
    }
}

/// The cause alone: the URL's query may hold what nobody else should read.
fn innermost(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let what = if error.is_connect() {
        "cannot connect"
    } else {
        "no HTTP answer"
    };
    format!("{what}: {cause}")
}
