//! Clients that are slow, many, or gone: nobody else notices.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::wire::{self, Wire, status};
use toolsearch_tests::{Alone, Client, Running};

const TOOLS: &str = r#"[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;

async fn proxy(flags: &[&str]) -> (Fake, Running) {
    let fake = Fake::modern(TOOLS, |_| fake::text("done")).await;
    let running = Running::start(&fake.url, flags).await;
    (fake, running)
}

async fn call(client: &Client) -> u16 {
    client
        .call("call_read_tool", json!({"name": "a"}))
        .await
        .status
}

/// A body of which only a part comes.
fn half(part: usize, whole: usize) -> String {
    let head = wire::head(&[("content-length", &whole.to_string())]);
    format!("{head}\r\n{}", " ".repeat(part))
}

/// Connections on which a part of a body came, and nothing more.
async fn stalled(running: &Running, count: usize, part: usize, whole: usize) -> Vec<Wire> {
    let mut open = Vec::new();
    for _ in 0..count {
        let mut wire = Wire::open(running.address).await;
        wire.write(half(part, whole)).await;
        open.push(wire);
    }
    // Until the proxy has read them all.
    tokio::time::sleep(Duration::from_millis(200)).await;
    open
}

/// Moves the clock, and nothing else, by this much.
async fn later(time: Duration) {
    tokio::time::sleep(Duration::from_millis(100)).await;
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// Fault: as many bodies as there are places for requests stop half-way.
/// Seen: calls of others are answered as ever.
#[tokio::test]
async fn bodies_that_never_end_hold_no_place_of_a_request() {
    let (_fake, running) = proxy(&["--max-requests", "2"]).await;
    let _open = stalled(&running, 20, 10, 100).await;
    assert_eq!(call(&running.client()).await, 200);
}

/// Fault: large bodies stop just before their end, in number.
/// Seen: a large body more is told 503 and `Retry-After`; small ones are answered; all are, once the stalled ones have gone.
#[tokio::test]
async fn large_bodies_half_sent_keep_out_no_small_one() {
    let (_fake, running) = proxy(&["--max-body", "64KiB"]).await;
    let client = running.client();
    let large = || {
        let blank = " ".repeat(60 * 1024);
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping"{blank}}}"#)
    };
    assert_eq!(client.post(&[], large()).await.status, 200);
    let open = stalled(&running, 100, 63 * 1024, 64 * 1024).await;
    let refused = client.post(&[], large()).await;
    assert_eq!(
        (
            refused.status,
            refused.headers["retry-after"].to_str().unwrap()
        ),
        (503, "1")
    );
    assert!(refused.body.contains("half sent"), "{}", refused.body);
    assert_eq!(call(&client).await, 200);
    drop(open);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(client.post(&[], large()).await.status, 200);
}

/// Fault: a body does not come within 30 s.
/// Seen: 408 with what is asked for; others are answered meanwhile.
#[tokio::test]
async fn a_body_that_does_not_come_is_told_so() {
    let (_fake, running) = proxy(&[]).await;
    let mut slow = stalled(&running, 1, 10, 100).await;
    assert_eq!(call(&running.client()).await, 200);
    later(Duration::from_secs(31)).await;
    let answer = slow[0].answer().await;
    assert_eq!(status(&answer), 408, "{answer}");
    assert!(answer.contains("the body must be whole, in time"));
}

/// Fault: heads that never end (slowloris), a byte at a time.
/// Seen: others are answered; after 75 s the connection is closed.
#[tokio::test]
async fn a_head_that_does_not_end_is_cut() {
    let (_fake, running) = proxy(&[]).await;
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut wire = Wire::open(running.address).await;
        for byte in ["P", "O", "S", "T", " "] {
            wire.write(byte).await;
        }
        slow.push(wire);
    }
    assert_eq!(call(&running.client()).await, 200);
    later(Duration::from_secs(76)).await;
    for wire in &mut slow {
        let answer = wire.rest().await;
        assert!(matches!(status(&answer), 0 | 408), "{answer}");
    }
}

/// Fault: ten thousand connections on which nothing comes, or as many as the descriptors allow.
/// Seen: calls of others are answered within two seconds, all the while.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_idle_connections_is_not_noticed() {
    let fake = Fake::modern(TOOLS, |_| fake::text("done")).await;
    // Their other end is in a process of its own; here other tests run beside.
    let flags = ["--max-connections", "20000"];
    let alone = Alone::start(crate::ALONE, &fake.url, &flags).await;
    let crowd = most_files().saturating_sub(1_000).clamp(200, 10_000);
    println!("{crowd} connections");
    let mut idle = Vec::with_capacity(crowd);
    while idle.len() < crowd {
        let opened = (0..50).map(|_| Wire::open(alone.address));
        idle.extend(futures_util::future::join_all(opened).await);
        if idle.len() % 1_000 == 0 {
            let started = Instant::now();
            assert_eq!(call(&alone.client()).await, 200);
            assert!(started.elapsed() < Duration::from_secs(2));
        }
    }
    assert_eq!(call(&alone.client()).await, 200);
}

