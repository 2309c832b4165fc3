//! Is a call heard to its end when a legacy server ends the stream in between?

use std::sync::{Arc, Mutex};

use axum::response::Response;

use super::stage::{Seen, Server, call, config, legacy, modern, status, upstream};
use crate::upstream::{Error, Protocol};

/// How a stream begins: with a place, and nothing else.
const OPENED: &str = "id: e1\nretry: 1\ndata:\n\n";

/// A server that begins each call's stream like this and ends it; `resumed` answers the nth GET, on
/// behalf of the last call.
async fn ending<F>(opened: &'static str, resumed: F) -> Server
where
    F: Fn(&Seen, usize) -> Response + Clone + Send + Sync + 'static,
{
    let last = Arc::new(Mutex::new(None::<Seen>));
    Server::start(move |seen, before| match seen.method().as_str() {
        "tools/call" => {
            *last.lock().unwrap() = Some(seen.clone());
            seen.stream(opened)
        }
        "GET" => resumed(last.lock().unwrap().as_ref().unwrap(), before),
        _ => legacy(seen),
    })
    .await
}

fn count(server: &Server, method: &str) -> usize {
    let methods = server.methods();
    methods.iter().filter(|seen| *seen == method).count()
}

#[tokio::test]
async fn a_call_is_taken_up_behind_the_last_whole_event_and_sent_once() {
    let server = ending(OPENED, |call, before| match before {
        0 => call.stream(": still at it\n\n"),
        1 => call.stream("id: e2\ndata: {\"method\":\"notifications/x\"}\n\nid: e3\ndata: {\"id"),
        _ => call.stream("id: e3\ndata: {\"id\":$ID,\"result\":{\"n\": 1.10}}\n\n"),
    })
    .await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert_eq!(outcome.unwrap(), r#"{"n": 1.10}"#);
    let seen = server.seen();
    let asked = seen.iter().filter(|seen| seen.verb == "GET");
    let after: Vec<_> = asked
        .inspect(|seen| {
            assert_eq!(seen.header("accept"), "text/event-stream");
            assert_eq!(seen.header("mcp-session-id"), "s-1");
            assert_eq!(seen.header("mcp-protocol-version"), "2025-06-18");
            assert_eq!(seen.header("authorization"), "Bearer a");
        })
        .map(|seen| seen.header("last-event-id"))
        .collect();
    assert_eq!(after, ["e1", "e1", "e2"]);
    assert_eq!(count(&server, "tools/call"), 1);
}

#[tokio::test]
async fn a_server_that_refuses_to_go_on_has_lost_the_call() {
    // A challenge here must not make the caller send a write again.
    for code in [202, 400, 401, 404, 405, 500] {
        let server = ending(OPENED, move |_, _| status(code, &[])).await;
        let outcome = call(&upstream(config(&server.url)), false).await;
        assert!(matches!(outcome, Err(Error::Lost)), "{code}");
        assert_eq!(
            (count(&server, "tools/call"), count(&server, "GET")),
            (1, 1)
        );
    }
    let server = ending(OPENED, |_, _| status(404, &[])).await;
    let outcome = call(&upstream(config(&server.url)), true).await;
    assert!(matches!(outcome, Err(Error::Lost)));
    assert_eq!(count(&server, "tools/call"), 2, "what may be repeated is");
}

#[tokio::test]
async fn a_server_that_never_answers_is_not_asked_for_ever() {
    let server = ending(OPENED, |call, _| call.stream("")).await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert!(matches!(outcome, Err(Error::Lost)));
    assert_eq!(count(&server, "GET"), 5);
    // A wait that outlasts the call is not begun.
    let server = ending("id: 1\nretry: 3600000\ndata:\n\n", |call, _| {
        call.stream("")
    })
    .await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert!(matches!(outcome, Err(Error::Lost)));
    assert_eq!(count(&server, "GET"), 0);
}

#[tokio::test]
async fn only_a_legacy_stream_with_ids_is_taken_up() {
    let server = ending("retry: 1\ndata:\n\n", |call, _| call.stream("")).await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert!(matches!(outcome, Err(Error::Lost)));
    assert_eq!(count(&server, "GET"), 0);
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/call" => seen.stream(OPENED),
        _ => modern(seen),
    })
    .await;
    let mut config = config(&server.url);
    config.protocol = Protocol::Modern;
    let outcome = call(&upstream(config), false).await;
    assert!(matches!(outcome, Err(Error::Lost)));
    assert_eq!(count(&server, "GET"), 0);
}
