//! How is one connection served? HTTP/1.1 or HTTP/2, with limits, until it or the server ends.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::header::CONNECTION;
use http::{HeaderValue, Request, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::server::route::Route;
use crate::server::state::State;

/// The whole head of a request must have come by then; idle connections end by it as well.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// Bytes of a request's head: tokens may be long.
const HEAD_BYTES: usize = 128 * 1024;
const STREAMS: u32 = 200;

/// Serves a connection to its end.
pub(super) async fn serve(stream: TcpStream, route: Arc<Route>, mut state: watch::Receiver<State>) {
    // A socket that cannot be told so is served a little slower.
    let _slower = stream.set_nodelay(true);
    let is_http2 = AtomicBool::new(false);
    let drains = state.clone();
    let service = service_fn(|request: Request<Incoming>| {
        let version = request.version();
        is_http2.store(version == Version::HTTP_2, Ordering::Relaxed);
        let (route, drains) = (Arc::clone(&route), drains.clone());
        async move {
            let mut response = route.answer(request).await;
            // A client that learns it with an answer does not send into a connection being closed.
            if version <= Version::HTTP_11 && *drains.borrow() >= State::Draining {
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEAD_BYTES as u32)
        .keep_alive_interval(Duration::from_secs(30));
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let closes = |state: &State| {
        *state >= State::Closing || (*state >= State::Draining && is_http2.load(Ordering::Relaxed))
    };
    let closing = async { state.wait_for(closes).await.is_ok() };
    tokio::select! {
        // A connection that broke has nobody to be told.
        _ended = connection.as_mut() => return,
        _closes = closing => (),
    }
    connection.as_mut().graceful_shutdown();
    let _ended = connection.as_mut().await;
}
