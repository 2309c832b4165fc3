//! A canary in query, arguments, result, description and token: it may come back to its caller,
//! and nowhere else. Logs are captured at the finest level, of every crate.

use serde_json::json;
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::{Logs, Running};

const CANARY: &str = "canary7f3a";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_canary_appears_in_no_log_and_no_metric() {
    let logs = Logs::capture();
    let tools = format!(
        r#"[{{"name":"open_door","description":"{CANARY}","inputSchema":{{"type":"object","properties":{{"n":{{"type":"integer"}}}}}},"annotations":{{"readOnlyHint":true}}}},{{"name":"fail","inputSchema":{{}},"annotations":{{"readOnlyHint":true}}}},{{"name":"broken","inputSchema":{{"type":"{CANARY}"}}}}]"#
    );
    let fake = Fake::modern(&tools, |seen| match seen.json["params"]["name"].as_str() {
        Some("open_door") => fake::text(CANARY),
        Some("fail") => Answer::Error(200, format!(r#"{{"code":-32000,"message":"{CANARY}"}}"#)),
        _ => Answer::Broken,
    })
    .await;
    let running = Running::start(
        &fake.url,
        &["--embedder", "builtin", "--log-level", "trace"],
    )
    .await;
    let client = running.client().with_token(CANARY);
    for (tool, arguments) in [
        ("search_tools", json!({"query": CANARY})),
        ("search_tools", json!({"query": 7, "limit": CANARY})),
        ("describe_tool", json!({"names": [CANARY]})),
        (
            "call_read_tool",
            json!({"name": "open_door", "arguments": {"x": CANARY}}),
        ),
        (
            "call_read_tool",
            json!({"name": "open_door", "arguments": {"n": CANARY}}),
        ),
        // One that is mended; the one before was refused.
        (
            "call_read_tool",
            json!({"name": "open_door", "arguments": {"n": "7", "x": CANARY}}),
        ),
        ("call_read_tool", json!({"name": CANARY})),
        ("call_read_tool", json!({"name": "fail"})),
        (
            "call_write_tool",
            json!({"name": "broken", "arguments": {"x": CANARY}}),
        ),
        (
            "call_read_tools",
            json!({"calls": [{"name": "open_door"}, {"name": CANARY}]}),
        ),
    ] {
        let reply = client.call(tool, arguments).await;
        assert_eq!(reply.status, 200);
    }
    for body in [
        format!("{{{CANARY}"),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{CANARY}"}}"#),
        format!(r#"["{CANARY}"]"#),
    ] {
        client
            .post(&[("mcp-name", CANARY), ("x-other", CANARY)], body)
            .await;
    }
    client.post(&[("host", CANARY)], String::new()).await;
    let nowhere = Running::start("http://127.0.0.1:9/mcp", &[]).await;
    nowhere
        .client()
        .with_token(CANARY)
        .call("search_tools", json!({"query": CANARY}))
        .await;
    let metrics = running.metrics().await + &nowhere.metrics().await;
    assert!(
        !metrics.contains(CANARY),
        "in the metrics: {}",
        around(&metrics)
    );
    assert!(
        metrics.contains("toolsearch_mended_calls_total") && metrics.contains("invalid_arguments"),
        "one is mended and one refused: {metrics}"
    );
    let text = logs.text();
    assert!(
        text.contains("open_door") && text.contains("answered a call"),
        "something is logged: {text}"
    );
    assert!(!text.contains(CANARY), "in the log: {}", around(&text));
}

fn around(text: &str) -> String {
    text.lines()
        .filter(|line| line.contains(CANARY))
        .take(5)
        .collect::<Vec<_>>()
        .join("\n")
}
