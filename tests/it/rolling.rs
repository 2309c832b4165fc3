//! Restarts under keep-alive clients: two instances behind a balancer that learns late, and no
//! call that is refused, cut or answered with another's answer.
//!
//! The two things that make it so are each left out once, and then calls are lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use toolsearch_telemetry::Phase;
use toolsearch_tests::balancer::Balancer;
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::wire::{self, Wire};
use toolsearch_tests::{Alone, Client, Running, client};

const TOOLS: &str = r#"[{"name":"echo","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;
/// How long the balancer goes on sending new connections to an instance that ends.
const LATE: Duration = Duration::from_millis(300);
/// What a client waits before it tries once more.
const AGAIN: Duration = Duration::from_millis(100);

async fn echo() -> Fake {
    Fake::modern(TOOLS, |seen| {
        fake::text(&seen.json["params"]["arguments"]["n"].to_string())
    })
    .await
}

/// What came of the calls so far.
#[derive(Debug, Default)]
struct Tally {
    answered: AtomicU64,
    lost: AtomicU64,
    stop: AtomicBool,
}

/// One keep-alive client: three kinds of them.
enum Caller {
    /// One connection by hand, kept until it is told to close it.
    Wire(SocketAddr, Option<Wire>),
    /// A pool of HTTP/1.1.
    Pool(Client),
    /// HTTP/2.
    Second(Client),
}

impl Caller {
    fn new(kind: u64, address: SocketAddr) -> Self {
        let url = format!("http://{address}/mcp");
        match kind % 3 {
            0 => Self::Wire(address, None),
            1 => Self::Pool(Client::new(&url)),
            _ => Self::Second(Client::http2(&url)),
        }
    }

