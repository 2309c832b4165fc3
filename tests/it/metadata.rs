//! Discovery: which metadata document a challenge names, and what the document says, under one
//! URL with the upstream and under a URL of the proxy's own.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::{Client, Reply, Running};

const TOOLS: &str = r#"[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"b","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"c","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;
const CHALLENGE: &str = r#"Bearer realm="r", resource_metadata="https://up.example/.well-known/oauth-protected-resource/pub", scope="tools""#;
const DOCUMENT: &str = r#"{ "resource": "https://up.example/pub", "authorization_servers": [ "https://login.example" ], "x": 1.10 }"#;
const ROOT: &str = "/.well-known/oauth-protected-resource";

/// A guarded upstream whose document is at one path.
async fn guarded(path: &'static str) -> Fake {
    Fake::start(move |seen| {
        if seen.json.is_null() {
            return if seen.path == path {
                Answer::Document(DOCUMENT.to_owned())
            } else {
                Answer::Status(404, Vec::new())
            };
        }
        match (seen.token(), seen.method()) {
            ("good", "tools/call") if seen.json["params"]["name"] == "b" => Answer::Status(
                403,
                vec![(
                    "www-authenticate",
                    r#"Bearer error="insufficient_scope", scope="read b", resource_metadata="https://up.example/x""#,
                )],
            ),
            ("good", "tools/call") if seen.json["params"]["name"] == "c" => Answer::Status(
                403,
                vec![(
                    "www-authenticate",
                    r#"Bearer error="insufficient_scope", scope="read c""#,
                )],
            ),
            ("good", "tools/call") => fake::text("done"),
            ("good", method) => fake::modern(method, TOOLS),
            _ => Answer::Status(401, vec![("www-authenticate", CHALLENGE)]),
        }
    })
    .await
}

async fn get(running: &Running, path: &str) -> Reply {
    Client::get(&format!("http://{}{path}", running.address)).await
}

fn challenges(reply: &Reply) -> Vec<&str> {
    let lines = reply.headers.get_all("www-authenticate").iter();
    lines.map(|line| line.to_str().unwrap_or("?")).collect()
}

const OWN: [&str; 2] = ["--public-url", "https://our.example/tools/mcp"];

#[tokio::test]
async fn under_a_url_of_our_own_discovery_leads_to_us() {
    let fake = guarded("/.well-known/oauth-protected-resource/mcp").await;
    let running = Running::start(&fake.url, &OWN).await;
    let refused = running.client().modern("tools/list", json!({})).await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        challenges(&refused),
        [
            r#"Bearer realm="r", resource_metadata="https://our.example/.well-known/oauth-protected-resource/tools/mcp", scope="tools""#
        ]
    );
    for path in [ROOT.to_owned(), format!("{ROOT}/tools/mcp")] {
        let reply = get(&running, &path).await;
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(
            reply.body,
            r#"{"resource":"https://our.example/tools/mcp","authorization_servers":[ "https://login.example" ],"x":1.10}"#
        );
    }
    assert_eq!(get(&running, &format!("{ROOT}/mcp")).await.status, 404);
}

#[tokio::test]
async fn under_one_url_everything_is_as_the_upstream_says() {
    let fake = guarded("/.well-known/oauth-protected-resource/mcp").await;
    let running = Running::start(&fake.url, &[]).await;
    let refused = running.client().modern("server/discover", json!({})).await;
    assert_eq!(challenges(&refused), [CHALLENGE]);
    for path in [ROOT.to_owned(), format!("{ROOT}/mcp")] {
        assert_eq!(get(&running, &path).await.body, DOCUMENT);
    }
}

#[tokio::test]
async fn a_replica_that_met_no_challenge_finds_the_named_document() {
    let fake = guarded("/.well-known/oauth-protected-resource/pub").await;
    let running = Running::start(&fake.url, &OWN).await;
    let reply = get(&running, ROOT).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(
        fake.seen()
            .iter()
            .all(|seen| !seen.headers.contains_key("authorization"))
    );
    let before = fake.seen().len();
    get(&running, ROOT).await;
    assert_eq!(fake.seen().len(), before, "the document is kept");
}

#[tokio::test]
async fn the_credential_of_whoever_asks_goes_nowhere() {
    let fake = guarded("/.well-known/oauth-protected-resource").await;
    let running = Running::start(&fake.url, &OWN).await;
    let url = format!("http://{}{ROOT}", running.address);
    let http = toolsearch_proxy::upstream::http_client(None, std::time::Duration::from_secs(5));
    let asked = http.unwrap().get(&url).bearer_auth("canary").send().await;
    assert_eq!(asked.unwrap().status().as_u16(), 200);
    for seen in fake.seen() {
        assert!(!format!("{:?}{}", seen.headers, seen.body).contains("canary"));
    }
}

#[tokio::test]
async fn without_a_document_the_answer_says_so() {
    let fake = guarded("/nowhere").await;
    let running = Running::start(&fake.url, &OWN).await;
    let reply = get(&running, ROOT).await;
    assert_eq!(reply.status, 404);
    assert!(reply.body.contains("no protected-resource metadata"));
    let wrong = running.client().post(&[], String::new()).await;
    assert_ne!(wrong.status, 200);
}

#[tokio::test]
async fn a_document_that_is_none_or_too_large_is_not_passed_on() {
    for body in [
        "[1]".to_owned(),
        "{".to_owned(),
        format!(r#"{{"x":"{}"}}"#, "y".repeat(70_000)),
    ] {
        let asked = AtomicUsize::new(0);
        let fake = Fake::start(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            Answer::Document(body.clone())
        })
        .await;
        let running = Running::start(&fake.url, &OWN).await;
        assert_eq!(get(&running, ROOT).await.status, 502);
    }
}

#[tokio::test]
async fn the_scopes_of_a_batch_are_asked_for_together() {
    let fake = guarded("/nowhere").await;
    let running = Running::start(&fake.url, &OWN).await;
    let good = running.client().with_token("good");
    let expected = r#"Bearer error="insufficient_scope", scope="read b c", resource_metadata="https://our.example/.well-known/oauth-protected-resource/tools/mcp""#;
    let calls = json!([{"name": "a"}, {"name": "b"}, {"name": "c"}]);
    let refused = good.call("call_read_tools", json!({"calls": calls})).await;
    assert_eq!(refused.status, 403);
    assert_eq!(challenges(&refused), [expected]);
    // A batch of the oldest revision too.
    let call = |name: &str| json!({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": "call_read_tool", "arguments": {"name": name}}});
    let batch = json!([call("a"), call("b"), call("c")]).to_string();
    let refused = good.post(&[], batch).await;
    assert_eq!(refused.status, 403);
    assert_eq!(challenges(&refused), [expected]);
}

#[tokio::test]
async fn the_time_to_wait_reaches_the_model() {
    for status in [429, 503] {
        let fake = Fake::modern(TOOLS, move |_| {
            Answer::Status(status, vec![("retry-after", "7")])
        })
        .await;
        let running = Running::start(&fake.url, &[]).await;
        let reply = running
            .client()
            .call("call_read_tool", json!({"name": "a"}))
            .await;
        assert!(
            reply.is_error() && reply.text().contains("wait 7 (Retry-After)")
                || reply.text().contains("Wait 7 (Retry-After)"),
            "{}",
            reply.text()
        );
    }
}
