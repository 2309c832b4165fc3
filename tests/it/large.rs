//! Results too large to be held: byte for byte, in bounded memory, whole or visibly broken.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
#[cfg(target_os = "linux")]
use toolsearch_tests::Alone;
use toolsearch_tests::Running;
use toolsearch_tests::client::{Client, modern};
use toolsearch_tests::fake::{Answer, Fake, Pieces};

const TOOLS: &str = r#"[{"name":"dump","inputSchema":{},"annotations":{"readOnlyHint":true}},
    {"name":"make","inputSchema":{}}]"#;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const OPEN: &str = r#"{ "resultType":"complete", "content":[{"type":"text","text":"#;
const CLOSE: &str = r#""} ],"n":1.10}"#;

/// Text of 256 KiB that is JSON within a string, escapes and longer characters in it.
fn piece() -> Bytes {
    let line = format!("{}\\n\\\"ž😀", "x".repeat(1009));
    Bytes::from(line.repeat(256 * 1024 / line.len()))
}

/// A result of this many pieces, in a JSON message.
fn whole(times: usize) -> Pieces {
    Pieces {
        kind: JSON,
        head: format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{OPEN}""#),
        piece: piece(),
        times,
        tail: Some(format!("{CLOSE}}}")),
        announced: false,
    }
}

fn result(times: usize) -> String {
    let piece = String::from_utf8(piece().to_vec()).expect("text");
    format!("{OPEN}\"{}{CLOSE}", piece.repeat(times))
}

async fn upstream(pieces: Pieces) -> Fake {
    Fake::modern(TOOLS, move |_| Answer::Pieces(pieces.clone())).await
}

fn request(client: &Client, tool: &str, name: &str, accept: &str) -> reqwest::RequestBuilder {
    let (headers, body) = modern(
        "tools/call",
        json!({"name": tool, "arguments": {"name": name}}),
    );
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .chain([("accept", accept)])
        .collect();
    client.request(&headers, body)
}

/// The body of an answer, or `None` where it broke off.
async fn body(request: reqwest::RequestBuilder) -> Option<String> {
    let response = request.send().await.expect("an answer");
    assert_eq!(response.status(), 200);
    response.text().await.ok()
}

#[tokio::test]
async fn a_large_result_comes_byte_for_byte_in_either_framing() {
    let (times, result) = (9, result(9));
    let id_last = Pieces {
        head: format!(r#"{{"result":{OPEN}""#),
        tail: Some(format!(r#"{CLOSE},"id":ID,"jsonrpc":"2.0"}}"#)),
        ..whole(times)
    };
    let events = Pieces {
        kind: EVENTS,
        head: format!(": hello\n\nevent: message\ndata: {{\"id\":ID,\"result\":{OPEN}\""),
        tail: Some(format!("{CLOSE}\ndata: }}\n\n")),
        ..whole(times)
    };
    for pieces in [whole(times), id_last, events] {
        let fake = upstream(pieces).await;
        let running = Running::start(&fake.url, &[]).await;
        let client = running.client();
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        for (tool, name) in [("call_read_tool", "dump"), ("call_write_tool", "make")] {
            let got = body(request(&client, tool, name, JSON)).await.unwrap();
            assert!(got == message, "{} bytes of {}", got.len(), message.len());
        }
        let got = body(request(&client, "call_read_tool", "dump", EVENTS))
            .await
            .unwrap();
        assert!(got == format!("data: {message}\n\n"), "{} bytes", got.len());
        let params = json!({"name": "call_read_tool", "arguments": {"name": "dump"}});
        let older = client.legacy("2025-11-25", "tools/call", params).await;
        let without = message.replacen(r#" "resultType":"complete","#, "", 1);
        assert!(older.body == without, "{} bytes", older.body.len());
        let metrics = running.metrics().await;
        for counted in [
            r#"toolsearch_calls_total{outcome="ok",tool="call_read_tool"} 3"#,
            r#"toolsearch_upstream_requests_total{method="call",outcome="ok"} 4"#,
        ] {
            assert!(metrics.contains(counted), "{metrics}");
        }
    }
}

#[tokio::test]
async fn what_breaks_off_is_seen_to_be_broken() {
    let cut = Pieces {
        tail: None,
        ..whole(9)
    };
    let foreign = Pieces {
        head: format!(r#"{{"result":{OPEN}""#),
        tail: Some(format!(r#"{CLOSE},"id":"another"}}"#)),
        ..whole(9)
    };
    let unclosed = Pieces {
        tail: Some(CLOSE.to_owned()),
        ..whole(9)
    };
    let unfollowed = Pieces {
        head: r#"{"id":ID,"result":{"content":[{"text":""#.to_owned(),
        tail: Some(r#""}],"resultType":"task"}}"#.to_owned()),
        ..whole(9)
    };
    for (pieces, outcome) in [
        (cut, "lost"),
        (foreign, "malformed"),
        (unclosed, "malformed"),
        (unfollowed, "malformed"),
    ] {
        let fake = upstream(pieces).await;
        let running = Running::start(&fake.url, &[]).await;
        for accept in [JSON, EVENTS] {
            let request = request(&running.client(), "call_write_tool", "make", accept);
            assert_eq!(body(request).await, None, "{outcome} {accept}");
        }
        assert_eq!(fake.seen_of("tools/call").len(), 2, "nothing is sent again");
        let counted =
            format!(r#"toolsearch_calls_total{{outcome="{outcome}",tool="call_write_tool"}} 2"#);
        let metrics = running.metrics().await;
        assert!(metrics.contains(&counted), "{counted} in {metrics}");
    }
}

#[tokio::test]
async fn the_ceiling_holds_for_what_flows() {
    let flags = ["--max-result", "2MiB"];
    let fake = upstream(whole(12)).await;
    let running = Running::start(&fake.url, &flags).await;
    let asked = request(&running.client(), "call_read_tool", "dump", JSON);
    assert_eq!(body(asked).await, None);
    // Where the size is told before, so is the refusal.
    let fake = upstream(Pieces {
        announced: true,
        ..whole(12)
    })
    .await;
    let running = Running::start(&fake.url, &flags).await;
    let asked = request(&running.client(), "call_read_tool", "dump", JSON);
    let told = body(asked).await.unwrap();
    assert!(told.contains("larger than the 2097152 bytes"), "{told}");
}

#[tokio::test]
async fn a_client_that_goes_away_ends_the_call() {
    let fake = upstream(whole(100_000)).await;
    let running = Running::start(&fake.url, &["--max-result", "1GiB"]).await;
    let asked = request(&running.client(), "call_read_tool", "dump", JSON);
    let mut response = asked.send().await.unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    drop(response);
    let counted = r#"toolsearch_upstream_requests_total{method="call",outcome="abandoned"} 1"#;
    for _ in 0..100 {
        if running.metrics().await.contains(counted) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the call goes on: {}", running.metrics().await);
}

/// A proxy alone in a process, with its tools listed, and the most that it held until then, in KiB: what
/// it takes from then on is a call's.
#[cfg(target_os = "linux")]
async fn alone(fake: &Fake, flags: &[&str]) -> (Alone, u64) {
    let alone = Alone::start(crate::ALONE, &fake.url, flags).await;
    let listed = json!({"query": "dump"});
    alone.client().call("search_tools", listed).await;
    let idle = alone.peak_kib();
    (alone, idle)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_result_that_is_cut_takes_a_few_times_its_size() {
    const TIMES: usize = 112;
    let fake = upstream(whole(TIMES)).await;
    let (alone, idle) = alone(&fake, &["--max-result-tokens", "4000"]).await;
    let told = body(request(&alone.client(), "call_read_tool", "dump", JSON)).await;
    let size = result(TIMES).len() as u64 / 1024;
    let more = alone.peak_kib() - idle;
    println!("{size} KiB that were cut took {more} KiB over {idle}");
    let told = told.expect("an answer");
    assert!(
        told.len() < 100_000 && told.contains("the first "),
        "{}",
        told.len()
    );
    assert!(more < 8 * size, "{more} KiB for {size}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn two_hundred_megabytes_pass_in_little_memory() {
    const TIMES: usize = 800;
    let fake = upstream(whole(TIMES)).await;
    let (alone, idle) = alone(&fake, &[]).await;
    let asked = request(&alone.client(), "call_read_tool", "dump", JSON);
    let mut response = asked.send().await.unwrap();
    let head = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{OPEN}""#);
    let tail = format!("{CLOSE}}}");
    let mut expected = std::iter::once(Bytes::from(head))
        .chain(std::iter::repeat_n(piece(), TIMES))
        .chain([Bytes::from(tail)]);
    let (mut wanted, mut size) = (Bytes::new(), 0);
    while let Some(mut chunk) = response.chunk().await.unwrap() {
        size += chunk.len();
        while !chunk.is_empty() {
            if wanted.is_empty() {
                wanted = expected.next().expect("no more than the result");
            }
            let both = chunk.len().min(wanted.len());
            assert!(chunk.split_to(both) == wanted.split_to(both), "other bytes");
        }
    }
    assert!(wanted.is_empty() && expected.next().is_none(), "cut short");
    let more = alone.peak_kib() - idle;
    println!("{size} bytes took {more} KiB over {idle}");
    assert!(size > 200_000_000, "{size}");
    assert!(more < 64 * 1024, "{more} KiB over {idle}");
}