/// Descriptors that this process may have.
fn most_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next());
    soft.and_then(|soft| soft.parse().ok()).unwrap_or(1_024)
}

/// Fault: one connection more than `--max-connections`.
/// Seen: it waits, and is served as soon as another ends; it is not refused.
#[tokio::test]
async fn beyond_the_ceiling_a_connection_waits_its_turn() {
    let (_fake, running) = proxy(&["--max-connections", "3"]).await;
    let mut held: Vec<Wire> = Vec::new();
    for _ in 0..3 {
        let mut wire = Wire::open(running.address).await;
        wire.write(wire::call("call_read_tool", &json!({"name": "a"})))
            .await;
        assert_eq!(status(&wire.answer().await), 200);
        held.push(wire);
    }
    let mut late = Wire::open(running.address).await;
    late.write(wire::call("call_read_tool", &json!({"name": "a"})))
        .await;
    let early = tokio::time::timeout(Duration::from_millis(300), late.answer()).await;
    assert!(early.is_err(), "it waits");
    drop(held.pop());
    assert_eq!(status(&late.answer().await), 200);
}

/// Fault: clients go away at every stage: connected, in the head, in the body, before the answer, in the stream.
/// Seen: others are answered, and nothing stays under way.
#[tokio::test]
async fn whoever_goes_early_leaves_nothing_behind() {
    let fake = Fake::modern(TOOLS, |seen| match seen.json["params"]["_meta"].get("progressToken") {
        Some(_) => Answer::Stream(
            vec![
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":1}}"#.to_owned(),
                r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#.to_owned(),
            ],
            Duration::from_millis(100),
        ),
        None => Answer::Worked {
            workers: std::sync::Arc::new(tokio::sync::Semaphore::new(1)),
            time: Duration::from_millis(50),
            result: r#"{"content":[]}"#.to_owned(),
        },
    })
    .await;
    let running = Running::start(&fake.url, &["--max-requests", "4"]).await;
    let client = running.client();
    assert_eq!(call(&client).await, 200);
    let whole = wire::call("call_read_tool", &json!({"name": "a"}));
    let end_of_head = whole.find("\r\n\r\n").unwrap();
    for stage in [
        0,
        1,
        end_of_head / 2,
        end_of_head + 4,
        whole.len() - 1,
        whole.len(),
    ] {
        for _ in 0..8 {
            let mut wire = Wire::open(running.address).await;
            wire.write(&whole[..stage]).await;
            // Now it is dropped, at times before the proxy has read any of it.
            tokio::time::sleep(Duration::from_millis(stage as u64 % 2 * 20)).await;
        }
        assert_eq!(call(&client).await, 200, "after {stage} bytes");
    }
    let params = json!({"name": "call_read_tool", "arguments": {"name": "a"}, "_meta": {"progressToken": 7}});
    let (headers, body) = toolsearch_tests::client::modern("tools/call", params);
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    for _ in 0..8 {
        let response = client.request(&headers, body.clone()).send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        drop(response);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let metrics = running.metrics().await;
    assert!(
        metrics.contains("toolsearch_requests_in_flight 0"),
        "{metrics}"
    );
    assert_eq!(call(&client).await, 200);
}

/// Fault: 1,000 tokens that were never seen, as fast as they come.
/// Seen: each is answered with its own list; no more callers are kept than allowed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tokens_at_once_are_answered_and_forgotten() {
    let (fake, running) = proxy(&["--max-callers", "50"]).await;
    let client = running.client();
    let workers = (0..20).map(|worker| {
        let client = client.clone();
        tokio::spawn(async move {
            for number in 0..50 {
                let client = client.with_token(&format!("token-{worker}-{number}"));
                assert_eq!(call(&client).await, 200);
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.expect("each is answered");
    }
    let callers: std::collections::HashSet<String> = fake
        .seen_of("tools/call")
        .iter()
        .map(|seen| seen.token().to_owned())
        .collect();
    assert_eq!(callers.len(), 1_000, "each with its own credential");
    let metrics = running.metrics().await;
    let kept = metrics
        .lines()
        .find_map(|line| line.strip_prefix("toolsearch_catalog_callers "))
        .and_then(|value| value.parse::<usize>().ok());
    assert!(kept.is_some_and(|kept| kept <= 100), "{kept:?}");
}

/// Fault: a token of 64 kB, and one of 200 kB.
/// Seen: the first goes on whole; the second is told 431 before anything is read of the body.
#[tokio::test]
async fn a_long_token_goes_on_whole_and_a_longer_one_is_refused() {
    let (fake, running) = proxy(&[]).await;
    let long = "t".repeat(64 * 1024);
    assert_eq!(call(&running.client().with_token(&long)).await, 200);
    assert_eq!(fake.seen_of("tools/call")[0].token(), long);
    let mut wire = Wire::open(running.address).await;
    let longer = "t".repeat(200 * 1024);
    wire.write(wire::post(&[("authorization", &longer)], "{}"))
        .await;
    let answer = wire.rest().await;
    assert_eq!(status(&answer), 431, "{answer}");
    assert_eq!(call(&running.client()).await, 200);
}
