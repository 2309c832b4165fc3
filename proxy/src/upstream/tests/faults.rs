//! What does each fault look like to whoever called?

use std::time::Duration;

use axum::body::Body;
use http::Response;
use prometheus::{Encoder as _, TextEncoder};

use super::stage::{
    After, Raw, Seen, Server, answer, bind, call, config, kind, legacy, modern, status, upstream,
};
use crate::upstream::{BuildError, Error, Phase, Upstream};

/// A modern server that answers every call like this.
async fn answering<F>(script: F) -> Server
where
    F: Fn(&Seen) -> Response<Body> + Clone + Send + Sync + 'static,
{
    Server::start(move |seen, _| match seen.method().as_str() {
        "tools/call" => script(seen),
        _ => modern(seen),
    })
    .await
}

#[tokio::test]
async fn challenges_come_whole_and_are_not_retried() {
    let server = answering(|_| {
        status(
            401,
            &[
                ("www-authenticate", "Bearer a=\"1\""),
                ("www-authenticate", "Basic"),
            ],
        )
    })
    .await;
    let outcome = call(&upstream(config(&server.url)), true).await;
    let Err(Error::Unauthorized { challenges }) = outcome else {
        panic!("{}", kind(&outcome));
    };
    assert_eq!(challenges, ["Bearer a=\"1\"", "Basic"]);
    assert_eq!(server.methods(), ["server/discover", "tools/call"]);
}

#[tokio::test]
async fn a_missing_scope_is_told_from_a_plain_no() {
    for (challenge, expected) in [
        ("Bearer error=\"insufficient_scope\", scope=\"x\"", true),
        ("Bearer", false),
    ] {
        let server = answering(move |_| status(403, &[("www-authenticate", challenge)])).await;
        let outcome = call(&upstream(config(&server.url)), false).await;
        let Err(Error::Forbidden { scope, challenges }) = outcome else {
            panic!("{}", kind(&outcome));
        };
        assert_eq!((scope, challenges.len()), (expected, 1));
    }
}

#[tokio::test]
async fn statuses_keep_their_meaning() {
    let server = answering(|_| status(429, &[("retry-after", "7")])).await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert!(
        matches!(outcome, Err(Error::RateLimited { retry_after: Some(after) }) if after == "7")
    );
    for code in [302, 402, 410, 500, 502, 503] {
        let server = answering(move |_| status(code, &[])).await;
        let outcome = call(&upstream(config(&server.url)), true).await;
        assert!(matches!(outcome, Err(Error::Status { status, .. }) if status == code));
        assert_eq!(server.methods().len(), 2);
    }
    let server = answering(|seen| seen.error(400, -32602, "no such argument")).await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert!(matches!(outcome, Err(Error::Rpc(error)) if error.message == "no such argument"));
}

