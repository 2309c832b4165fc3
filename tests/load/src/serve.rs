//! How is a request answered? One task a connection, until the process is told to stop; who asks is
//! told by address.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// A body that may go on for long.
pub(crate) type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// Serves until SIGTERM; what is under way then has ten seconds.
pub(crate) async fn serve<F, R>(listen: SocketAddr, answer: F) -> anyhow::Result<()>
where
    F: Fn(Request<Incoming>, IpAddr) -> R + Clone + Send + 'static,
    R: Future<Output = Answer> + Send + 'static,
{
    let listener = TcpListener::bind(listen).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => (stream, peer.ip()),
                Err(_) => continue,
            },
            _ = terminate.recv() => break,
        };
        let answer = answer.clone();
        let service = service_fn(move |request| {
            let answer = answer(request, peer);
            async move { Ok::<_, Infallible>(answer.await) }
        });
        let mut builder = Builder::new();
        let connection = builder
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that goes away is its own affair.
            let _gone = watched.await;
        });
    }
    let _late = tokio::time::timeout(Duration::from_secs(10), graceful.shutdown()).await;
    Ok(())
}
