//! An upstream that does not answer is left alone until it does; one slow tool, one dead server
//! behind it, or one caller's bad token is no such upstream.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use toolsearch_tests::fake::{self, Answer, Fake, Seen};
use toolsearch_tests::{Client, Logs, Running};

const TOOLS: &str = r#"[{"name":"look","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"paint","inputSchema":{}}]"#;
const PAUSE: Duration = Duration::from_millis(400);
const FLAGS: [&str; 4] = ["--breaker-failures", "3", "--breaker-pause", "400ms"];

fn healthy(seen: &Seen) -> Answer {
    match seen.method() {
        "tools/call" => fake::text("done"),
        method => fake::modern(method, TOOLS),
    }
}

/// An upstream that answers by this script while the switch is on.
async fn switched(
    script: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
) -> (Fake, Arc<AtomicBool>) {
    let faulty = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&faulty);
    let fake = Fake::start(move |seen| {
        if switch.load(Ordering::SeqCst) {
            script(seen)
        } else {
            healthy(seen)
        }
    })
    .await;
    (fake, faulty)
}

async fn read(client: &Client) -> String {
    let reply = client.call("call_read_tool", json!({"name": "look"})).await;
    format!("{} {}", reply.status, reply.text())
}

async fn write(client: &Client) -> String {
    let reply = client
        .call("call_write_tool", json!({"name": "paint"}))
        .await;
    format!("{} {}", reply.status, reply.text())
}

async fn counted(running: &Running, line: &str) -> bool {
    let metrics = running.metrics().await;
    let line = format!("toolsearch_upstream_breaker_{line}");
    metrics.lines().any(|counted| counted == line)
}

const NOT_SENT: &str =
    "exists, but the server behind it is not answering. The call was not sent. Try again in 1 s.";
const NO_LIST: &str = "200 The tools cannot be listed now: the server behind it is not answering. This says nothing about which tools there are; nothing was called. Try again in 1 s.";

#[tokio::test]
async fn nobody_there_is_found_out_once_for_all_callers_and_so_is_the_recovery() {
    let (logs, _guard) = Logs::of_this_thread();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    drop(listener);
    let running = Running::start(&format!("http://{address}/mcp"), &FLAGS).await;
    let (anna, ben) = (
        running.client().with_token("secret-a"),
        running.client().with_token("secret-b"),
    );
    for _ in 0..2 {
        let said = read(&anna).await;
        assert!(said.contains("is down or cannot be reached"), "{said}");
    }
    assert_eq!(read(&ben).await, NO_LIST);
    assert_eq!(write(&ben).await, NO_LIST);
    let search = ben.call("search_tools", json!({"query": "look"})).await;
    assert_eq!(format!("200 {}", search.text()), NO_LIST);
    assert!(counted(&running, "open 1").await);
    assert!(counted(&running, "openings_total 1").await);
    assert!(counted(&running, "refused_total 3").await);
    // A rollout of the proxy does not wait for its upstream, and a client's handshake neither.
    assert_eq!(running.probe("/readyz").await, 200);
    assert_eq!(ben.modern("tools/list", json!({})).await.status, 200);

    let listener = TcpListener::bind(address).await.unwrap();
    let _fake = Fake::start_on(listener, healthy);
    tokio::time::sleep(PAUSE).await;
    assert_eq!(read(&ben).await, "200 done");
    assert_eq!(write(&anna).await, "200 done");
    assert!(counted(&running, "open 0").await);
    assert!(counted(&running, "openings_total 1").await);
    let log = logs.text();
    for line in ["the upstream does not answer", "the upstream answers again"] {
        assert_eq!(log.matches(line).count(), 1, "{log}");
    }
    assert!(!log.contains("secret-"), "{log}");
}

#[tokio::test]
async fn of_many_who_come_after_the_pause_one_asks_and_a_write_is_never_the_question() {
    let answers = Arc::new(Semaphore::new(0));
    let (recovering, workers) = (Arc::new(AtomicBool::new(false)), Arc::clone(&answers));
    let recovers = Arc::clone(&recovering);
    let (fake, down) = switched(move |seen| match seen.method() {
        "server/discover" if recovers.load(Ordering::SeqCst) => Answer::Worked {
            workers: Arc::clone(&workers),
            time: Duration::ZERO,
            result: r#"{"supportedVersions":["2026-07-28"]}"#.to_owned(),
        },
        "tools/call" if recovers.load(Ordering::SeqCst) => fake::text("done"),
        _ => Answer::Status(503, vec![]),
    })
    .await;
    let running = Running::start(&fake.url, &FLAGS).await;
    let client = running.client();
    assert_eq!(write(&client).await, "200 done");
    down.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        let said = write(&client).await;
        assert!(said.contains("HTTP status 503"), "{said}");
    }
    // Three tools failed; what the upstream itself says to that, the next one asks.
    let before = fake.seen().len();
    for _ in 0..3 {
        let said = write(&client).await;
        assert!(said.ends_with(NOT_SENT), "{said}");
    }
    let asked = fake.seen().split_off(before);
    assert!(!asked.is_empty());
    assert!(asked.iter().all(|seen| seen.method() == "server/discover"));
    assert!(counted(&running, "open 1").await);

    recovering.store(true, Ordering::SeqCst);
    tokio::time::sleep(PAUSE).await;
    let before = fake.seen().len();
    let mut many: FuturesUnordered<_> = (0..30).map(|_| write(&client)).collect();
    for _ in 0..29 {
        let said = many.next().await.unwrap();
        assert!(said.ends_with(NOT_SENT), "{said}");
    }
    answers.add_permits(1);
    assert_eq!(many.next().await.unwrap(), "200 done");
    let asked = fake.seen().split_off(before);
    let methods: Vec<&str> = asked.iter().map(Seen::method).collect();
    assert_eq!(methods, ["server/discover", "tools/call"]);
    assert_eq!(write(&client).await, "200 done");
    assert!(counted(&running, "open 0").await);
}