#[tokio::test]
async fn what_is_no_answer_is_malformed() {
    let bad: [fn(&Seen) -> Response<Body>; 8] = [
        |_| status(202, &[]),
        |_| status(204, &[]),
        |_| status(200, &[("content-type", "text/html")]),
        |_| status(200, &[("content-type", "application/json")]),
        |_| answer(200, "nonsense"),
        |_| answer(200, r#"{"id":999,"result":1}"#),
        |_| answer(200, r#"{"method":"notifications/x"}"#),
        |seen| seen.stream("data: nonsense\n\n"),
    ];
    for (number, script) in bad.into_iter().enumerate() {
        let server = answering(script).await;
        let outcome = call(&upstream(config(&server.url)), true).await;
        assert_eq!(kind(&outcome), "malformed", "{number}");
        assert_eq!(server.methods().len(), 2);
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_the_answer_is_lost() {
    let server = answering(|seen| seen.stream(": nothing\n\n")).await;
    assert_eq!(
        kind(&call(&upstream(config(&server.url)), false).await),
        "lost"
    );
    let server = answering(|seen| seen.stream("data: {\"id\":$ID,\"result\":7}")).await;
    assert_eq!(
        call(&upstream(config(&server.url)), false).await.unwrap(),
        "7"
    );
}

#[tokio::test]
async fn a_credential_never_crosses_an_origin() {
    let elsewhere = Server::start(|seen, _| seen.result("1")).await;
    let target = elsewhere.url.to_string();
    let server = answering(move |_| status(307, &[("location", &target)])).await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert!(matches!(outcome, Err(Error::Status { status: 307, .. })));
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_three_times() {
    for (hops, expected) in [(3, "ok"), (4, "status")] {
        let server = answering(move |seen| {
            let hop = seen.path.rsplit('/').next().unwrap().parse().unwrap_or(0);
            if hop == hops {
                return seen.result("7");
            }
            let next = format!("/hop/{}", hop + 1);
            status(308, &[("location", &next)])
        })
        .await;
        let outcome = call(&upstream(config(&server.url)), false).await;
        assert_eq!(kind(&outcome), expected);
        let calls: Vec<_> = server.seen().into_iter().skip(1).collect();
        assert_eq!(calls.len(), 4);
        assert!(
            calls
                .iter()
                .all(|seen| seen.header("authorization") == "Bearer a")
        );
        assert!(calls.iter().all(|seen| seen.header("referer").is_empty()));
        assert!(calls.iter().all(|seen| seen.at("/params/name") == "t"));
    }
    let server = answering(|_| status(302, &[("location", "/other")])).await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert!(matches!(outcome, Err(Error::Status { status: 302, .. })));
}

#[tokio::test]
async fn an_answer_beyond_the_ceiling_is_not_held() {
    for streamed in [true, false] {
        let server = answering(move |seen| {
            let result = format!("\"{}\"", "x".repeat(200_000));
            if streamed {
                seen.stream(&format!("data: {{\"id\":$ID,\"result\":{result}}}\n\n"))
            } else {
                seen.result(&result)
            }
        })
        .await;
        let outcome = call(&upstream(config(&server.url)), true).await;
        assert!(matches!(outcome, Err(Error::TooLarge { limit: 100_000 })));
        assert_eq!(server.methods().len(), 2);
    }
}

/// A modern server that answers calls with these bytes and falls silent.
async fn stalling(bytes: &'static str) -> Raw {
    Raw::start(move |body, _| {
        if body.contains("discover") {
            let body = r#"{"id":1,"result":{"supportedVersions":["2026-07-28"]}}"#;
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json";
            let length = body.len();
            (
                format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}"),
                After::Close,
            )
        } else {
            (bytes.to_owned(), After::Silence)
        }
    })
    .await
}

const SSE_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hi\n\n";

#[tokio::test]
async fn silence_has_a_limit_in_every_phase() {
    let short = Duration::from_millis(100);
    for (bytes, expected) in [
        ("", Phase::FirstByte),
        ("HTTP/1.1 200 OK\r\ncontent-ty", Phase::FirstByte),
        (SSE_HEAD, Phase::Idle),
    ] {
        let server = stalling(bytes).await;
        let mut config = config(&server.url);
        config.connect_timeout = short;
        config.first_byte_timeout = short;
        config.idle_timeout = short;
        let outcome = call(&upstream(config), true).await;
        let Err(Error::Timeout { phase }) = outcome else {
            panic!("{}", kind(&outcome));
        };
        assert_eq!(phase, expected);
        assert_eq!(server.bodies.lock().unwrap().len(), 2);
    }
    let server = stalling(SSE_HEAD).await;
    let mut config = config(&server.url);
    config.total_timeout = Duration::from_millis(300);
    let outcome = call(&upstream(config), true).await;
    assert!(matches!(
        outcome,
        Err(Error::Timeout {
            phase: Phase::Total
        })
    ));
}

#[tokio::test]
async fn nobody_there_is_unreachable_and_nothing_was_sent() {
    let (listener, url) = bind().await;
    drop(listener);
    let outcome = call(&upstream(config(&url)), false).await;
    assert_eq!(kind(&outcome), "unreachable");
    assert!(!outcome.unwrap_err().outcome_unknown());
}

#[tokio::test]
async fn a_plain_server_behind_an_https_url_is_a_tls_error() {
    let server = Server::start(|seen, _| modern(seen)).await;
    let mut config = config(&server.url);
    config.url.set_scheme("https").unwrap();
    let outcome = call(&upstream(config), false).await;
    assert_eq!(kind(&outcome), "tls");
    assert!(server.seen().is_empty());
}

#[test]
fn a_configuration_that_cannot_work_is_refused() {
    let check = |url: &str, roots: Option<&str>| {
        let mut config = config(&url.parse().unwrap());
        config.extra_roots = roots.map(|text| text.as_bytes().to_vec());
        match Upstream::new(config, &prometheus::Registry::new()) {
            Ok(_) => "ok",
            Err(BuildError::Url) => "url",
            Err(BuildError::Roots) => "roots",
            Err(_) => "other",
        }
    };
    assert_eq!(check("http://h/mcp", None), "ok");
    assert_eq!(check("ftp://h/mcp", None), "url");
    assert_eq!(check("http://user@h/mcp", None), "url");
    assert_eq!(check("http://:pass@h/mcp", None), "url");
    assert_eq!(check("http://h/mcp", Some("nonsense")), "roots");
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert_eq!(check("http://h/mcp", Some(broken)), "roots");
}

#[tokio::test]
async fn requests_are_counted_by_method_and_outcome() {
    let server = Server::start(|seen, before| match (seen.method().as_str(), before) {
        ("tools/call", 0) => seen.result("7"),
        ("tools/call", _) => status(503, &[]),
        _ => legacy(seen),
    })
    .await;
    let registry = prometheus::Registry::new();
    let upstream = Upstream::new(config(&server.url), &registry).unwrap();
    for _ in 0..2 {
        drop(call(&upstream, false).await);
    }
    let mut text = Vec::new();
    TextEncoder::new()
        .encode(&registry.gather(), &mut text)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines: Vec<_> = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.contains("_seconds_"))
        .filter(|line| !line.ends_with(" 0"))
        .collect();
    expect_test::expect![[r#"
        toolsearch_upstream_era{era="legacy"} 1
        toolsearch_upstream_requests_total{method="call",outcome="ok"} 1
        toolsearch_upstream_requests_total{method="call",outcome="status"} 1
        toolsearch_upstream_requests_total{method="discover",outcome="rpc"} 1
        toolsearch_upstream_requests_total{method="initialize",outcome="ok"} 1
        toolsearch_upstream_requests_total{method="initialized",outcome="ok"} 1
        toolsearch_upstream_sessions 1"#]]
    .assert_eq(&lines.join("\n"));
}
