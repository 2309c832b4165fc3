//! A server of files that misbehaves as its path says: `/fine/…`, `/cut/…` (every few megabytes),
//! `/wrong/…` (other bytes), `/slow/…`, `/busy/…` (429 every other time), `/moved/…` (a redirect),
//! `/closed/…` (401 without the right token), `/gone/…` (404), `/silent/…` (no answer).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Empty, StreamBody};
use hyper::body::{Frame, Incoming};

use crate::serve::{Answer, serve};

const CHUNK: usize = 64 << 10;
/// What a connection gives before it is cut.
const CUT: usize = 3 << 20;

/// Serves until told to stop.
pub(crate) async fn run(listen: SocketAddr, folder: PathBuf) -> anyhow::Result<()> {
    let count = Arc::new(AtomicUsize::new(0));
    serve(listen, move |request, _| {
        answer(request, folder.clone(), Arc::clone(&count))
    })
    .await
}

async fn answer(request: Request<Incoming>, folder: PathBuf, count: Arc<AtomicUsize>) -> Answer {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let (manner, file) = path.split_once('/').unwrap_or(("fine", &path));
    let turn = count.fetch_add(1, Ordering::Relaxed);
    let authorized = request
        .headers()
        .get(header::AUTHORIZATION)
        .is_some_and(|value| value == "Bearer mirror-token");
    match manner {
        "busy" if turn.is_multiple_of(2) => {
            let mut answer = empty(StatusCode::TOO_MANY_REQUESTS);
            answer
                .headers_mut()
                .insert(header::RETRY_AFTER, http::HeaderValue::from_static("1"));
            return answer;
        }
        "moved" => {
            let mut answer = empty(StatusCode::TEMPORARY_REDIRECT);
            if let Ok(target) = http::HeaderValue::from_str(&format!("/fine/{file}")) {
                answer.headers_mut().insert(header::LOCATION, target);
            }
            return answer;
        }
        "closed" if !authorized => return empty(StatusCode::UNAUTHORIZED),
        "gone" => return empty(StatusCode::NOT_FOUND),
        "silent" => std::future::pending::<()>().await,
        _ => {}
    }
    // The last two parts are model and file; a hub's path has more before them.
    let parts: Vec<&str> = file
        .split('/')
        .filter(|part| !part.starts_with('.'))
        .collect();
    let name: PathBuf = parts[parts.len().saturating_sub(2)..].iter().collect();
    match tokio::fs::read(folder.join(name)).await {
        Ok(bytes) => send(&request, bytes, manner),
        Err(_) => empty(StatusCode::NOT_FOUND),
    }
}

fn send(request: &Request<Incoming>, mut bytes: Vec<u8>, manner: &str) -> Answer {
    if manner == "wrong"
        && let Some(first) = bytes.first_mut()
    {
        *first ^= 1;
    }
    let range = request
        .headers()
        .get(header::RANGE)
        .and_then(|value| value.to_str().ok());
    let start = range
        .and_then(|text| {
            text.strip_prefix("bytes=")?
                .trim_end_matches('-')
                .parse()
                .ok()
        })
        .unwrap_or(0);
    let total = bytes.len();
    let rest = Bytes::from(bytes).slice(total.min(start)..);
    let length = rest.len();
    let (cuts, slow) = (manner == "cut", manner == "slow");
    let chunks = stream::unfold((rest, 0), move |(mut rest, sent)| async move {
        if cuts && sent >= CUT {
            // An unfinished body of a known length is a cut connection.
            return None;
        }
        if rest.is_empty() {
            return None;
        }
        if slow {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let chunk = rest.split_to(rest.len().min(CHUNK));
        let sent = sent + chunk.len();
        Some((Ok(Frame::data(chunk)), (rest, sent)))
    });
    let mut answer = Response::new(StreamBody::new(chunks).boxed_unsync());
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_LENGTH, length.into());
    headers.insert(header::ETAG, http::HeaderValue::from_static("\"1\""));
    headers.insert(
        header::ACCEPT_RANGES,
        http::HeaderValue::from_static("bytes"),
    );
    if range.is_some() {
        let last = total.saturating_sub(1);
        if let Ok(value) = http::HeaderValue::from_str(&format!("bytes {start}-{last}/{total}")) {
            headers.insert(header::CONTENT_RANGE, value);
        }
        *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    answer
}

fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Empty::new().boxed_unsync());
    *answer.status_mut() = status;
    answer
}