    /// Whether the call is answered, with its own number.
    async fn call(&mut self, number: u64) -> bool {
        let arguments = json!({"name": "echo", "arguments": {"n": number}});
        let wanted = format!(r#""text":"{number}""#);
        match self {
            Self::Wire(address, kept) => {
                let mut wire = match kept.take() {
                    Some(wire) => wire,
                    None => Wire::open(*address).await,
                };
                wire.write(wire::call("call_read_tool", &arguments)).await;
                let answer = wire.answer().await;
                if !answer
                    .to_ascii_lowercase()
                    .contains("\r\nconnection: close\r\n")
                {
                    *kept = Some(wire);
                }
                let right = wire::status(&answer) == 200 && answer.contains(&wanted);
                if !right {
                    *kept = None;
                }
                right
            }
            Self::Pool(client) | Self::Second(client) => {
                let params = json!({"name": "call_read_tool", "arguments": arguments});
                let (headers, body) = client::modern("tools/call", params);
                let headers: Vec<_> = headers
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect();
                let Ok(response) = client.request(&headers, body).send().await else {
                    return false;
                };
                response
                    .text()
                    .await
                    .is_ok_and(|text| text.contains(&wanted))
            }
        }
    }
}

/// Keeps calling until told to stop; a call that is not answered is made again this often.
fn clients(
    count: u64,
    address: SocketAddr,
    again: u32,
    tally: &Arc<Tally>,
) -> Vec<tokio::task::JoinHandle<()>> {
    let one = |kind: u64| {
        let tally = Arc::clone(tally);
        tokio::spawn(async move {
            let mut caller = Caller::new(kind, address);
            let mut number = kind * 10_000_000;
            while !tally.stop.load(Ordering::SeqCst) {
                number += 1;
                let mut answered = caller.call(number).await;
                for _ in 0..again {
                    if !answered {
                        // At once, it could meet the process that is just ending once more.
                        tokio::time::sleep(AGAIN).await;
                        answered = caller.call(number).await;
                    }
                }
                let counted = if answered {
                    &tally.answered
                } else {
                    &tally.lost
                };
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
    };
    (0..count).map(one).collect()
}

async fn finish(clients: Vec<tokio::task::JoinHandle<()>>, tally: &Tally) -> (u64, u64) {
    tally.stop.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.expect("no client panics");
    }
    (
        tally.answered.load(Ordering::SeqCst),
        tally.lost.load(Ordering::SeqCst),
    )
}

/// Restarts one of two instances after the other; the calls that were answered, and those lost.
async fn roll(restarts: usize, calls: u64, drain_delay: &str, strips_close: bool) -> (u64, u64) {
    let upstream = echo().await;
    let flags = ["--drain-delay", drain_delay];
    let mut instances = Vec::new();
    for _ in 0..2 {
        instances.push(Running::start(&upstream.url, &flags).await);
    }
    let backends = instances.iter().map(|instance| instance.address).collect();
    let balancer = Balancer::start(backends, strips_close).await;
    let tally = Arc::<Tally>::default();
    let clients = clients(40, balancer.address, 0, &tally);
    let mut restarted = 0;
    while restarted < restarts || tally.answered.load(Ordering::SeqCst) < calls {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let old = restarted % 2;
        let fresh = Running::start(&upstream.url, &flags).await;
        instances[old].lifecycle.advance(Phase::Draining);
        tokio::time::sleep(LATE).await;
        balancer.replace(instances[old].address, fresh.address);
        let ended = tokio::time::timeout(Duration::from_secs(30), &mut instances[old].ended).await;
        assert!(ended.expect("it ends").expect("without a panic").is_ok());
        instances[old] = fresh;
        restarted += 1;
    }
    finish(clients, &tally).await
}

/// Fault: instances restart one after the other under 40 keep-alive clients (by hand, pooled, HTTP/2), and the balancer learns 300 ms late.
/// Seen: every call is answered, with its own answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_loses_no_call() {
    let (answered, lost) = roll(3, 100, "2s", false).await;
    assert!(
        answered > 100 && lost == 0,
        "{answered} answered, {lost} lost"
    );
}

/// Fault: the same, with 20 restarts and 100,000 calls.
/// Seen: every call is answered, with its own answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_roll_loses_no_call() {
    let (answered, lost) = roll(20, 100_000, "2s", false).await;
    assert!(
        answered >= 100_000 && lost == 0,
        "{answered} answered, {lost} lost"
    );
}

/// Fault: the same, without a drain delay.
/// Seen: calls are lost, so the delay is what helps.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_drain_delay_calls_are_lost() {
    let (answered, lost) = roll(2, 0, "0s", false).await;
    assert!(lost > 0, "{answered} answered, none lost");
}

/// Fault: the same, where no client hears `Connection: close`.
/// Seen: calls are lost, so the header is what helps.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_connection_close_calls_are_lost() {
    let (answered, lost) = roll(2, 0, "1s", true).await;
    assert!(lost > 0, "{answered} answered, none lost");
}

/// Fault: an instance is killed (SIGKILL) under load, three times.
/// Seen: clients that try once more, 100 ms later, lose nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_proxy_costs_one_more_try() {
    let upstream = echo().await;
    let start = async || Alone::start(crate::ALONE, &upstream.url, &[]).await;
    let mut instances = [start().await, start().await];
    let backends = instances.iter().map(|instance| instance.address).collect();
    let balancer = Balancer::start(backends, false)
        .await
        .passing_over_the_dead();
    let tally = Arc::<Tally>::default();
    let clients = clients(12, balancer.address, 1, &tally);
    for round in 0..3 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let fresh = start().await;
        let address = fresh.address;
        let killed = std::mem::replace(&mut instances[round % 2], fresh);
        let old = killed.address;
        drop(killed);
        tokio::time::sleep(LATE).await;
        balancer.replace(old, address);
    }
    let (answered, lost) = finish(clients, &tally).await;
    assert!(
        answered > 100 && lost == 0,
        "{answered} answered, {lost} lost"
    );
}
