//! Answers that break, drip, lie or never come: what this caller is told, and how often the
//! upstream was asked.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::wire::{self, Step};
use toolsearch_tests::{Raw, Reply, Running};

const TOOLS: &str = r#"[{"name":"look","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"paint","inputSchema":{}}]"#;
const DONE: &str = r#"{"content":[{"type":"text","text":"done"}]}"#;
const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn message(request: &Value) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{DONE}}}"#,
        request["id"]
    )
}

/// A read and a write, each as the caller sees it, and how many calls the upstream got of each.
async fn read_and_write(upstream: &Raw, flags: &[&str]) -> [(Reply, usize); 2] {
    let running = Running::start(&upstream.url, flags).await;
    let client = running.client();
    let read = client.call("call_read_tool", json!({"name": "look"})).await;
    let reads = upstream.calls().len();
    let write = client
        .call("call_write_tool", json!({"name": "paint"}))
        .await;
    let writes = upstream.calls().len() - reads;
    [(read, reads), (write, writes)]
}

const UNKNOWN: &str = "Whether the call was carried out is not known, and it was not sent again.";

/// Fault: the connection is reset before the head, in the head, in the body, in a stream; or closed there.
/// Seen: a read is asked once more and then told to be safe to try again; a write is sent once, and its outcome told as unknown.
#[tokio::test]
async fn a_connection_that_breaks_costs_a_read_one_more_and_a_write_none() {
    let half_body =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    let half_chunk = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{";
    let stages = ["", "HTTP/1.1 200 O", half_body, half_chunk, HEAD];
    for (stage, end) in stages
        .into_iter()
        .flat_map(|stage| [(stage, Step::Reset), (stage, Step::Close)])
    {
        let upstream = Raw::start(TOOLS, move |_, _| {
            vec![
                Step::text(stage),
                Step::Wait(Duration::from_millis(5)),
                end.clone(),
            ]
        })
        .await;
        let [(read, reads), (write, writes)] = read_and_write(&upstream, &[]).await;
        assert_eq!((reads, writes), (2, 1), "{stage:?}");
        assert!(
            read.is_error() && read.text().contains("can safely be tried again"),
            "{stage:?}: {}",
            read.body
        );
        assert!(
            write.is_error() && write.text().contains(UNKNOWN),
            "{stage:?}: {}",
            write.body
        );
    }
}

/// Fault: the first answer is cut, the second is whole.
/// Seen: the read's answer, as if nothing had been.
#[tokio::test]
async fn a_read_cut_once_is_answered() {
    let upstream = Raw::start(TOOLS, |request, before| match before {
        0 => vec![Step::text(HEAD), Step::Reset],
        _ => vec![wire::json(request, DONE)],
    })
    .await;
    let [(read, reads), (write, writes)] = read_and_write(&upstream, &[]).await;
    assert_eq!((read.text().as_str(), reads), ("done", 2));
    assert_eq!((write.text().as_str(), writes), ("done", 1));
}

/// Fault: the connection is reset right after the whole answer.
/// Seen: the answer, of reads and writes alike; nothing is sent again.
#[tokio::test]
async fn a_reset_after_the_answer_loses_nothing() {
    let upstream = Raw::start(TOOLS, |request, _| {
        let text = format!("{HEAD}data: {}\n\n", message(request));
        vec![
            Step::text(&text),
            Step::Wait(Duration::from_millis(20)),
            Step::Reset,
        ]
    })
    .await;
    let [(read, reads), (write, writes)] = read_and_write(&upstream, &[]).await;
    assert_eq!(
        (read.text(), write.text()),
        ("done".to_owned(), "done".to_owned())
    );
    assert_eq!((reads, writes), (1, 1));
}

/// Fault: an event stream with comments, fields unknown, CRLF and CR, a BOM, data over several lines, cut anywhere on its way.
/// Seen: the one answer in it.
#[tokio::test]
async fn an_event_stream_in_any_spelling_and_any_pieces_is_read() {
    let spellings: [fn(&str) -> String; 5] = [
        |message| format!(": hi\n\nevent: message\nid: 7\nretry: 1\nx: y\ndata: {message}\n\n"),
        |message| format!("\u{feff}data: {message}\r\n\r\n"),
        |message| format!("data: {message}\r\r"),
        |message| format!("data:{}\n\n", message.replace(',', ",\ndata: ")),
        |message| {
            format!(
                "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\n\n:\n\ndata: {message}\n\nrest"
            )
        },
    ];
    for (number, spell) in spellings.into_iter().enumerate() {
        let upstream = Raw::start(TOOLS, move |request, before| {
            let bytes = spell(&message(request)).into_bytes();
            // Each call is cut elsewhere.
            let size = before + 1;
            let mut steps = vec![Step::text(HEAD)];
            for piece in bytes.chunks(size * 7) {
                steps.extend([
                    Step::Write(piece.to_vec()),
                    Step::Wait(Duration::from_millis(1)),
                ]);
            }
            steps.push(Step::Close);
            steps
        })
        .await;
        for (reply, count) in read_and_write(&upstream, &[]).await {
            assert_eq!(
                (reply.text().as_str(), count),
                ("done", 1),
                "spelling {number}"
            );
        }
    }
}

/// Fault: the answer twice, an answer to another request first, an answer of error and one of success.
/// Seen: the first that is ours, once.
#[tokio::test]
async fn of_two_answers_the_first_that_is_ours_counts() {
    let upstream = Raw::start(TOOLS, |request, _| {
        let other = r#"{"jsonrpc":"2.0","id":987654,"result":{"content":[{"type":"text","text":"not yours"}]}}"#;
        let late = message(request).replace("done", "late");
        let text = format!("{HEAD}data: {other}\n\ndata: {}\n\ndata: {late}\n\n", message(request));
        vec![Step::text(&text), Step::Close]
    })
    .await;
    for (reply, count) in read_and_write(&upstream, &[]).await {
        assert_eq!((reply.text().as_str(), count), ("done", 1));
    }
}

/// Fault: garbage, an answer to another request alone, an empty body, HTML, a gzip bomb that says what it is.
/// Seen: "an answer that is no MCP"; nothing is decompressed; nothing is sent again.
#[tokio::test]
async fn garbage_is_no_mcp_and_is_asked_for_once() {
    let bomb = gzip_bomb();
    assert!(bomb.len() < 100_000);
    let other = br#"{"jsonrpc":"2.0","id":987654,"result":{}}"#;
    let plain: [(&str, &[u8]); 5] = [
        ("application/json", b"nonsense"),
        ("application/json", other),
        ("application/json", b""),
        ("text/html", b"<html>"),
        ("application/json\r\ncontent-encoding: gzip", &bomb),
    ];
    for (kind, body) in plain {
        let bytes = wire::with_length(kind, body);
        let upstream = Raw::start(TOOLS, move |_, _| vec![Step::Write(bytes.clone())]).await;
        // Unpacked, the bomb would be told as larger than this.
        let [(read, reads), (write, writes)] =
            read_and_write(&upstream, &["--max-result", "1MiB"]).await;
        assert_eq!((reads, writes), (1, 1), "{kind}");
        assert!(
            read.text().contains("an answer that is no MCP"),
            "{kind}: {}",
            read.body
        );
        assert!(write.text().contains(UNKNOWN), "{kind}: {}", write.body);
    }
}

/// 10 MB of nothing in 65 kB, written by hand: one literal zero, then copies of 258 bytes.
fn gzip_bomb() -> Vec<u8> {
    // A gzip head, then a fixed block whose bits are the literal 0 and copies of length 258 from
    // one byte back (code 285, distance 0): 13 bits for 258 bytes.
    let mut bits: Vec<bool> = vec![true, true, false];
    let mut code = |value: u16, length: u16| {
        bits.extend((0..length).rev().map(|bit| value >> bit & 1 == 1));
    };
    code(0x30, 8);
    for _ in 0..40_000 {
        code(0xc5, 8);
        code(0, 5);
    }
    code(0, 7);
    let packed = bits.chunks(8).map(|byte| {
        byte.iter()
            .enumerate()
            .fold(0_u8, |all, (place, bit)| all | u8::from(*bit) << place)
    });
    [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        .into_iter()
        .chain(packed)
        .collect()
}

/// Fault: an answer a byte at a time, each within the idle limit; then one that stops.
/// Seen: the first is answered, however long it takes; the second is told as late, once the limit is over.
#[tokio::test]
async fn a_drip_is_read_and_silence_is_cut() {
    let flags = [
        "--upstream-idle-timeout",
        "300ms",
        "--upstream-first-byte-timeout",
        "300ms",
    ];
    let upstream = Raw::start(TOOLS, |request, _| {
        let mut steps = vec![Step::text(HEAD), Step::text("data: ")];
        for piece in message(request).as_bytes().chunks(8) {
            steps.extend([
                Step::Write(piece.to_vec()),
                Step::Wait(Duration::from_millis(50)),
            ]);
        }
        steps.extend([Step::text("\n\n"), Step::Close]);
        steps
    })
    .await;
    let started = Instant::now();
    for (reply, count) in read_and_write(&upstream, &flags).await {
        assert_eq!((reply.text().as_str(), count), ("done", 1));
    }
    assert!(
        started.elapsed() > Duration::from_millis(600),
        "longer than the limit"
    );
    for silent in [
        "",
        "HTTP/1.1 200 OK\r\ncontent-type: app",
        &format!("{HEAD}data: {{"),
    ] {
        let silent = silent.to_owned();
        let upstream =
            Raw::start(TOOLS, move |_, _| vec![Step::text(&silent), Step::Silence]).await;
        let flags = [&flags[..], &["--upstream-connect-timeout", "200ms"]].concat();
        let [(read, reads), (write, writes)] = read_and_write(&upstream, &flags).await;
        assert_eq!((reads, writes), (1, 1));
        assert!(
            read.text().contains("did not answer in time"),
            "{}",
            read.body
        );
        assert!(write.text().contains(UNKNOWN), "{}", write.body);
    }
}

/// Fault: an answer larger than `--max-result`, with its length and without.
/// Seen: told with the limit; a write's outcome as unknown; nothing is sent again, and nothing held.
#[tokio::test]
async fn an_answer_beyond_the_limit_is_told_and_not_held() {
    for streamed in [true, false] {
        let upstream = Raw::start(TOOLS, move |request, _| {
            let large = message(request).replace("done", &"x".repeat(100_000));
            let bytes = if streamed {
                format!("{HEAD}data: {large}\n\n").into_bytes()
            } else {
                wire::with_length("application/json", large.as_bytes())
            };
            vec![Step::Write(bytes), Step::Close]
        })
        .await;
        let [(read, reads), (write, writes)] =
            read_and_write(&upstream, &["--max-result", "64KiB"]).await;
        assert_eq!((reads, writes), (1, 1));
        assert!(
            read.text().contains("larger than the 65536 bytes"),
            "{}",
            read.body
        );
        assert!(write.text().contains(UNKNOWN), "{}", write.body);
    }
}

/// Fault: redirects to another origin, in a loop, of a kind that changes the verb.
/// Seen: told as a status; the other origin never sees the credential.
#[tokio::test]
async fn a_redirect_is_followed_nowhere_else() {
    let elsewhere = Fake::modern(TOOLS, |_| fake::text("stolen")).await;
    let away = elsewhere.url.clone();
    let targets = [
        (307, away.clone(), 1),
        (308, away, 1),
        (307, "/mcp".to_owned(), 4),
        (302, "/mcp".to_owned(), 1),
    ];
    for (code, target, most) in targets {
        let upstream = Raw::start(TOOLS, move |_, _| {
            vec![Step::text(&format!(
                "HTTP/1.1 {code} Away\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n"
            ))]
        })
        .await;
        let running = Running::start(&upstream.url, &[]).await;
        let client = running.client().with_token("secret");
        let reply = client.call("call_read_tool", json!({"name": "look"})).await;
        assert!(
            reply.text().contains(&format!("HTTP status {code}")),
            "{}",
            reply.body
        );
        assert_eq!(upstream.calls().len(), most, "{code}");
    }
    assert!(elsewhere.seen().is_empty());
}

/// Fault: one caller's call hangs, breaks and is refused.
/// Seen: another caller's calls are answered meanwhile.
#[tokio::test]
async fn one_callers_trouble_is_no_others() {
    let fake = Fake::modern(TOOLS, |seen| {
        match (seen.token(), seen.json["params"]["name"].as_str()) {
            ("troubled", Some("look")) => Answer::Silence(Duration::from_secs(5)),
            ("troubled", _) => Answer::Status(401, vec![("www-authenticate", "Bearer")]),
            _ => fake::text("done"),
        }
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let (troubled, other) = (
        running.client().with_token("troubled"),
        running.client().with_token("other"),
    );
    let hanging = tokio::spawn({
        let troubled = troubled.clone();
        async move {
            troubled
                .call("call_read_tool", json!({"name": "look"}))
                .await
        }
    });
    let refused = troubled
        .call("call_write_tool", json!({"name": "paint"}))
        .await;
    assert_eq!(refused.status, 401);
    for _ in 0..10 {
        let reply = other.call("call_read_tool", json!({"name": "look"})).await;
        assert_eq!((reply.status, reply.text().as_str()), (200, "done"));
    }
    assert!(!hanging.is_finished());
    hanging.abort();
}
