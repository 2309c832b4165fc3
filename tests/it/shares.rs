//! One caller that floods: told to wait, and not noticed by the others.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::{Client, Running};

const TOOLS: &str = r#"[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;
/// What one call takes upstream.
const WORK: Duration = Duration::from_millis(40);
/// Calls that the upstream works on at once; the others wait their turn, as on any real server.
const WORKERS: usize = 8;

/// An upstream whose calls take [`WORK`], and which works on [`WORKERS`] of them at once.
async fn busy() -> Fake {
    let workers = Arc::new(Semaphore::new(WORKERS));
    Fake::modern(TOOLS, move |_| Answer::Worked {
        workers: Arc::clone(&workers),
        time: WORK,
        result: fake_text(),
    })
    .await
}

fn fake_text() -> String {
    match fake::text("done") {
        Answer::Result(result) => result,
        _ => String::new(),
    }
}

async fn call(client: &Client) -> u16 {
    let reply = client.call("call_read_tool", json!({"name": "a"})).await;
    reply.status
}

/// The 99th percentile of a polite caller's calls, in seconds.
async fn polite(running: &Running, calls: usize) -> f64 {
    let client = running.client().with_token("polite");
    let mut times = Vec::new();
    for _ in 0..calls {
        let started = Instant::now();
        assert_eq!(call(&client).await, 200, "a polite caller is never refused");
        times.push(started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[calls * 99 / 100 - 1]
}

/// The 99th percentile beside a caller with 48 calls at once, as a multiple of that alone.
async fn slowdown(most: &str, calls: usize) -> f64 {
    let fake = busy().await;
    let running = Running::start(&fake.url, &["--max-calls-per-caller", most]).await;
    let alone = polite(&running, calls).await;
    let flooding: Vec<_> = (0..48)
        .map(|_| {
            let client = running.client().with_token("flood");
            tokio::spawn(async move {
                loop {
                    if call(&client).await == 429 {
                        // Far less than it is told to.
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                }
            })
        })
        .collect();
    let beside = polite(&running, calls).await;
    for flood in flooding {
        flood.abort();
    }
    beside / alone
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flooding_caller_does_not_slow_the_others() {
    // A busy neighbour on this machine only ever adds to a percentile, so the best of a few counts.
    let mut limited = f64::INFINITY;
    for _ in 0..10 {
        limited = limited.min(slowdown("4", 100).await);
        if limited <= 2.0 {
            break;
        }
    }
    assert!(limited <= 2.0, "limited: {limited:.2} times");
    let unlimited = slowdown("1000", 20).await;
    assert!(
        unlimited > limited,
        "the limit is what helps: {unlimited:.2} times without, {limited:.2} with"
    );
}

#[tokio::test]
async fn too_many_calls_are_refused_with_what_to_do() {
    let fake = busy().await;
    let running = Running::start(&fake.url, &["--max-calls-per-caller", "1"]).await;
    let client = running.client().with_token("one");
    assert_eq!(call(&client).await, 200);
    let slow = tokio::spawn({
        let client = client.clone();
        async move { call(&client).await }
    });
    tokio::time::sleep(WORK / 2).await;
    let refused = client.call("call_read_tool", json!({"name": "a"})).await;
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert_eq!(refused.headers["retry-after"], "1");
    let message = refused.message();
    assert_eq!(message["id"], 1);
    let text = message["error"]["message"].as_str().unwrap_or_default();
    assert!(text.contains("nothing was called") && text.contains("send this one again"));
    assert_eq!(
        call(&running.client().with_token("two")).await,
        200,
        "others go on"
    );
    assert_eq!(slow.await.ok(), Some(200));
    assert_eq!(
        call(&client).await,
        200,
        "and so does it, when one has ended"
    );
    let metrics = running.metrics().await;
    assert!(
        metrics.contains(r#"toolsearch_refusals_total{kind="caller_calls"} 1"#),
        "{metrics}"
    );
}
