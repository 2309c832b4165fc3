//! Requests that no honest client sends: each is refused with its reason, and the next is answered.

use serde_json::json;
use toolsearch_tests::Running;
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::wire::{self, Wire, status};

const TOOLS: &str = r#"[{"name":"look","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"paint","inputSchema":{}}]"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

async fn proxy() -> (Fake, Running) {
    let fake = Fake::modern(TOOLS, |_| fake::text("done")).await;
    let running = Running::start(&fake.url, &[]).await;
    (fake, running)
}

/// What is answered to these bytes on a connection of their own.
async fn ask(running: &Running, bytes: impl AsRef<[u8]>) -> String {
    let mut wire = Wire::open(running.address).await;
    wire.write(bytes).await;
    wire.answer().await
}

/// Fault: JSON nested 100,000 deep, in a message, in params, in the arguments of a call.
/// Seen: an error that names what is wrong, or the upstream's answer; the proxy stands.
#[tokio::test]
async fn deep_json_is_refused_or_goes_through_and_nothing_breaks() {
    let (_fake, running) = proxy().await;
    let client = running.client();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let batch = client.post(&[], deep.clone()).await;
    assert!(batch.body.contains("-32600"), "{}", batch.body);
    for (method, params) in [
        ("ping", deep.clone()),
        ("tools/list", format!(r#"{{"x":{deep}}}"#)),
        (
            "tools/call",
            format!(r#"{{"name":"search_tools","arguments":{{"query":{deep}}}}}"#),
        ),
        (
            "tools/call",
            format!(
                r#"{{"name":"call_read_tool","arguments":{{"name":"look","arguments":{{"x":{deep}}}}}}}"#
            ),
        ),
        (
            "tools/call",
            format!(r#"{{"name":"call_read_tools","arguments":{{"calls":{deep}}}}}"#),
        ),
        (
            "tools/call",
            format!(r#"{{"name":"search_tools","arguments":{{"query":"x"}},"_meta":{deep}}}"#),
        ),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let reply = client.post(&[], body).await;
        assert!(
            matches!(reply.status, 200 | 400),
            "{method}: {}",
            reply.status
        );
        assert_eq!(reply.message()["id"], 1);
    }
    let after = client.call("call_read_tool", json!({"name": "look"})).await;
    assert_eq!(after.text(), "done");
}

/// Fault: members of a message twice, and the name of the tool twice in the arguments of a call.
/// Seen: the message is refused (-32600); of the name one counts, and what is called is what was checked.
#[tokio::test]
async fn a_key_twice_smuggles_no_write_past_the_guard() {
    let (fake, running) = proxy().await;
    let client = running.client();
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":{"name":"x"}}"#,
    ] {
        let reply = client.post(&[], body.to_owned()).await;
        assert_eq!((reply.status, reply.code()), (400, -32600), "{body}");
    }
    for arguments in [
        r#"{"name":"look","name":"paint"}"#,
        r#"{"name":"paint","name":"look"}"#,
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"call_read_tool","arguments":{arguments}}}}}"#
        );
        let reply = client.post(&[], body).await;
        assert_eq!(reply.message()["id"], 1);
    }
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","name":"call_write_tool","arguments":{"name":"paint"}}}"#;
    let reply = client.post(&[], body.to_owned()).await;
    assert_eq!(reply.message()["id"], 1);
    let painted = fake
        .seen_of("tools/call")
        .iter()
        .any(|seen| seen.body.contains("paint"));
    assert!(!painted, "{}", reply.body);
}

/// Fault: a batch of 10,000 messages, and one of none.
/// Seen: 400 with -32600 that says how many there may be; nothing is called.
#[tokio::test]
async fn a_batch_of_ten_thousand_is_refused_whole() {
    let (fake, running) = proxy().await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_write_tool","arguments":{"name":"paint"}}}"#;
    for batch in [vec![call; 10_000], vec![]] {
        let body = format!("[{}]", batch.join(","));
        let reply = running.client().post(&[], body).await;
        assert_eq!((reply.status, reply.code()), (400, -32600));
        assert!(
            reply.body.contains("a batch has 1 to 100 messages"),
            "{}",
            reply.body
        );
    }
    assert!(fake.seen().is_empty());
}

/// Fault: the envelope and the headers contradict each other, or lack a part.
/// Seen: 400 with an error that names the header or the member; nothing is called.
#[tokio::test]
async fn headers_that_contradict_the_body_call_nothing() {
    let (fake, running) = proxy().await;
    let params = json!({"name": "call_write_tool", "arguments": {"name": "paint"}});
    let (headers, body) = toolsearch_tests::client::modern("tools/call", params);
    let sent = |changed: &str, to: Option<&str>| {
        let headers: Vec<(&str, String)> = headers
            .iter()
            .filter(|(name, _)| *name != changed || to.is_some())
            .map(|(name, value)| {
                let value = if *name == changed {
                    to.unwrap_or(value)
                } else {
                    value
                };
                (*name, value.to_owned())
            })
            .collect();
        headers
    };
    for (changed, to, names) in [
        ("mcp-method", Some("tools/list"), "Mcp-Method"),
        ("mcp-method", None, "Mcp-Method"),
        ("mcp-name", Some("call_read_tool"), "Mcp-Name"),
        ("mcp-name", None, "Mcp-Name"),
        (
            "mcp-protocol-version",
            Some("2025-11-25"),
            "MCP-Protocol-Version",
        ),
        ("mcp-protocol-version", None, "MCP-Protocol-Version"),
    ] {
        let headers = sent(changed, to);
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let reply = running.client().post(&headers, body.clone()).await;
        assert_eq!(
            (reply.status, reply.code()),
            (400, -32020),
            "{changed} {to:?}: {}",
            reply.body
        );
        assert!(reply.body.contains(names), "{}", reply.body);
    }
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_write_tool","arguments":{"name":"paint"}}}"#;
    let reply = running
        .client()
        .post(&[("mcp-protocol-version", "2026-07-28")], bare.to_owned())
        .await;
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert!(fake.seen_of("tools/call").is_empty());
}