#[tokio::test]
async fn one_dead_server_behind_a_gateway_cuts_off_no_other() {
    for status in [500, 502, 503, 504] {
        let fake = Fake::modern(TOOLS, move |seen| {
            match seen.json["params"]["name"].as_str() {
                Some("look") => Answer::Status(status, vec![]),
                _ => fake::text("done"),
            }
        })
        .await;
        let running = Running::start(&fake.url, &FLAGS).await;
        let client = running.client();
        let many = join_all((0..10).map(|_| read(&client))).await;
        for said in many.iter().chain([&read(&client).await]) {
            assert!(said.contains(&format!("HTTP status {status}")), "{said}");
        }
        assert_eq!(write(&client).await, "200 done");
        for _ in 0..10 {
            read(&client).await;
        }
        assert_eq!(fake.seen_of("tools/call").len(), 22, "each one was sent");
        assert!(counted(&running, "openings_total 0").await);
    }
}

#[tokio::test]
async fn a_tool_that_is_slow_is_no_upstream_that_is_silent() {
    let flags = [
        &FLAGS[..],
        &["--upstream-connect-timeout", "100ms"],
        &["--upstream-first-byte-timeout", "900ms"],
    ]
    .concat();
    let (fake, hung) = switched(|_| Answer::Silence(Duration::from_secs(20))).await;
    let slow = Fake::modern(TOOLS, |seen| match seen.json["params"]["name"].as_str() {
        Some("look") => Answer::Silence(Duration::from_secs(20)),
        _ => fake::text("done"),
    })
    .await;
    let running = Running::start(&slow.url, &flags).await;
    let client = running.client();
    for _ in 0..2 {
        let many = join_all((0..5).map(|_| read(&client))).await;
        for said in &many {
            assert!(said.contains("did not answer in time"), "{said}");
        }
        assert_eq!(write(&client).await, "200 done");
    }
    assert!(counted(&running, "openings_total 0").await);

    // Where the upstream itself is silent too, nobody waits for it a second time.
    let running = Running::start(&fake.url, &flags).await;
    let client = running.client();
    assert_eq!(read(&client).await, "200 done");
    hung.store(true, Ordering::SeqCst);
    join_all((0..3).map(|_| write(&client))).await;
    let calls = fake.seen_of("tools/call").len();
    for _ in 0..2 {
        let said = write(&client).await;
        assert!(said.ends_with(NOT_SENT), "{said}");
    }
    assert_eq!(fake.seen_of("tools/call").len(), calls);
    assert!(counted(&running, "openings_total 1").await);
}

#[tokio::test]
async fn what_one_caller_may_not_do_says_nothing_about_the_upstream() {
    let (fake, down) = switched(|seen| match seen.token() {
        "bad" => Answer::Status(401, vec![("www-authenticate", "Bearer")]),
        "poor" => Answer::Status(403, vec![]),
        "hasty" => Answer::Status(429, vec![("retry-after", "7")]),
        _ => Answer::Status(503, vec![]),
    })
    .await;
    let running = Running::start(&fake.url, &FLAGS).await;
    let [good, bad, poor, hasty] =
        ["good", "bad", "poor", "hasty"].map(|token| running.client().with_token(token));
    assert_eq!(read(&good).await, "200 done");
    down.store(true, Ordering::SeqCst);
    for client in [&bad, &poor, &hasty] {
        let calls = (0..20).map(|_| client.call("call_read_tool", json!({"name": "look"})));
        join_all(calls).await;
    }
    assert!(counted(&running, "openings_total 0").await);
    for _ in 0..4 {
        read(&good).await;
    }
    assert!(counted(&running, "open 1").await);
    // Who may ask is told so; that somebody answers there is not known from it.
    tokio::time::sleep(PAUSE).await;
    let challenged = bad.call("call_read_tool", json!({"name": "look"})).await;
    assert_eq!(challenged.status, 401);
    assert!(read(&hasty).await.contains("limits the rate of requests"));
    assert!(counted(&running, "open 1").await);
    down.store(false, Ordering::SeqCst);
    assert_eq!(read(&good).await, "200 done");
    assert!(counted(&running, "open 0").await);
}

#[tokio::test]
async fn without_a_breaker_everything_is_sent() {
    let fake = Fake::start(|_| Answer::Status(503, vec![])).await;
    let running = Running::start(&fake.url, &["--breaker-failures", "0"]).await;
    for _ in 0..12 {
        let said = read(&running.client()).await;
        assert!(said.contains("HTTP status 503"), "{said}");
    }
    assert_eq!(fake.seen().len(), 12);
}
