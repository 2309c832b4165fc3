//! What does the proxy add to a call? The same call to an upstream alone and through the proxy in
//! front of it, in one run, over loopback: latency one after the other, and calls a second with
//! many at once. Not criterion: a distribution over real sockets is what is asked for. Leaves
//! `wire/relay.json` in the target folder for `toolsearch-eval record`.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use toolsearch_proxy::{Proxy, demo};
use toolsearch_settings::{add_flags, settings};
use toolsearch_telemetry::Phase;

const CALLS: usize = 3000;
const AT_ONCE: usize = 32;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(run());
}

async fn run() {
    let upstream = upstream().await;
    let proxy = proxy(&upstream).await;
    let direct = body("trackwell_get_issue", &json!({"issue_id": "issue-1"}));
    let relayed = body(
        "call_read_tool",
        &json!({"name": "trackwell_get_issue", "arguments": {"issue_id": "issue-1"}}),
    );
    let client =
        toolsearch_proxy::upstream::http_client(None, Duration::from_secs(5)).expect("a client");
    let mut out = std::io::stdout();
    // Written to a terminal or a file that is there.
    let _ = writeln!(
        out,
        "{:<20}{:>12}{:>12}{:>14}",
        "", "p50, us", "p99, us", "calls/s"
    );
    let (mut medians, mut rows) = (Vec::new(), Vec::new());
    for (name, url, tool, body) in [
        ("upstream alone", &upstream, "trackwell_get_issue", direct),
        ("through the proxy", &proxy, "call_read_tool", relayed),
    ] {
        one_by_one(&client, url, tool, &body, 200).await;
        let times = one_by_one(&client, url, tool, &body, CALLS).await;
        let rate = at_once(&client, url, tool, &body).await;
        let _ = writeln!(
            out,
            "{name:<20}{:>12}{:>12}{rate:>14.0}",
            times[CALLS / 2].as_micros(),
            times[CALLS * 99 / 100].as_micros()
        );
        medians.push((times[CALLS / 2].as_secs_f64(), rate));
        rows.push(json!({
            "name": name,
            "p50_us": times[CALLS / 2].as_micros(),
            "p99_us": times[CALLS * 99 / 100].as_micros(),
            "calls_per_second": rate.round(),
        }));
    }
    let _ = writeln!(
        out,
        "ratio: a call takes {:.2} times as long; {:.2} of the calls a second",
        medians[1].0 / medians[0].0,
        medians[1].1 / medians[0].1
    );
    keep(&rows).expect("the target folder can be written");
}

/// Where the record of benchmarks looks for it: this program is `target/release/deps/relay-…`.
fn keep(rows: &[Value]) -> std::io::Result<()> {
    let program = std::env::current_exe()?;
    let folder = program.ancestors().nth(3).unwrap_or(&program).join("wire");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("relay.json"), Value::from(rows).to_string())
}

async fn upstream() -> String {
    let tools = demo::catalog().expect("the catalog");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    tokio::spawn(demo::serve_upstream(
        listener,
        Arc::new(demo::World::new(tools)),
    ));
    url
}

async fn proxy(upstream: &str) -> String {
    let flags = [
        "bench",
        "--upstream",
        upstream,
        "--listen",
        "127.0.0.1:0",
        "--diagnostics",
        "127.0.0.1:0",
        "--log-level",
        "off",
    ];
    let flags = add_flags(clap::Command::new("bench")).get_matches_from(flags);
    let settings = settings(&flags, std::iter::empty()).expect("settings");
    let proxy = Proxy::bind(settings).await.expect("ports");
    let (url, lifecycle) = (format!("http://{}/mcp", proxy.address()), proxy.lifecycle());
    tokio::spawn(proxy.run());
    lifecycle.reached(Phase::Ready).await;
    url
}

fn body(tool: &str, arguments: &Value) -> String {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": meta}}).to_string()
}

async fn call(client: &reqwest::Client, url: &str, tool: &str, body: &str) {
    let request = client
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    let request = request
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool);
    let answer = request
        .body(body.to_owned())
        .send()
        .await
        .expect("an answer")
        .text()
        .await
        .expect("a body");
    assert!(
        answer.contains("issue-1") && !answer.contains("isError"),
        "{answer}"
    );
}

/// Times in order of length.
async fn one_by_one(
    client: &reqwest::Client,
    url: &str,
    tool: &str,
    body: &str,
    count: usize,
) -> Vec<Duration> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let started = Instant::now();
        call(client, url, tool, body).await;
        times.push(started.elapsed());
    }
    times.sort();
    times
}

/// Calls a second with many at once.
async fn at_once(client: &reqwest::Client, url: &str, tool: &'static str, body: &str) -> f64 {
    let started = Instant::now();
    let workers = (0..AT_ONCE).map(|_| {
        let (client, url, body) = (client.clone(), url.to_owned(), body.to_owned());
        tokio::spawn(async move {
            for _ in 0..CALLS / AT_ONCE {
                call(&client, &url, tool, &body).await;
            }
        })
    });
    futures_util::future::join_all(workers.collect::<Vec<_>>()).await;
    (CALLS / AT_ONCE * AT_ONCE) as f64 / started.elapsed().as_secs_f64()
}
