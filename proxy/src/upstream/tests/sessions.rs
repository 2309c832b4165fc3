//! Are legacy sessions opened, kept apart, renewed and ended?

use futures_util::future::join_all;
use http::HeaderValue;

use super::stage::{Server, call, caller, config, kind, legacy, status, upstream};
use crate::upstream::Protocol;

/// A server whose sessions are numbered, and which knows the newest only.
async fn forgetful(status: u16, code: i64, message: &'static str) -> Server {
    let newest = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    Server::start(move |seen, before| {
        let number = || newest.load(std::sync::atomic::Ordering::SeqCst);
        match seen.method().as_str() {
            "initialize" => {
                let number = newest.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
                let mut response = legacy(seen);
                let id = HeaderValue::try_from(format!("s-{number}")).unwrap();
                response.headers_mut().insert("mcp-session-id", id);
                response
            }
            "tools/call" if before == 1 => {
                // Here the server restarts.
                newest.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                seen.error(status, code, message)
            }
            "tools/call" if seen.header("mcp-session-id") == format!("s-{}", number()) => {
                seen.result("7")
            }
            "tools/call" => seen.error(status, code, message),
            _ => legacy(seen),
        }
    })
    .await
}

#[tokio::test]
async fn a_lost_session_is_opened_again_even_for_a_write() {
    for (status, code, message) in [
        (404, -32600, "Session not found"),
        (404, -32001, "Session not found"),
        (400, -32000, "Bad Request: No valid session ID provided"),
        (400, -32600, "Bad Request: Missing session ID"),
    ] {
        let server = forgetful(status, code, message).await;
        let upstream = upstream(config(&server.url));
        for _ in 0..2 {
            assert_eq!(
                call(&upstream, false).await.unwrap(),
                "7",
                "{status} {message}"
            );
        }
        let sessions: Vec<_> = server
            .seen()
            .iter()
            .filter(|seen| ["initialize", "tools/call"].contains(&seen.method().as_str()))
            .map(|seen| format!("{} {}", seen.method(), seen.header("mcp-session-id")))
            .collect();
        assert_eq!(
            sessions,
            [
                "initialize ",
                "tools/call s-1",
                "tools/call s-1",
                "initialize ",
                "tools/call s-3"
            ]
        );
    }
}

#[tokio::test]
async fn a_session_that_stays_lost_is_an_error() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/call" => seen.error(404, -32600, "Session not found"),
        _ => legacy(seen),
    })
    .await;
    let outcome = call(&upstream(config(&server.url)), true).await;
    assert_eq!(kind(&outcome), "rpc");
    let calls = server
        .methods()
        .iter()
        .filter(|method| *method == "tools/call")
        .count();
    assert_eq!(calls, 2);
}

#[tokio::test]
async fn many_calls_of_one_caller_open_one_session() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/call" => seen.result("7"),
        _ => legacy(seen),
    })
    .await;
    let mut config = config(&server.url);
    config.protocol = Protocol::Legacy;
    let upstream = upstream(config);
    let calls = join_all((0..10).map(|_| call(&upstream, false))).await;
    assert!(calls.iter().all(Result::is_ok));
    let opened = server
        .methods()
        .iter()
        .filter(|method| *method == "initialize")
        .count();
    assert_eq!(opened, 1);
}

#[tokio::test]
async fn a_failed_opening_is_shared_and_then_forgotten() {
    let server = Server::start(|seen, before| match (seen.method().as_str(), before) {
        ("initialize", 0) => status(503, &[]),
        ("tools/call", _) => seen.result("7"),
        _ => legacy(seen),
    })
    .await;
    let mut config = config(&server.url);
    config.protocol = Protocol::Legacy;
    let upstream = upstream(config);
    let calls = join_all((0..5).map(|_| call(&upstream, false))).await;
    assert!(calls.iter().all(|outcome| kind(outcome) == "status"));
    assert_eq!(server.methods(), ["initialize"]);
    assert_eq!(kind(&call(&upstream, false).await), "ok");
}

