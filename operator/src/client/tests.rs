//! Is the API server asked at the rate that was set, and its "later" listened to?

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kube::{Client, Config};
use prometheus::Registry;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::metrics::Metrics;

#[test]
fn resources_are_fixed_words() {
    let path = "/apis/apps/v1/namespaces/pods/deployments/my-secret-name";
    assert_eq!(super::resource(path), "deployments");
    assert_eq!(super::resource("/api/v1/namespaces/default/pods"), "pods");
    assert_eq!(super::resource("/version"), "other");
}

/// When each request came.
type Arrivals = Arc<Mutex<Vec<Instant>>>;

/// An API server that answers the first `refused` requests with 429 and `Retry-After: 1`, and what
/// comes later with its version.
async fn server(refused: usize) -> (String, Arrivals) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let arrivals = Arrivals::default();
    let seen = arrivals.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, seen.clone(), refused));
        }
    });
    (address, arrivals)
}

/// Requests without a body, one after the other, until the client hangs up.
async fn serve(mut stream: TcpStream, arrivals: Arrivals, refused: usize) {
    const REFUSED: &str =
        "HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";
    let version = r#"{"major":"1","minor":"37","gitVersion":"v1.37.2","gitCommit":"","gitTreeState":"","buildDate":"","goVersion":"","compiler":"","platform":""}"#;
    let answered = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{version}",
        version.len()
    );
    let mut request = Vec::new();
    while stream
        .read_buf(&mut request)
        .await
        .is_ok_and(|read| read > 0)
    {
        if !request.ends_with(b"\r\n\r\n") {
            continue;
        }
        request.clear();
        let before = {
            let mut arrivals = arrivals.lock().unwrap();
            arrivals.push(Instant::now());
            arrivals.len() - 1
        };
        let answer = if before < refused { REFUSED } else { &answered };
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn client(address: &str, qps: u32, burst: u32) -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let metrics = Metrics::new(&Registry::new()).unwrap();
    super::bounded(Config::new(address.parse().unwrap()), qps, burst, &metrics).unwrap()
}

#[tokio::test]
async fn r13_retry_after_is_waited_for() {
    let (address, arrivals) = server(2).await;
    client(&address, 100, 100)
        .apiserver_version()
        .await
        .unwrap();
    let arrivals = arrivals.lock().unwrap();
    assert_eq!(arrivals.len(), 3);
    for pair in arrivals.windows(2) {
        // Its own first waits are of some milliseconds.
        assert!(pair[1] - pair[0] >= Duration::from_secs(1), "{arrivals:?}");
    }
}

#[tokio::test]
async fn r13_a_burst_is_bounded_by_the_rate() {
    let (address, arrivals) = server(0).await;
    let client = client(&address, 10, 5);
    let began = Instant::now();
    for _ in 0..15 {
        client.apiserver_version().await.unwrap();
    }
    // Five at once, five after half a second, five after another.
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(arrivals.lock().unwrap().len(), 15);
}
