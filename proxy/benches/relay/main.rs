//! What does the proxy add to a call? The same call to an upstream alone, behind a proxy that does
//! nothing, and through ours, in one run over loopback: latency one after the other, and calls a
//! second with many at once. The ways take turns, so that what else the machine does meets them all.
//!
//! `cargo bench -p toolsearch-proxy --bench relay -- --beside PROGRAM` asks other builds of the proxy
//! too, each a process of its own: name two to compare them.
//!
//! Not criterion: a distribution over real sockets is what is asked for. Leaves `wire/relay.json` in
//! the target folder for `toolsearch-eval record`.

mod bare;
mod peers;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::{Value, json};
use tokio::time::Instant;

const ROUNDS: usize = 20;
/// Calls of a round, one after the other, and then as many at once.
const CALLS: usize = 320;
const AT_ONCE: usize = 32;

/// One way to the same tool.
struct Way {
    name: String,
    url: String,
    tool: &'static str,
    body: String,
    times: Vec<Duration>,
    rates: Vec<f64>,
}

impl Way {
    fn new(name: impl Into<String>, url: String, is_ours: bool) -> Self {
        let arguments = json!({"issue_id": "issue-1"});
        let (tool, arguments) = if is_ours {
            let arguments = json!({"name": "trackwell_get_issue", "arguments": arguments});
            ("call_read_tool", arguments)
        } else {
            ("trackwell_get_issue", arguments)
        };
        Self {
            name: name.into(),
            url,
            tool,
            body: body(tool, &arguments),
            times: Vec::new(),
            rates: Vec::new(),
        }
    }

    fn microseconds(&self, percent: usize) -> f64 {
        self.times[self.times.len() * percent / 100].as_secs_f64() * 1e6
    }

    fn rate(&self) -> f64 {
        self.rates[self.rates.len() / 2]
    }
}

fn main() {
    let beside = Arg::new("beside")
        .long("beside")
        .value_name("PROGRAM")
        .help("Another build of toolsearch-proxy, as often as there are")
        .value_parser(value_parser!(PathBuf))
        .action(ArgAction::Append);
    // What cargo says to every benchmark.
    let bench = Arg::new("bench")
        .long("bench")
        .hide(true)
        .action(ArgAction::SetTrue);
    let arguments = Command::new("relay").args([beside, bench]).get_matches();
    let beside = arguments.get_many("beside").unwrap_or_default();
    let beside: Vec<PathBuf> = beside.cloned().collect();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(run(&beside));
}

async fn run(beside: &[PathBuf]) {
    let upstream = peers::upstream().await;
    let client =
        toolsearch_proxy::upstream::http_client(None, Duration::from_secs(5)).expect("a client");
    let mut ways = vec![
        Way::new("upstream alone", upstream.clone(), false),
        Way::new("behind a bare proxy", bare::start(&upstream).await, false),
        Way::new("through the proxy", peers::ours(&upstream).await, true),
    ];
    let mut processes = Vec::new();
    for program in beside {
        let (process, url) = peers::process(&client, program, &upstream).await;
        processes.push(process);
        ways.push(Way::new(program.display().to_string(), url, true));
    }
    for way in &ways {
        one_by_one(&client, way).await;
    }
    for _ in 0..ROUNDS {
        for way in &mut ways {
            let times = one_by_one(&client, way).await;
            way.times.extend(times);
            let rate = at_once(&client, way).await;
            way.rates.push(rate);
        }
    }
    for way in &mut ways {
        way.times.sort();
        way.rates.sort_by(f64::total_cmp);
    }
    tell(&ways);
    let ours = &ways[..ways.len() - beside.len()];
    keep(ours).expect("the target folder can be written");
}

fn tell(ways: &[Way]) {
    let mut out = std::io::stdout();
    // Written to a terminal or a file that is there.
    let _ = writeln!(out, "{:>10}{:>10}{:>11}", "p50, us", "p99, us", "calls/s");
    for way in ways {
        let (median, slow) = (way.microseconds(50), way.microseconds(99));
        let _ = writeln!(
            out,
            "{median:>10.0}{slow:>10.0}{:>11.0}  {}",
            way.rate(),
            way.name
        );
    }
    let added = |way: &Way, percent| way.microseconds(percent) - ways[0].microseconds(percent);
    let bare = &ways[1];
    for way in &ways[2..] {
        let _ = writeln!(
            out,
            "{}: adds {:.2} times what the bare proxy adds at p50, {:.2} at p99; {:.2} of its calls/s",
            way.name,
            added(way, 50) / added(bare, 50),
            added(way, 99) / added(bare, 99),
            way.rate() / bare.rate()
        );
    }
}

/// Where the record of benchmarks looks for it: this program is `target/release/deps/relay-…`.
fn keep(ways: &[Way]) -> std::io::Result<()> {
    let rows: Vec<Value> = ways
        .iter()
        .map(|way| {
            json!({
                "name": way.name,
                "p50_us": way.microseconds(50).round(),
                "p99_us": way.microseconds(99).round(),
                "calls_per_second": way.rate().round(),
            })
        })
        .collect();
    let program = std::env::current_exe()?;
    let folder = program.ancestors().nth(3).unwrap_or(&program).join("wire");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("relay.json"), Value::from(rows).to_string())
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

async fn one_by_one(client: &reqwest::Client, way: &Way) -> Vec<Duration> {
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let started = Instant::now();
        call(client, &way.url, way.tool, &way.body).await;
        times.push(started.elapsed());
    }
    times
}

/// Calls a second with many at once.
async fn at_once(client: &reqwest::Client, way: &Way) -> f64 {
    let started = Instant::now();
    let workers = (0..AT_ONCE).map(|_| {
        let (client, url, body, tool) =
            (client.clone(), way.url.clone(), way.body.clone(), way.tool);
        tokio::spawn(async move {
            for _ in 0..CALLS / AT_ONCE {
                call(&client, &url, tool, &body).await;
            }
        })
    });
    futures_util::future::join_all(workers.collect::<Vec<_>>()).await;
    CALLS as f64 / started.elapsed().as_secs_f64()
}