/// Fault: a second `Host` or `Origin`, a foreign one in the request line, none at all.
/// Seen: 403 or 400; nothing is read of the body.
#[tokio::test]
async fn a_foreign_name_beside_our_own_is_refused() {
    let (fake, running) = proxy().await;
    for (name, value, refused) in [
        ("host", "evil.example.com", 400),
        ("host", "localhost", 400),
        ("origin", "http://evil.example.com", 403),
        ("origin", "null", 403),
    ] {
        let origin: &[_] = &[("origin", "http://localhost"), (name, value)];
        let answer = ask(&running, wire::post(origin, PING)).await;
        assert_eq!(status(&answer), refused, "{name}: {value}: {answer}");
    }
    for foreign in [
        "evil.example.com",
        "localhost.evil.example.com",
        "localhost@evil.example.com",
        "\u{e9}",
        "",
    ] {
        let named = wire::post(&[], PING).replacen("localhost", foreign, 1);
        assert_eq!(status(&ask(&running, named).await), 403, "{foreign}");
    }
    let absolute =
        wire::post(&[], PING).replacen("POST /mcp", "POST http://evil.example.com/mcp", 1);
    assert_eq!(status(&ask(&running, absolute).await), 403);
    let nameless = wire::post(&[], PING).replacen("host: localhost\r\n", "", 1);
    assert_eq!(status(&ask(&running, nameless).await), 400);
    assert_eq!(status(&ask(&running, wire::post(&[], PING)).await), 200);
    assert!(fake.seen().is_empty());
}

/// A request that hides a second one behind two lengths.
fn smuggling(lengths: &str, body: &str) -> String {
    format!("{}{lengths}\r\n{body}", wire::head(&[]))
}

/// Fault: two lengths in one request: both kinds, two numbers, a number that is none, a coding that is none.
/// Seen: 400, or the connection is closed after its one answer: no second request is read from it.
#[tokio::test]
async fn a_request_with_two_lengths_carries_no_second_one() {
    let (fake, running) = proxy().await;
    let hidden = wire::call("call_write_tool", &json!({"name": "paint"}));
    let chunked = format!("{:x}\r\n{PING}\r\n0\r\n\r\n{hidden}", PING.len());
    let plain = format!("{PING}{hidden}");
    let length = PING.len();
    for (lengths, body) in [
        (
            format!("content-length: {length}\r\ntransfer-encoding: chunked\r\n"),
            &chunked,
        ),
        (
            format!("transfer-encoding: chunked\r\ncontent-length: {length}\r\n"),
            &chunked,
        ),
        (
            format!(
                "content-length: {length}\r\ncontent-length: {}\r\n",
                plain.len()
            ),
            &plain,
        ),
        (
            format!("content-length: {length}, {}\r\n", plain.len()),
            &plain,
        ),
        (format!("content-length: +{length}\r\n"), &plain),
        (format!("content-length: {length}x\r\n"), &plain),
        (
            "transfer-encoding: chunked, identity\r\n".to_owned(),
            &chunked,
        ),
        ("transfer-encoding: xchunked\r\n".to_owned(), &chunked),
        (
            format!("transfer-encoding : chunked\r\ncontent-length: {length}\r\n"),
            &chunked,
        ),
    ] {
        let mut wire = Wire::open(running.address).await;
        wire.write(smuggling(&lengths, body)).await;
        let first = wire.answer().await;
        let second =
            tokio::time::timeout(std::time::Duration::from_millis(300), wire.answer()).await;
        let second = second.map_or(0, |answer| status(&answer));
        assert!(
            status(&first) == 400 || second == 0,
            "{lengths:?}: {first} and then {second}"
        );
        assert!(
            !first.contains("done") && fake.seen_of("tools/call").is_empty(),
            "{lengths:?}"
        );
    }
}

/// Fault: bytes that are no HTTP, TLS to the plain port, a verb of another protocol.
/// Seen: 400, or the connection is closed; others are answered.
#[tokio::test]
async fn what_is_no_http_is_closed() {
    let (_fake, running) = proxy().await;
    let tls: &[u8] = &[
        0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, b'\r', b'\n', b'\r', b'\n',
    ];
    let noise: &[u8] = b"\0\xff\xfe\x01\r\n\r\n";
    let newer: &[u8] = b"POST /mcp HTTP/9.9\r\n\r\n";
    for bytes in [tls, noise, newer] {
        let mut wire = Wire::open(running.address).await;
        wire.write(bytes).await;
        let answer = wire.rest().await;
        assert!(matches!(status(&answer), 0 | 400), "{answer}");
    }
    assert_eq!(status(&ask(&running, wire::post(&[], PING)).await), 200);
}

/// Fault: a body that is no UTF-8, holds a zero byte or half a character, or begins with a BOM.
/// Seen: 400 with -32700; the id is null.
#[tokio::test]
async fn a_body_that_is_no_utf8_is_a_parse_error() {
    let (_fake, running) = proxy().await;
    for body in [
        &b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xf0\x9f\",\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\0\",\"method\":\"ping\"}",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        b"",
    ] {
        let head = wire::head(&[("content-length", &body.len().to_string())]);
        let answer = ask(&running, [head.as_bytes(), b"\r\n", body].concat()).await;
        assert_eq!(status(&answer), 400, "{answer}");
        assert!(
            answer.contains(r#""id":null,"error":{"code":-32700"#),
            "{answer}"
        );
    }
}
