//! The static answers: what a client of each era hears first.

use serde_json::{Value, json};
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::{Client, Running};

const TOOLS: &str = r#"[{"name":"desk_get","description":"Reads a desk.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#;

async fn proxy() -> (Fake, Running) {
    let fake = Fake::modern(TOOLS, |_| fake::text("ok")).await;
    let running = Running::start(&fake.url, &[]).await;
    (fake, running)
}

#[tokio::test]
async fn discover_names_modern_versions_and_carries_both_instructions() {
    let (_fake, running) = proxy().await;
    let result = running
        .client()
        .modern("server/discover", json!({}))
        .await
        .result();
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    assert_eq!(
        (&result["resultType"], &result["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    let instructions = result["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("search_tools") && instructions.ends_with("Upstream says hello.")
    );
}

#[tokio::test]
async fn initialize_echoes_every_served_version() {
    let (_fake, running) = proxy().await;
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params})
            .to_string();
        let reply = running.client().post(&[], body).await;
        assert_eq!(reply.status, 200);
        assert!(
            !reply.headers.contains_key("mcp-session-id"),
            "there are no sessions"
        );
        assert_eq!(reply.result()["protocolVersion"], answered);
        assert_eq!(reply.message()["id"], "a");
    }
}

#[tokio::test]
async fn the_five_tools_are_listed_without_a_handshake() {
    let (_fake, running) = proxy().await;
    let client = running.client();
    let modern = client.modern("tools/list", json!({})).await.result();
    let legacy = client
        .legacy("2025-06-18", "tools/list", json!({}))
        .await
        .result();
    assert_eq!(modern["tools"], legacy["tools"]);
    assert_eq!(modern["tools"].as_array().unwrap().len(), 5);
    assert_eq!(
        (&modern["cacheScope"], modern["ttlMs"].as_u64().unwrap() > 0),
        (&json!("public"), true)
    );
    assert!(legacy.get("resultType").is_none() && legacy.get("ttlMs").is_none());
    for reply in [
        client.modern("tools/list", json!({"cursor": ""})).await,
        client
            .legacy("2025-11-25", "tools/list", json!({"cursor": "x"}))
            .await,
    ] {
        assert_eq!((reply.status, reply.code()), (200, -32602));
    }
}

#[tokio::test]
async fn methods_of_other_features_are_not_found() {
    let (_fake, running) = proxy().await;
    let client = running.client();
    for method in [
        "prompts/list",
        "resources/list",
        "logging/setLevel",
        "subscriptions/listen",
        "ping",
        "initialize",
        "x",
    ] {
        let reply = client.modern(method, json!({})).await;
        assert_eq!((reply.status, reply.code()), (404, -32601), "{method}");
    }
    for method in ["prompts/list", "logging/setLevel", "server/discover"] {
        let reply = client.legacy("2025-11-25", method, json!({})).await;
        assert_eq!((reply.status, reply.code()), (200, -32601), "{method}");
    }
    assert_eq!(
        client
            .legacy("2025-03-26", "ping", json!({}))
            .await
            .result(),
        json!({})
    );
}

#[tokio::test]
async fn unknown_tools_and_malformed_params_are_errors_of_the_protocol() {
    let (_fake, running) = proxy().await;
    let unknown = running.client().call("desk_get", json!({})).await;
    assert_eq!((unknown.status, unknown.code()), (200, -32602));
    let malformed = running
        .client()
        .legacy("2025-11-25", "tools/call", json!({"arguments": {}}))
        .await;
    assert_eq!((malformed.status, malformed.code()), (200, -32602));
}

#[tokio::test]
async fn http_is_held_to_its_rules() {
    let (_fake, running) = proxy().await;
    let url = format!("http://{}/mcp", running.address);
    let get = Client::get(&url).await;
    assert_eq!(
        (get.status, get.headers["allow"].to_str().unwrap()),
        (405, "POST")
    );
    assert_eq!(
        Client::get(&format!("http://{}/", running.address))
            .await
            .status,
        404
    );
    let ping = || json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let client = running.client();
    for (header, value, status) in [
        ("content-type", "text/plain", 415),
        ("accept", "text/html", 406),
        ("accept", "*/*", 200),
        ("host", "evil.example.com", 403),
        ("origin", "http://evil.example.com", 403),
        ("origin", "http://localhost:6274", 200),
        ("mcp-session-id", "whatever", 200),
        ("last-event-id", "7", 200),
        ("mcp-protocol-version", "garbage", 400),
    ] {
        assert_eq!(
            client.post(&[(header, value)], ping()).await.status,
            status,
            "{header}: {value}"
        );
    }
    let accepted = client
        .post(
            &[],
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        )
        .await;
    assert_eq!((accepted.status, accepted.body.as_str()), (202, ""));
    let only_stream = client
        .post(&[("accept", "text/event-stream")], ping())
        .await;
    assert_eq!(only_stream.headers["content-type"], "text/event-stream");
    assert_eq!(only_stream.result(), json!({}));
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused_with_and_without_length() {
    let fake = Fake::modern(TOOLS, |_| fake::text("ok")).await;
    let running = Running::start(&fake.url, &["--max-body", "2KiB"]).await;
    let large = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
        "y".repeat(4000)
    );
    assert_eq!(running.client().post(&[], large.clone()).await.status, 413);
    let pieces = large
        .into_bytes()
        .chunks(512)
        .map(|piece| Ok::<_, std::io::Error>(piece.to_vec()))
        .collect::<Vec<_>>();
    let streamed = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    let request = running.client().request(&[], String::new()).body(streamed);
    assert_eq!(request.send().await.unwrap().status().as_u16(), 413);
}

#[tokio::test]
async fn a_batch_of_the_oldest_revision_is_answered_as_one() {
    let (_fake, running) = proxy().await;
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
        {"jsonrpc": "2.0", "id": "two", "method": "tools/list"},
        7,
    ]);
    let reply = running.client().post(&[], batch.to_string()).await;
    let answers = reply.message();
    let ids: Vec<Value> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["id"].clone())
        .collect();
    assert_eq!(ids, [json!(1), json!("two"), Value::Null]);
    assert_eq!(answers[2]["error"]["code"], -32600);
}
