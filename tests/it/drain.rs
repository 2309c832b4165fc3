//! The order of the end: keep accepting, say so, finish what is under way, close.

use std::time::Duration;

use serde_json::json;
use toolsearch_telemetry::Phase;
use toolsearch_tests::Running;
use toolsearch_tests::fake::{Answer, Fake};

const TOOLS: &str = r#"[{"name":"slow","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;

async fn slow(takes: Duration, flags: &[&str]) -> (Fake, Running) {
    let fake = Fake::modern(TOOLS, move |_| {
        let done =
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"done"}]}}"#
                .to_owned();
        Answer::Stream(vec![done], takes)
    })
    .await;
    let running = Running::start(&fake.url, flags).await;
    (fake, running)
}

#[tokio::test]
async fn draining_accepts_and_says_close_and_then_ends() {
    let (_fake, mut running) = slow(Duration::ZERO, &["--drain-delay", "3s"]).await;
    let client = running.client();
    let before = client.modern("tools/list", json!({})).await;
    assert!(!before.headers.contains_key("connection"));
    assert_eq!(
        [running.probe("/readyz").await, running.probe("/lbz").await],
        [200, 200]
    );
    running.lifecycle.advance(Phase::Draining);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(
        [
            running.probe("/readyz").await,
            running.probe("/livez").await,
            running.probe("/lbz").await
        ],
        [200, 200, 503]
    );
    for _ in 0..3 {
        let during = running.client().modern("tools/list", json!({})).await;
        assert_eq!(
            (
                during.status,
                during.headers["connection"].to_str().unwrap()
            ),
            (200, "close")
        );
    }
    assert!(running.metrics().await.contains("toolsearch_draining 1"));
    let ended = tokio::time::timeout(Duration::from_secs(30), &mut running.ended).await;
    assert!(ended.expect("it ends").expect("without a panic").is_ok());
    let refused = client.request(&[], String::new()).send().await;
    assert!(refused.unwrap_err().is_connect());
}

#[tokio::test]
async fn a_call_under_way_is_finished() {
    let (_fake, running) = slow(Duration::from_secs(3), &["--drain-delay", "0s"]).await;
    let client = running.client();
    let call =
        tokio::spawn(async move { client.call("call_read_tool", json!({"name": "slow"})).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    running.lifecycle.advance(Phase::Draining);
    assert_eq!(call.await.unwrap().text(), "done");
}

#[tokio::test]
async fn what_is_not_finished_in_time_gets_an_error_not_a_cut() {
    let (_fake, mut running) = slow(
        Duration::from_secs(30),
        &["--drain-delay", "0s", "--drain-timeout", "300ms"],
    )
    .await;
    let client = running.client();
    let call =
        tokio::spawn(async move { client.call("call_read_tool", json!({"name": "slow"})).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    running.lifecycle.advance(Phase::Draining);
    let given_up = call.await.unwrap();
    assert_eq!(given_up.code(), -32603);
    assert!(given_up.body.contains("shutting down"));
    let ended = tokio::time::timeout(Duration::from_secs(30), &mut running.ended).await;
    assert!(ended.expect("it ends").expect("without a panic").is_ok());
}
