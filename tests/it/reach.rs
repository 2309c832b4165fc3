//! Whether the upstream answers is told on demand, without any credential, and not too often.

use serde_json::Value;
use toolsearch_tests::{Answer, Client, Fake, Running};

async fn asked(running: &Running) -> Value {
    let reply = Client::get(&format!("http://{}/upstreamz", running.diagnostics)).await;
    assert_eq!(reply.status, 200);
    serde_json::from_str(&reply.body).expect("JSON")
}

#[tokio::test]
async fn any_status_counts_and_one_request_serves_all_who_ask() {
    let upstream = Fake::start(|_| Answer::Status(401, vec![])).await;
    let running = Running::start(&upstream.url, &[]).await;
    for _ in 0..5 {
        let said = asked(&running).await;
        assert_eq!(said["reachable"], true);
        assert!(said["status"].is_u64(), "{said}");
    }
    let seen = upstream.seen();
    assert_eq!(seen.len(), 1, "an answer stands for some seconds");
    assert!(seen[0].headers.get("authorization").is_none());
}

#[tokio::test]
async fn no_answer_is_told_without_the_urls_query() {
    let running = Running::start("http://127.0.0.1:9/mcp?secret=canary", &[]).await;
    let said = asked(&running).await;
    assert_eq!(said["reachable"], false);
    let words = said["message"].as_str().expect("words");
    assert!(words.starts_with("cannot connect"), "{words}");
    assert!(!said.to_string().contains("canary"));
    let ready = Client::get(&format!("http://{}/readyz", running.diagnostics)).await;
    assert_eq!(
        ready.status, 200,
        "readiness does not depend on the upstream"
    );
}
