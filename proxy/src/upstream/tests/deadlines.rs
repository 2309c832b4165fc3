//! Does the time of a tool that has its own bound all of a call, and is nothing sent after it?

use std::time::Duration;

use globset::Glob;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::stage::{After, Raw, Server, caller, config, kind, modern, raw, tool, upstream};
use crate::upstream::{Call, CallContext, Config, Error, Phase, Protocol, Received, ToolTimeouts};

/// An upstream whose tool `t` has so long.
fn timed(url: &Url, time: Duration) -> Config {
    let tools = Glob::new("t").unwrap().compile_matcher();
    let mut config = config(url);
    config.tool_timeouts = ToolTimeouts(vec![(tools, time)]);
    config
}

async fn call(config: Config, began: Instant, repeatable: bool) -> Result<Received, Error> {
    let call = Call {
        tool: &tool(r#"{"name":"t","inputSchema":{}}"#),
        arguments: &raw("{}"),
        repeatable,
        context: &CallContext::default(),
        began,
    };
    upstream(config).call(&caller("a"), call).await
}

#[track_caller]
fn was_not_sent(outcome: Result<Received, Error>) {
    let kind = kind(&outcome);
    let Err(error @ Error::Timeout { phase }) = outcome else {
        panic!("{kind}");
    };
    assert_eq!(phase, Phase::Before);
    assert!(!error.outcome_unknown());
}

/// A server that says this to a call, and is silent from then on; to `discover` what is modern
/// where it answers that at all.
async fn stalling(discovers: bool, to_call: &'static str) -> Raw {
    Raw::start(move |body, _| {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        if body["method"] != "server/discover" {
            return (to_call.to_owned(), After::Silence);
        }
        let json = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"supportedVersions":["2026-07-28"]}}}}"#,
            body["id"]
        );
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
        let answer = format!("{head}{}\r\n\r\n{json}", json.len());
        if discovers {
            (answer, After::Next)
        } else {
            (String::new(), After::Silence)
        }
    })
    .await
}

#[tokio::test]
async fn a_handshake_that_takes_all_of_it_is_given_up_and_nothing_is_sent() {
    for protocol in [Protocol::Auto, Protocol::Legacy] {
        let server = stalling(false, "").await;
        let mut config = timed(&server.url, Duration::from_millis(200));
        config.protocol = protocol;
        was_not_sent(call(config, Instant::now(), false).await);
        let bodies = server.bodies.lock().unwrap();
        assert!(bodies.iter().all(|body| !body.contains("tools/call")));
        assert_eq!(bodies.len(), 1);
    }
}

#[tokio::test]
async fn nothing_is_sent_after_it() {
    let server = Server::start(|seen, _| modern(seen)).await;
    let time = Duration::from_millis(200);
    let mut config = timed(&server.url, time);
    config.protocol = Protocol::Modern;
    let began = Instant::now();
    tokio::time::sleep(time * 2).await;
    was_not_sent(call(config, began, false).await);
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_refusal_stays_one_when_its_body_stalls() {
    let refusal = "HTTP/1.1 503 No\r\ncontent-type: application/json\r\nretry-after: 7\r\ncontent-length: 90\r\n\r\n{";
    let server = stalling(true, refusal).await;
    let own = timed(&server.url, Duration::from_millis(900));
    let mut usual = config(&server.url);
    usual.total_timeout = Duration::from_millis(900);
    for config in [own, usual] {
        let outcome = call(config, Instant::now(), false).await;
        let kind = kind(&outcome);
        assert!(
            matches!(outcome, Err(Error::Status { status: 503, retry_after: Some(after) }) if after == "7"),
            "{kind}"
        );
    }
}
