//! Each refusal of the upstream's at each of its methods, in either era, and what becomes of it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::expect;
use serde_json::json;
use toolsearch_tests::fake::{self, Answer, Fake, Seen};
use toolsearch_tests::{Reply, Running};

const TOOLS: &str = r#"[{"name":"look","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"paint","inputSchema":{}}]"#;

fn legacy(seen: &Seen) -> Answer {
    match seen.method() {
        "initialize" => Answer::Result(r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}"#.to_owned()),
        "tools/list" => Answer::Result(format!(r#"{{"tools":{TOOLS}}}"#)),
        "tools/call" => fake::text("done"),
        _ => Answer::Error(400, r#"{"code":-32000,"message":"Bad Request: Server not initialized"}"#.to_owned()),
    }
}

fn modern(seen: &Seen) -> Answer {
    match seen.method() {
        "tools/call" => fake::text("done"),
        method => fake::modern(method, TOOLS),
    }
}

/// What a caller sees, in a line.
fn line(reply: &Reply) -> String {
    let message = reply.message();
    let text = match message["error"]["message"].as_str() {
        Some(error) => format!("error {}: {error}", message["error"]["code"]),
        None => reply.text(),
    };
    let text = text
        .replace(
            "The tools cannot be listed now: the server behind it",
            "no list:",
        )
        .replace(
            "The tool \"paint\" exists, but the server behind it",
            "not called:",
        );
    let also: String = ["www-authenticate", "retry-after"]
        .into_iter()
        .filter_map(|name| {
            Some(format!(
                ", {name}: {}",
                reply.headers.get(name)?.to_str().ok()?
            ))
        })
        .collect();
    format!("HTTP {}{also}, {}", reply.status, text.trim_end())
}

/// One write where one method of the upstream's always answers with this status.
async fn refused(old: bool, method: &'static str, status: u16) -> String {
    let fake = Fake::start(move |seen| {
        if seen.method() == method {
            let headers = match status {
                401 => vec![("www-authenticate", "Bearer realm=\"r\"")],
                429 | 503 => vec![("retry-after", "7")],
                _ => vec![],
            };
            return Answer::Status(status, headers);
        }
        if old { legacy(seen) } else { modern(seen) }
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let reply = running
        .client()
        .call("call_write_tool", json!({"name": "paint"}))
        .await;
    let times = fake.seen_of(method).len();
    let calls = fake.seen_of("tools/call").len();
    assert!(calls <= 1, "a write is sent once: {method} {status}");
    format!("{status} x{times}: {}", line(&reply))
}

async fn table(old: bool, methods: &[&'static str]) -> String {
    let mut lines = Vec::new();
    for method in methods {
        lines.push((*method).to_owned());
        for status in [401, 403, 404, 405, 429, 500, 502, 503] {
            lines.push(format!("  {}", refused(old, method, status).await));
        }
    }
    lines.join("\n")
}

/// Fault: 401, 403, 404, 405, 429, 500, 502, 503 at each method of a modern upstream.
/// Seen: 401 with its challenge; else a sentence with the status and the time to wait; the write is sent at most once.
#[tokio::test]
async fn each_status_at_each_method_of_a_modern_upstream() {
    expect![[r#"
        server/discover
          401 x1: HTTP 401, www-authenticate: Bearer realm="r", error 401: the server behind the proxy asks for authorization
          403 x1: HTTP 200, no list: refused it (HTTP 403). This says nothing about which tools there are; nothing was called. Try again later.
          404 x1: HTTP 200, no list: speaks no known version of MCP. This says nothing about which tools there are; nothing was called. Try again later.
          405 x1: HTTP 200, no list: speaks no known version of MCP. This says nothing about which tools there are; nothing was called. Try again later.
          429 x1: HTTP 200, no list: limits the rate of requests (HTTP 429). This says nothing about which tools there are; nothing was called. Try again later.
          500 x1: HTTP 200, no list: answered with HTTP status 500. This says nothing about which tools there are; nothing was called. Try again later.
          502 x1: HTTP 200, no list: answered with HTTP status 502. This says nothing about which tools there are; nothing was called. Try again later.
          503 x1: HTTP 200, no list: answered with HTTP status 503, and asks to wait 7 (Retry-After). This says nothing about which tools there are; nothing was called. Try again later.
        tools/list
          401 x1: HTTP 401, www-authenticate: Bearer realm="r", error 401: the server behind the proxy asks for authorization
          403 x1: HTTP 200, no list: refused it (HTTP 403). This says nothing about which tools there are; nothing was called. Try again later.
          404 x1: HTTP 200, no list: answered with HTTP status 404. This says nothing about which tools there are; nothing was called. Try again later.
          405 x1: HTTP 200, no list: answered with HTTP status 405. This says nothing about which tools there are; nothing was called. Try again later.
          429 x1: HTTP 200, no list: limits the rate of requests (HTTP 429). This says nothing about which tools there are; nothing was called. Try again later.
          500 x1: HTTP 200, no list: answered with HTTP status 500. This says nothing about which tools there are; nothing was called. Try again later.
          502 x1: HTTP 200, no list: answered with HTTP status 502. This says nothing about which tools there are; nothing was called. Try again later.
          503 x1: HTTP 200, no list: answered with HTTP status 503, and asks to wait 7 (Retry-After). This says nothing about which tools there are; nothing was called. Try again later.
        tools/call
          401 x1: HTTP 401, www-authenticate: Bearer realm="r", error 401: the server behind the proxy asks for authorization
          403 x1: HTTP 200, not called: refused it (HTTP 403). The call was not carried out; the credentials in use do not allow it.
          404 x1: HTTP 200, not called: answered with HTTP status 404. The call was not carried out. It can be tried again later.
          405 x1: HTTP 200, not called: answered with HTTP status 405. The call was not carried out. It can be tried again later.
          429 x1: HTTP 200, not called: limits the rate of requests (HTTP 429). The call was not carried out. Wait 7 (Retry-After) before trying again.
          500 x1: HTTP 200, not called: answered with HTTP status 500. Whether the call was carried out is not known, and it was not sent again. Check with a read tool before trying again.
          502 x1: HTTP 200, not called: answered with HTTP status 502. Whether the call was carried out is not known, and it was not sent again. Check with a read tool before trying again.
          503 x1: HTTP 200, not called: answered with HTTP status 503, and asks to wait 7 (Retry-After). Whether the call was carried out is not known, and it was not sent again. Check with a read tool before trying again."#]].assert_eq(&table(false, &["server/discover", "tools/list", "tools/call"]).await);
}

/// Fault: the same statuses at each method of a legacy upstream.
/// Seen: the same answers.
#[tokio::test]
async fn each_status_at_each_method_of_a_legacy_upstream() {
    expect![[r#"
        initialize
          401 x1: HTTP 401, www-authenticate: Bearer realm="r", error 401: the server behind the proxy asks for authorization
          403 x1: HTTP 200, no list: refused it (HTTP 403). This says nothing about which tools there are; nothing was called. Try again later.
          404 x1: HTTP 200, no list: speaks no known version of MCP. This says nothing about which tools there are; nothing was called. Try again later.
          405 x1: HTTP 200, no list: speaks no known version of MCP. This says nothing about which tools there are; nothing was called. Try again later.
          429 x1: HTTP 200, no list: limits the rate of requests (HTTP 429). This says nothing about which tools there are; nothing was called. Try again later.
          500 x1: HTTP 200, no list: answered with HTTP status 500. This says nothing about which tools there are; nothing was called. Try again later.
          502 x1: HTTP 200, no list: answered with HTTP status 502. This says nothing about which tools there are; nothing was called. Try again later.
          503 x1: HTTP 200, no list: answered with HTTP status 503, and asks to wait 7 (Retry-After). This says nothing about which tools there are; nothing was called. Try again later.
        tools/list
          401 x1: HTTP 401, www-authenticate: Bearer realm="r", error 401: the server behind the proxy asks for authorization
          403 x1: HTTP 200, no list: refused it (HTTP 403). This says nothing about which tools there are; nothing was called. Try again later.
          404 x1: HTTP 200, no list: answered with HTTP status 404. This says nothing about which tools there are; nothing was called. Try again later.
          405 x1: HTTP 200, no list: answered with HTTP status 405. This says nothing about which tools there are; nothing was called. Try again later.
          429 x1: HTTP 200, no list: limits the rate of requests (HTTP 429). This says nothing about which tools there are; nothing was called. Try again later.
          500 x1: HTTP 200, no list: answered with HTTP status 500. This says nothing about which tools there are; nothing was called. Try again later.
          502 x1: HTTP 200, no list: answered with HTTP status 502. This says nothing about which tools there are; nothing was called. Try again later.
          503 x1: HTTP 200, no list: answered with HTTP status 503, and asks to wait 7 (Retry-After). This says nothing about which tools there are; nothing was called. Try again later.
        tools/call
          401 x1: HTTP 401, www-authenticate: Bearer realm="r", error 401: the server behind the proxy asks for authorization
          403 x1: HTTP 200, not called: refused it (HTTP 403). The call was not carried out; the credentials in use do not allow it.
          404 x1: HTTP 200, not called: answered with HTTP status 404. The call was not carried out. It can be tried again later.
          405 x1: HTTP 200, not called: answered with HTTP status 405. The call was not carried out. It can be tried again later.
          429 x1: HTTP 200, not called: limits the rate of requests (HTTP 429). The call was not carried out. Wait 7 (Retry-After) before trying again.
          500 x1: HTTP 200, not called: answered with HTTP status 500. Whether the call was carried out is not known, and it was not sent again. Check with a read tool before trying again.
          502 x1: HTTP 200, not called: answered with HTTP status 502. Whether the call was carried out is not known, and it was not sent again. Check with a read tool before trying again.
          503 x1: HTTP 200, not called: answered with HTTP status 503, and asks to wait 7 (Retry-After). Whether the call was carried out is not known, and it was not sent again. Check with a read tool before trying again."#]].assert_eq(&table(true, &["initialize", "tools/list", "tools/call"]).await);
}

/// A legacy upstream whose sessions end when it restarts.
struct Restarting {
    fake: Fake,
    generation: Arc<AtomicUsize>,
    down: Arc<AtomicBool>,
    /// The numbers of the calls that were carried out.
    carried: Arc<Mutex<Vec<u64>>>,
}

async fn restarting() -> Restarting {
    let generation = Arc::new(AtomicUsize::new(0));
    let down = Arc::new(AtomicBool::new(false));
    let carried: Arc<Mutex<Vec<u64>>> = Arc::default();
    let (age, gone, done) = (
        Arc::clone(&generation),
        Arc::clone(&down),
        Arc::clone(&carried),
    );
    let fake = Fake::start(move |seen| {
        if gone.load(Ordering::SeqCst) {
            return Answer::Status(503, vec![]);
        }
        let current = age.load(Ordering::SeqCst);
        let named = seen
            .headers
            .get("mcp-session-id")
            .and_then(|value| value.to_str().ok());
        match seen.method() {
            "initialize" => Answer::Session(
                current.to_string(),
                r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}"#.to_owned(),
            ),
            "server/discover" => legacy(seen),
            _ if named != Some(current.to_string().as_str()) => Answer::Error(
                404,
                r#"{"code":-32001,"message":"Session not found"}"#.to_owned(),
            ),
            "tools/call" => {
                let number = seen.json["params"]["arguments"]["n"]
                    .as_u64()
                    .unwrap_or_default();
                done.lock().expect("no panic").push(number);
                fake::text(&number.to_string())
            }
            _ => legacy(seen),
        }
    })
    .await;
    Restarting {
        fake,
        generation,
        down,
        carried,
    }
}

impl Restarting {
    fn restart(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }
}

/// Fault: the upstream restarts and knows no session any more, before a list and before calls.
/// Seen: the answer, after one new `initialize`.
#[tokio::test]
async fn a_session_lost_at_any_method_is_opened_again_once() {
    let upstream = restarting().await;
    let running = Running::start(&upstream.fake.url, &["--catalog-ttl", "1s"]).await;
    let client = running.client();
    for (round, tool) in ["call_read_tool", "call_write_tool", "search_tools"]
        .into_iter()
        .enumerate()
    {
        let name = if tool == "call_read_tool" {
            "look"
        } else {
            "paint"
        };
        let arguments = match tool {
            "search_tools" => json!({"query": "look"}),
            _ => json!({"name": name, "arguments": {"n": round}}),
        };
        assert!(!client.call(tool, arguments.clone()).await.is_error());
        upstream.restart();
        let before = upstream.fake.seen_of("initialize").len();
        if tool == "search_tools" {
            // The list is stale: it is fetched again, in the new session.
            tokio::time::sleep(Duration::from_millis(1_100)).await;
        }
        let reply = client.call(tool, arguments).await;
        assert!(!reply.is_error(), "{tool}: {}", reply.body);
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(
            upstream.fake.seen_of("initialize").len(),
            before + 1,
            "{tool}"
        );
    }
}

/// Fault: the upstream restarts again and again under many readers and writers, down for a while each time.
/// Seen: every read between two restarts is answered; no write is carried out twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_under_load_repeat_no_write() {
    let upstream = Arc::new(restarting().await);
    let running = Running::start(&upstream.fake.url, &["--breaker-pause", "100ms"]).await;
    let stop = Arc::new(AtomicBool::new(false));
    let workers = (0..8_u64).map(|worker| {
        let (client, stop) = (
            running.client().with_token(&format!("w{}", worker % 3)),
            Arc::clone(&stop),
        );
        tokio::spawn(async move {
            let (mut done, mut failed) = (Vec::new(), 0);
            let mut number = worker * 1_000_000;
            while !stop.load(Ordering::SeqCst) {
                number += 1;
                let (tool, name) = if number % 2 == 0 {
                    ("call_read_tool", "look")
                } else {
                    ("call_write_tool", "paint")
                };
                let reply = client
                    .call(tool, json!({"name": name, "arguments": {"n": number}}))
                    .await;
                assert_eq!(reply.status, 200);
                if reply.is_error() {
                    let text = reply.text();
                    let is_told = text.contains("503") || text.contains("is not answering");
                    assert!(is_told, "{}", reply.body);
                    failed += 1;
                } else {
                    assert_eq!(
                        reply.text(),
                        number.to_string(),
                        "the answer to this very call"
                    );
                    done.push(number);
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            (done, failed)
        })
    });
    let workers: Vec<_> = workers.collect();
    for round in 0..6 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        upstream.restart();
        if round % 2 == 1 {
            upstream.down.store(true, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(50)).await;
            upstream.down.store(false, Ordering::SeqCst);
        }
    }
    stop.store(true, Ordering::SeqCst);
    let (mut done, mut failed) = (0, 0);
    for worker in workers {
        let (numbers, errors) = worker.await.expect("no panic");
        done += numbers.len();
        failed += errors;
    }
    assert!(
        done > 100 && failed > 0,
        "{done} answered, {failed} failed while it was down"
    );
    // Those of odd numbers are writes.
    let mut carried: Vec<u64> = upstream
        .carried
        .lock()
        .unwrap()
        .iter()
        .copied()
        .filter(|number| number % 2 == 1)
        .collect();
    let all = carried.len();
    carried.sort_unstable();
    carried.dedup();
    assert_eq!(carried.len(), all, "no write is carried out twice");
}
