//! Is the upstream's era found, believed no longer than it should be, and found again?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::stage::{
    Seen, Server, answer, call, caller, config, kind, legacy, modern, status, upstream,
};
use crate::upstream::Protocol;

fn calls(seen: &Seen, modern_now: bool) -> http::Response<axum::body::Body> {
    match (seen.method().as_str(), modern_now) {
        ("tools/call", true) if seen.header("mcp-method") == "tools/call" => seen.result("1"),
        ("tools/call", true) => seen.error(400, -32602, "no envelope"),
        ("tools/call", false) if seen.header("mcp-session-id") == "s-1" => seen.result("2"),
        (_, true) => modern(seen),
        (_, false) => legacy(seen),
    }
}

#[tokio::test]
async fn an_outage_is_no_verdict() {
    let server = Server::start(|seen, before| match (seen.method().as_str(), before) {
        ("server/discover", 0) => status(503, &[]),
        ("server/discover", 1) => status(401, &[]),
        _ => calls(seen, true),
    })
    .await;
    let upstream = upstream(config(&server.url));
    let mut outcomes = Vec::new();
    for _ in 0..4 {
        outcomes.push(kind(&call(&upstream, false).await));
    }
    assert_eq!(outcomes, ["status", "unauthorized", "ok", "ok"]);
    let asked = server.methods();
    assert_eq!(
        asked
            .iter()
            .filter(|method| *method == "server/discover")
            .count(),
        3
    );
}

#[tokio::test]
async fn a_stale_legacy_verdict_is_asked_about_again() {
    let server = Server::start(|seen, before| {
        // A server of both eras from the second question on: the old session goes on working.
        match (seen.method().as_str(), before) {
            ("server/discover", 0) => legacy(seen),
            ("server/discover", _) => modern(seen),
            ("tools/call", _) => calls(seen, seen.header("mcp-method") == "tools/call"),
            _ => legacy(seen),
        }
    })
    .await;
    let mut config = config(&server.url);
    config.era_ttl = Duration::ZERO;
    let upstream = upstream(config);
    assert_eq!(call(&upstream, false).await.unwrap(), "2");
    assert_eq!(call(&upstream, false).await.unwrap(), "1");
}

#[tokio::test]
async fn an_outage_during_the_second_question_changes_nothing() {
    let server = Server::start(|seen, before| match (seen.method().as_str(), before) {
        ("server/discover", 0) => legacy(seen),
        ("server/discover", _) => status(502, &[]),
        _ => calls(seen, false),
    })
    .await;
    let mut config = config(&server.url);
    config.era_ttl = Duration::ZERO;
    let upstream = upstream(config);
    for _ in 0..2 {
        assert_eq!(call(&upstream, false).await.unwrap(), "2");
    }
}

#[tokio::test]
async fn a_server_that_changes_its_era_is_followed() {
    for (modern_first, expected) in [(true, ["1", "2"]), (false, ["2", "1"])] {
        let turned = Arc::new(AtomicBool::new(false));
        let modern_now = Arc::clone(&turned);
        let server = Server::start(move |seen, _| {
            let turned = modern_now.load(Ordering::SeqCst);
            // A server that has turned modern knows nothing of the old session.
            if turned && !modern_first && seen.header("mcp-session-id") == "s-1" {
                return status(404, &[]);
            }
            calls(seen, modern_first != turned)
        })
        .await;
        let upstream = upstream(config(&server.url));
        let first = call(&upstream, false).await;
        turned.store(true, Ordering::SeqCst);
        let second = call(&upstream, false).await;
        assert_eq!([first.unwrap(), second.unwrap()], expected);
    }
}

#[tokio::test]
async fn a_refused_version_is_negotiated_once() {
    let refuse = |seen: &Seen| {
        let id = seen.at("/id");
        answer(
            400,
            &format!(
                r#"{{"id":{id},"error":{{"code":-32022,"message":"m","data":{{"supported":["2026-07-28"]}}}}}}"#
            ),
        )
    };
    let server = Server::start(move |seen, before| match before {
        0 => refuse(seen),
        _ => calls(seen, true),
    })
    .await;
    let upstream_once = upstream(config(&server.url));
    assert_eq!(call(&upstream_once, false).await.unwrap(), "1");

    let server = Server::start(move |seen, _| match seen.method().as_str() {
        "tools/call" => refuse(seen),
        _ => modern(seen),
    })
    .await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert_eq!(kind(&outcome), "rpc");
    let sent = server.methods();
    assert_eq!(
        sent.iter().filter(|method| *method == "tools/call").count(),
        2
    );
}

#[tokio::test]
async fn a_server_of_neither_era_is_named_so() {
    let server = Server::start(|_, _| status(404, &[])).await;
    let upstream = upstream(config(&server.url));
    assert_eq!(kind(&call(&upstream, false).await), "no_common_version");
    assert_eq!(
        kind(&upstream.list(&caller("a")).await),
        "no_common_version"
    );
    assert_eq!(
        kind(&upstream.probe(&caller("a")).await),
        "no_common_version"
    );
}

#[tokio::test]
async fn a_pinned_era_is_not_asked_about() {
    let check = async |protocol, modern_server, expected: &[&str]| {
        let server = Server::start(move |seen, _| calls(seen, modern_server)).await;
        let mut config = config(&server.url);
        config.protocol = protocol;
        assert_eq!(kind(&call(&upstream(config), false).await), "ok");
        assert_eq!(server.methods(), expected);
    };
    check(Protocol::Modern, true, &["tools/call"]).await;
    check(
        Protocol::Legacy,
        false,
        &["initialize", "notifications/initialized", "tools/call"],
    )
    .await;
}

#[tokio::test]
async fn a_pinned_modern_list_lives_without_discover() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/list" => seen.result(r#"{"tools":[]}"#),
        _ => seen.error(404, -32601, "no"),
    })
    .await;
    let mut config = config(&server.url);
    config.protocol = Protocol::Modern;
    let listing = upstream(config).list(&caller("a")).await.unwrap();
    assert_eq!(listing.instructions, None);
}
