//! Does a call reach the upstream as it should, once, and its answer come back as it was?

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::stage::{
    After, Raw, Server, call, call_with, caller, config, kind, legacy, modern, raw, tool, upstream,
};
use crate::upstream::Received;
use crate::upstream::{Call, CallContext};

#[tokio::test]
async fn arguments_and_result_pass_byte_for_byte() {
    let result =
        r#"{"content":[], "n": 1.10, "big":12345678901234567890,"resultType":"input_required"}"#;
    let server = Server::start(move |seen, _| match seen.method().as_str() {
        "tools/call" => seen.result(result),
        _ => modern(seen),
    })
    .await;
    let tool = tool(
        r#"{"name":"žuvis","inputSchema":{"properties":{"o":{"type":"string","x-mcp-header":"Owner"}}}}"#,
    );
    let context = CallContext {
        client_capabilities: Some(raw(r#"{"elicitation": {}}"#)),
        request_state: Some(raw(r#""st""#)),
        ..CallContext::default()
    };
    let call = Call {
        tool: &tool,
        arguments: &raw(r#"{"z": 1.10,"o":"me"}"#),
        repeatable: false,
        context: &context,
        began: Instant::now(),
    };
    let upstream = upstream(config(&server.url));
    let answer = upstream.call(&caller("a"), call).await.unwrap();
    assert!(matches!(answer, Received::Whole(answer) if answer.get() == result));
    let seen = server.wait_for("tools/call").await;
    assert!(seen.body.contains(r#""arguments":{"z": 1.10,"o":"me"}"#));
    assert!(seen.body.contains(r#""requestState":"st""#));
    assert!(
        seen.body
            .contains(r#"clientCapabilities":{"elicitation": {}}"#)
    );
    assert_eq!(seen.header("mcp-name"), "=?base64?xb51dmlz?=");
    assert_eq!(seen.header("mcp-param-owner"), "me");
    assert_eq!(seen.at("/params/_meta/progressToken"), "");
}

#[tokio::test]
async fn progress_comes_with_the_numbers_it_was_sent_with() {
    let server = Server::start(|seen, _| {
        let progress = |token: &str, value: &str| {
            format!(
                "data: {{\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":{value},\"total\":3,\"message\":\"m\"}}}}\n\n"
            )
        };
        match seen.method().as_str() {
            "tools/call" => seen.stream(
                &[
                    progress("$ID", "1.0"),
                    progress("$ID", "0.5"),
                    progress("99", "2"),
                    progress("\"$ID\"", "3"),
                    "data: {\"id\":$ID,\"result\":7}\n\n".to_owned(),
                ]
                .concat(),
            ),
            _ => modern(seen),
        }
    })
    .await;
    let (sender, mut receiver) = mpsc::channel(10);
    let context = CallContext {
        progress: Some(sender),
        ..CallContext::default()
    };
    let answer = call_with(&upstream(config(&server.url)), false, &context).await;
    assert_eq!(answer.unwrap(), "7");
    drop(context);
    let mut values = Vec::new();
    while let Some(progress) = receiver.recv().await {
        assert_eq!(progress.message.as_deref(), Some("m"));
        values.push(progress.progress.get().to_owned());
    }
    assert_eq!(values, ["1.0", "3"]);
    let seen = server.wait_for("tools/call").await;
    assert_eq!(seen.at("/params/_meta/progressToken"), seen.at("/id"));
}

#[tokio::test]
async fn answers_to_others_are_passed_over() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/call" => seen.stream(
            "data: {\"id\":999,\"result\":1}\n\ndata: {\"id\":\"$ID\",\"result\":2}\n\ndata: {\"id\":$ID,\"result\":3}\n\n",
        ),
        _ => modern(seen),
    })
    .await;
    let answer = call(&upstream(config(&server.url)), false).await;
    assert_eq!(answer.unwrap(), "2");
}

#[tokio::test]
async fn a_stream_is_not_read_past_its_answer() {
    let server = Raw::start(|body, _| {
        let events = if body.contains("discover") {
            r#"{"id":1,"result":{"supportedVersions":["2026-07-28"]}}"#
        } else {
            r#"{"id":2,"result":"done"}"#
        };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        (format!("{head}data: {events}\n\n"), After::Silence)
    })
    .await;
    let answer = call(&upstream(config(&server.url)), false).await;
    assert_eq!(answer.unwrap(), r#""done""#);
}

/// A server that takes the call and then hangs up, `losses` times; it keeps other connections.
async fn hanging_up(losses: usize) -> Raw {
    Raw::start(move |body, before| {
        let json = |id: usize, result: &str| {
            let body = format!(r#"{{"id":{id},"result":{result}}}"#);
            let length = body.len();
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        };
        let bytes = match before {
            _ if body.contains("discover") => json(1, r#"{"supportedVersions":["2026-07-28"]}"#),
            _ if before <= losses => String::new(),
            // The ids go up with every request.
            _ => json(before + 1, "7"),
        };
        let after = if bytes.is_empty() { After::Close } else { After::Next };
        (bytes, after)
    })
    .await
}

#[tokio::test]
async fn a_write_is_never_sent_twice() {
    let server = hanging_up(1).await;
    let outcome = call(&upstream(config(&server.url)), false).await;
    assert_eq!(kind(&outcome), "lost");
    assert!(outcome.unwrap_err().outcome_unknown());
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.bodies.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_read_is_asked_again_once() {
    let server = hanging_up(1).await;
    let outcome = call(&upstream(config(&server.url)), true).await;
    assert_eq!(outcome.unwrap(), "7");
    assert_eq!(server.bodies.lock().unwrap().len(), 3);

    let server = hanging_up(2).await;
    let outcome = call(&upstream(config(&server.url)), true).await;
    assert_eq!(kind(&outcome), "lost");
    assert_eq!(server.bodies.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_in_its_session() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/call" => http::Response::builder()
            .header("content-type", "text/event-stream")
            .body(axum::body::Body::from_stream(
                futures_util::stream::pending::<Result<bytes::Bytes, std::io::Error>>(),
            ))
            .unwrap(),
        _ => legacy(seen),
    })
    .await;
    let upstream = upstream(config(&server.url));
    let waiting = tokio::spawn(async move { call(&upstream, false).await });
    let sent = server.wait_for("tools/call").await;
    waiting.abort();
    let told = server.wait_for("notifications/cancelled").await;
    assert_eq!(told.at("/params/requestId"), sent.at("/id"));
    assert_eq!(told.header("mcp-session-id"), "s-1");
    assert_eq!(told.header("authorization"), "Bearer a");
    assert_eq!(told.at("/id"), "");
}

#[tokio::test]
async fn an_answered_call_is_not_cancelled() {
    let server = Server::start(|seen, before| match (seen.method().as_str(), before) {
        ("tools/call", 0) => seen.result("7"),
        ("tools/call", _) => seen.error(200, -32603, "no"),
        _ => legacy(seen),
    })
    .await;
    let upstream = upstream(config(&server.url));
    assert_eq!(kind(&call(&upstream, false).await), "ok");
    assert_eq!(kind(&call(&upstream, false).await), "rpc");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(
        !server
            .methods()
            .contains(&"notifications/cancelled".to_owned())
    );
}

#[tokio::test]
async fn questions_of_a_legacy_server_are_answered() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/call" => seen.stream(
            "data: {\"id\":\"p\",\"method\":\"ping\"}\n\ndata: {\"id\":5,\"method\":\"roots/list\"}\n\ndata: {\"id\":$ID,\"result\":7}\n\n",
        ),
        _ => legacy(seen),
    })
    .await;
    let upstream = upstream(config(&server.url));
    assert_eq!(call(&upstream, false).await.unwrap(), "7");
    let replies = async {
        loop {
            let seen = server.seen().into_iter();
            let mut replies: Vec<_> = seen.filter(|seen| seen.method() == "reply").collect();
            replies.sort_by_key(|seen| seen.body.clone());
            if replies.len() == 2 {
                return replies;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let replies = tokio::time::timeout(Duration::from_secs(10), replies)
        .await
        .unwrap();
    assert_eq!(replies[0].body, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    assert_eq!(replies[1].at("/error/code"), "-32601");
    assert_eq!(replies[1].at("/id"), "5");
    assert_eq!(replies[1].header("mcp-session-id"), "s-1");
}
