//! Authorization: what the upstream demands reaches the caller, what the caller holds reaches the
//! upstream, and nothing else of the caller's does.

use serde_json::json;
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::{Reply, Running};

const TOOLS: &str = r#"[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"b","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;
const FIRST: &str = r#"Bearer resource_metadata="https://up/x", scope="tools""#;

async fn guarded() -> (Fake, Running) {
    let fake = Fake::start(|seen| match (seen.token(), seen.method()) {
        ("good", "tools/call") if seen.json["params"]["name"] == "b" => Answer::Status(
            403,
            vec![(
                "www-authenticate",
                r#"Bearer error="insufficient_scope", scope="b""#,
            )],
        ),
        ("good", "tools/call") => fake::text("secret of good"),
        ("good", method) => fake::modern(method, TOOLS),
        _ => Answer::Status(
            401,
            vec![
                ("www-authenticate", FIRST),
                ("www-authenticate", "Basic realm=\"x\""),
            ],
        ),
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    (fake, running)
}

fn assert_challenged(reply: &Reply) {
    assert_eq!(reply.status, 401, "{}", reply.body);
    let lines: Vec<_> = reply.headers.get_all("www-authenticate").iter().collect();
    assert_eq!(lines, [FIRST, "Basic realm=\"x\""]);
    assert_eq!(reply.message()["id"], 1);
}

#[tokio::test]
async fn a_challenge_is_seen_at_the_first_exchange_of_either_era() {
    let (_fake, running) = guarded().await;
    for client in [running.client(), running.client().with_token("bad")] {
        let handshake = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
        assert_challenged(&client.legacy("2025-11-25", "initialize", handshake).await);
        assert_challenged(&client.modern("server/discover", json!({})).await);
        assert_challenged(&client.modern("tools/list", json!({})).await);
        assert_challenged(&client.legacy("2025-06-18", "tools/list", json!({})).await);
        assert_challenged(&client.call("search_tools", json!({"query": "a"})).await);
        assert_challenged(&client.call("call_read_tool", json!({"name": "a"})).await);
        assert_challenged(
            &client
                .post(
                    &[],
                    r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#.to_owned(),
                )
                .await,
        );
    }
    let good = running.client().with_token("good");
    assert_eq!(
        good.call("call_read_tool", json!({"name": "a"}))
            .await
            .text(),
        "secret of good"
    );
    assert_eq!(good.modern("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_missing_scope_is_a_challenge_of_the_one_call() {
    let (_fake, running) = guarded().await;
    let good = running.client().with_token("good");
    let refused = good.call("call_read_tool", json!({"name": "b"})).await;
    assert_eq!(refused.status, 403);
    assert!(
        refused.headers["www-authenticate"]
            .to_str()
            .unwrap()
            .contains("insufficient_scope")
    );
    let calls = json!([{"name": "a"}, {"name": "b"}]);
    assert_eq!(
        good.call("call_read_tools", json!({"calls": calls}))
            .await
            .status,
        403
    );
    assert_eq!(
        good.call("call_read_tool", json!({"name": "a"}))
            .await
            .status,
        200,
        "others go on"
    );
}

#[tokio::test]
async fn only_the_credential_of_a_caller_reaches_the_upstream() {
    let (fake, running) = guarded().await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"a"}}}"#;
    let headers = [
        ("cookie", "c=1"),
        ("x-forwarded-for", "10.0.0.1"),
        ("x-own", "1"),
        ("user-agent", "mine"),
        ("mcp-session-id", "s"),
        ("mcp-param-q", "1"),
    ];
    let reply = running
        .client()
        .with_token("good")
        .post(&headers, body.to_owned())
        .await;
    assert_eq!(reply.text(), "secret of good");
    for seen in fake.seen() {
        for (name, value) in headers {
            let sent = seen.headers.get(name).and_then(|sent| sent.to_str().ok());
            assert_ne!(sent, Some(value), "{name} was passed on");
        }
        assert_eq!(seen.token(), "good");
    }
}

#[tokio::test]
async fn two_credentials_in_one_request_are_refused() {
    let (fake, running) = guarded().await;
    let request = running.client().with_token("good").request(
        &[],
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(),
    );
    // `header` adds a second line where `headers` would replace the first.
    let reply = request
        .header("authorization", "Bearer other")
        .send()
        .await
        .unwrap();
    assert_eq!(reply.status().as_u16(), 400);
    assert!(fake.seen().is_empty());
}