#[tokio::test]
async fn each_caller_has_a_session_of_its_own_and_the_longest_unused_goes_first() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/list" => seen.result("{}"),
        "initialize" => {
            let mut response = legacy(seen);
            let id = seen.header("authorization").replace(' ', "-");
            let id = HeaderValue::try_from(id).unwrap();
            response.headers_mut().insert("mcp-session-id", id);
            response
        }
        _ => legacy(seen),
    })
    .await;
    let mut config = config(&server.url);
    config.max_sessions = 2;
    let upstream = upstream(config);
    for token in ["a", "b", "a", "c", "a", "b"] {
        upstream.list(&caller(token)).await.unwrap();
    }
    for seen in server.seen() {
        if seen.method() == "tools/list" {
            let own = seen.header("authorization").replace(' ', "-");
            assert_eq!(seen.header("mcp-session-id"), own);
        }
    }
    let opened: Vec<_> = server
        .seen()
        .iter()
        .filter(|seen| seen.method() == "initialize")
        .map(|seen| seen.header("authorization").to_owned())
        .collect();
    assert_eq!(opened, ["Bearer a", "Bearer b", "Bearer c", "Bearer b"]);
    let ended = server.wait_for("DELETE").await;
    assert_eq!(ended.header("mcp-session-id"), "Bearer-b");
}

#[tokio::test]
async fn a_server_without_sessions_is_greeted_once() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "initialize" => seen.result(r#"{"protocolVersion":"2025-03-26","capabilities":{}}"#),
        "tools/call" => seen.result("7"),
        _ => legacy(seen),
    })
    .await;
    let upstream = upstream(config(&server.url));
    for _ in 0..3 {
        assert_eq!(call(&upstream, false).await.unwrap(), "7");
    }
    assert_eq!(
        server.methods(),
        [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "tools/call",
            "tools/call",
            "tools/call"
        ]
    );
    let last = server.wait_for("tools/call").await;
    assert_eq!(last.header("mcp-protocol-version"), "2025-03-26");
    assert_eq!(last.header("mcp-session-id"), "");
}

#[tokio::test]
async fn closing_ends_the_sessions_without_a_credential() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/call" => seen.result("7"),
        _ => legacy(seen),
    })
    .await;
    let upstream = upstream(config(&server.url));
    call(&upstream, false).await.unwrap();
    upstream.close().await;
    let ended = server.wait_for("DELETE").await;
    assert_eq!(ended.header("mcp-session-id"), "s-1");
    assert_eq!(ended.header("authorization"), "");
}

#[tokio::test]
async fn a_probe_asks_as_little_as_it_can() {
    let server = Server::start(|seen, before| match (seen.method().as_str(), before) {
        ("ping", 1) => status(401, &[("www-authenticate", "Bearer")]),
        _ => legacy(seen),
    })
    .await;
    let upstream = upstream(config(&server.url));
    let mut outcomes = Vec::new();
    for _ in 0..3 {
        outcomes.push(kind(&upstream.probe(&caller("a")).await));
    }
    assert_eq!(outcomes, ["ok", "ok", "unauthorized"]);
    assert_eq!(
        server.methods(),
        [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "ping",
            "ping"
        ]
    );
}

#[tokio::test]
async fn a_handshake_that_cannot_be_used_is_refused() {
    for (version, session, expected) in [
        ("2025-11-25", "s-1", "ok"),
        ("2026-07-28", "s-1", "no_common_version"),
        ("1999-01-01", "s-1", "no_common_version"),
        ("2025-11-25", "has blank", "malformed"),
    ] {
        let server = Server::start(move |seen, _| match seen.method().as_str() {
            "initialize" => {
                let result = format!(r#"{{"protocolVersion":"{version}"}}"#);
                let mut response = seen.result(&result);
                let id = HeaderValue::from_static(session);
                response.headers_mut().insert("mcp-session-id", id);
                response
            }
            "tools/call" => seen.result("7"),
            _ => legacy(seen),
        })
        .await;
        let outcome = call(&upstream(config(&server.url)), false).await;
        assert_eq!(kind(&outcome), expected, "{version} {session}");
    }
}
