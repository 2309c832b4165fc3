//! What does any proxy cost? The least there can be: a request goes on, its answer comes back, and
//! nobody reads either. One pool of connections, as ours has.

use std::convert::Infallible;

use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;

type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, hyper::Error>;

/// Starts one in front of this address (`http://host:port/path`); its own address, same path.
pub(crate) async fn start(upstream: &str) -> String {
    let upstream: Uri = upstream.parse().expect("an address");
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Client<_, Incoming> = Client::builder(TokioExecutor::new()).build(connector);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let url = format!("http://{address}{}", upstream.path());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let (client, upstream) = (client.clone(), upstream.clone());
            let service =
                service_fn(move |request| relay(client.clone(), upstream.clone(), request));
            tokio::spawn(async move {
                let builder = Builder::new(TokioExecutor::new());
                // A connection that breaks is the caller's to notice.
                let _ = builder
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    url
}

async fn relay(
    client: Client<HttpConnector, Incoming>,
    upstream: Uri,
    mut request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    *request.uri_mut() = upstream;
    request.headers_mut().remove(http::header::HOST);
    Ok(client.request(request).await.map_or_else(
        |_| {
            let empty = Empty::new().map_err(|never| match never {}).boxed_unsync();
            let mut answer = Response::new(empty);
            *answer.status_mut() = StatusCode::BAD_GATEWAY;
            answer
        },
        |answer| answer.map(BodyExt::boxed_unsync),
    ))
}
