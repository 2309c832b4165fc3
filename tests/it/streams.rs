//! Long calls: progress on its way to the caller, and what a caller that goes away means.

use std::time::Duration;

use serde_json::json;
use toolsearch_tests::Running;
use toolsearch_tests::fake::{Answer, Fake};

const TOOLS: &str = r#"[{"name":"slow","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;

fn progress(value: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":ID,"progress":{value},"total":3.0,"message":"step"}}}}"#
    )
}

#[tokio::test]
async fn progress_carries_the_callers_token_and_only_rises() {
    let fake = Fake::modern(TOOLS, |_| {
        let done = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#.to_owned();
        Answer::Stream(
            vec![progress("1"), progress("0.5"), progress("2.50"), done],
            Duration::from_millis(20),
        )
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let params = json!({"name": "call_read_tool", "arguments": {"name": "slow"}, "_meta": {"progressToken": "mine-7"}});
    let reply = running.client().modern("tools/call", params).await;
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    let events: Vec<&str> = reply
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    assert_eq!(events.len(), 3, "{}", reply.body);
    assert!(
        events[0].contains(r#""progressToken":"mine-7","progress":1,"total":3.0,"message":"step""#),
        "{}",
        events[0]
    );
    assert!(events[1].contains(r#""progress":2.50"#) && events[2].contains(r#""id":1"#));
    let quiet = running
        .client()
        .call("call_read_tool", json!({"name": "slow"}))
        .await;
    assert_eq!(
        quiet.headers["content-type"], "application/json",
        "no token, no stream"
    );
    let calls = fake.seen_of("tools/call");
    let tokens: Vec<_> = calls
        .iter()
        .map(|call| &call.json["params"]["_meta"]["progressToken"])
        .collect();
    assert!(!tokens[0].is_null() && *tokens[0] != "mine-7" && tokens[1].is_null());
}

/// An upstream that tells its last step and its result in one breath.
#[tokio::test]
async fn progress_that_comes_with_the_result_is_told_before_it() {
    for modern in [true, false] {
        let fake = Fake::modern(TOOLS, |_| {
            let done = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#.to_owned();
            let all = [progress("1"), progress("2"), progress("3"), done];
            Answer::Stream(vec![all.join("\n\ndata: ")], Duration::ZERO)
        })
        .await;
        let running = Running::start(&fake.url, &[]).await;
        let client = running.client();
        let params = json!({"name": "call_read_tool", "arguments": {"name": "slow"}, "_meta": {"progressToken": 7}});
        let reply = if modern {
            client.modern("tools/call", params).await
        } else {
            client.legacy("2025-11-25", "tools/call", params).await
        };
        let told = reply.body.matches("notifications/progress").count();
        assert_eq!(told, 3, "{}", reply.body);
        let result = reply.body.find(r#""id":1"#);
        assert!(
            reply.body.find(r#""progress":3"#) < result,
            "{}",
            reply.body
        );
    }
}

/// Whether an upstream request goes on after its caller went away.
async fn survives(modern: bool) -> bool {
    let fake = Fake::modern(TOOLS, |_| {
        let done = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#.to_owned();
        Answer::Stream(vec![done], Duration::from_secs(1))
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let client = running.client();
    let impatient = async {
        if modern {
            client.call("call_read_tool", json!({"name": "slow"})).await
        } else {
            let params = json!({"name": "call_read_tool", "arguments": {"name": "slow"}});
            client.legacy("2025-11-25", "tools/call", params).await
        }
    };
    assert!(
        tokio::time::timeout(Duration::from_millis(200), impatient)
            .await
            .is_err()
    );
    tokio::time::sleep(Duration::from_secs(3)).await;
    running
        .metrics()
        .await
        .contains(r#"toolsearch_calls_total{outcome="ok",tool="call_read_tool"} 1"#)
}

#[tokio::test]
async fn a_modern_caller_cancels_by_going_away_and_a_legacy_one_does_not() {
    assert!(!survives(true).await);
    assert!(survives(false).await);
}
