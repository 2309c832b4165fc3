//! Lists of tools that no careful server sends: what is good in them is found and called, and
//! nothing else is lost.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::wire::{self, Step};
use toolsearch_tests::{Client, Raw, Running};

const GOOD: &str = r#"{"name":"good_look","description":"Looks.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;

async fn with_tools(tools: &str, flags: &[&str]) -> (Fake, Running) {
    let fake = Fake::modern(tools, |_| fake::text("seen")).await;
    let running = Running::start(&fake.url, flags).await;
    (fake, running)
}

async fn total(client: &Client) -> Value {
    let found = client.call("search_tools", json!({"query": "look"})).await;
    found.result()["structuredContent"]["total"].clone()
}

/// What the good tool answers when it is called.
async fn good(client: &Client) -> String {
    let reply = client
        .call("call_read_tool", json!({"name": "good_look"}))
        .await;
    reply.text()
}

/// Fault: `tools` is null, missing, or an empty list.
/// Seen: a search finds nothing and says so; nothing is an error.
#[tokio::test]
async fn no_tools_in_any_spelling_is_an_empty_list() {
    for result in [r#"{"tools":null}"#, "{}", r#"{"tools":[]}"#] {
        let fake = Fake::start(move |seen| match seen.method() {
            "tools/list" => Answer::Result(result.to_owned()),
            method => fake::modern(method, ""),
        })
        .await;
        let running = Running::start(&fake.url, &[]).await;
        let found = running
            .client()
            .call("search_tools", json!({"query": "look"}))
            .await;
        assert_eq!(
            (found.is_error(), total(&running.client()).await),
            (false, json!(0)),
            "{result}"
        );
    }
}

/// Fault: `tools` is no list: an object, a string, a number.
/// Seen: "the tools cannot be listed now", as an error of the tool; nothing is called.
#[tokio::test]
async fn a_list_that_is_none_says_nothing_about_the_tools() {
    for tools in [r#"{"a":1}"#, r#""x""#, "7"] {
        let (_fake, running) = with_tools(tools, &[]).await;
        let found = running
            .client()
            .call("search_tools", json!({"query": "look"}))
            .await;
        assert!(
            found.is_error() && found.text().contains("cannot be listed now"),
            "{}",
            found.body
        );
    }
}

/// Fault: a cursor that leads back to itself, the empty cursor, new cursors without end.
/// Seen: the tools read so far, found and called; no page more is asked for than `--max-pages`.
#[tokio::test]
async fn cursors_without_end_end() {
    for (next, pages) in [("\"same\"", 2), ("\"\"", 2), ("NEW", 5)] {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let fake = Fake::start(move |seen| match seen.method() {
            "tools/list" => {
                let page = counted.fetch_add(1, Ordering::SeqCst);
                let next = next.replace("NEW", &format!("\"{page}\""));
                Answer::Result(format!(r#"{{"tools":[{GOOD}],"nextCursor":{next}}}"#))
            }
            "tools/call" => fake::text("seen"),
            method => fake::modern(method, ""),
        })
        .await;
        let running = Running::start(&fake.url, &["--max-pages", "5"]).await;
        assert_eq!(good(&running.client()).await, "seen", "{next}");
        assert_eq!(asked.load(Ordering::SeqCst), pages, "{next}");
    }
}

/// Fault: 10,000 tools of 2 kB each, 20 MB in one page.
/// Seen: a search finds the one that is wanted, in an answer that is no larger than ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_tools_in_twenty_megabytes_are_searched() {
    let filler = "lorem ".repeat(320);
    let mut tools = format!("[{GOOD}");
    for number in 0..10_000 {
        write!(
            tools,
            r#",{{"name":"other_{number}","description":"Does.","inputSchema":{{"type":"object","$comment":"{filler}"}}}}"#
        )
        .unwrap();
    }
    tools.push(']');
    assert!(tools.len() > 20_000_000);
    let (_fake, running) = with_tools(&tools, &[]).await;
    let found = running
        .client()
        .call("search_tools", json!({"query": "good look"}))
        .await;
    assert!(found.body.len() < 64 * 1024);
    assert_eq!(
        found.result()["structuredContent"]["tools"][0]["name"],
        "good_look",
        "{}",
        found.body
    );
    assert_eq!(good(&running.client()).await, "seen");
}

/// Fault: a list larger than `--max-list-bytes`, or of more tools than `--max-tools`.
/// Seen: too many bytes are told as such and nothing of it is held; of too many tools the first are kept.
#[tokio::test]
async fn a_list_beyond_its_ceiling_is_told_or_cut() {
    let many = (0..50).fold(GOOD.to_owned(), |list, number| {
        format!(r#"{list},{{"name":"look_{number}","inputSchema":{{}}}}"#)
    });
    let many = format!("[{many}]");
    let (_fake, running) = with_tools(&many, &["--max-list-bytes", "1KiB"]).await;
    let found = running
        .client()
        .call("search_tools", json!({"query": "look"}))
        .await;
    assert!(
        found.is_error() && found.text().contains("larger than the 1024 bytes"),
        "{}",
        found.body
    );
    let (_fake, running) = with_tools(&many, &["--max-tools", "10"]).await;
    assert_eq!(good(&running.client()).await, "seen");
    let listed = running
        .client()
        .call("search_tools", json!({"query": "look", "limit": 25}))
        .await;
    assert_eq!(
        listed.result()["structuredContent"]["tools"]
            .as_array()
            .map(Vec::len),
        Some(10)
    );
}

/// Schemas that are hard to read, by what is hard.
fn hard_schemas() -> Vec<(&'static str, String)> {
    let deep = format!(
        "{}{{}}{}",
        r#"{"type":"object","properties":{"a":"#.repeat(200),
        "}}".repeat(200)
    );
    let wide = (0..2_200).fold(String::new(), |list, number| {
        format!(r#"{list}"p{number}":{{"type":"string","minLength":{number}}},"#)
    });
    vec![
        ("deep", deep),
        (
            "wide",
            format!(r#"{{"type":"object","properties":{{{wide}"z":{{}}}}}}"#),
        ),
        (
            "recursive",
            r##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##.to_owned(),
        ),
        (
            "circular",
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##
                .to_owned(),
        ),
        (
            "dangling",
            r##"{"type":"object","properties":{"a":{"$ref":"#/nowhere"}}}"##.to_owned(),
        ),
        (
            "nonsense",
            r#"{"type":7,"properties":[],"required":"x","pattern":"(((("}"#.to_owned(),
        ),
        (
            "regex",
            r#"{"type":"object","properties":{"a":{"pattern":"^(a+)+$"}}}"#.to_owned(),
        ),
    ]
}

/// Fault: schemas 200 deep, of 88 kB, recursive, circular, dangling, of nonsense, with a regular expression that explodes.
/// Seen: each tool is found, described within the answer's limit, and called with its arguments as they came.
#[tokio::test]
async fn a_schema_that_is_hard_hides_no_tool_and_blocks_no_call() {
    for (kind, schema) in hard_schemas() {
        let tools = format!(
            r#"[{GOOD},{{"name":"hard_look","description":"Hard.","inputSchema":{schema},"annotations":{{"readOnlyHint":true}}}}]"#
        );
        let (fake, running) = with_tools(&tools, &[]).await;
        let client = running.client();
        let found = client
            .call("search_tools", json!({"query": "hard look"}))
            .await;
        assert!(
            found.body.contains("hard_look") && found.body.len() < 64 * 1024,
            "{kind}"
        );
        let described = client
            .call("describe_tool", json!({"names": ["hard_look"]}))
            .await;
        // Deeper than what reads the other answers here.
        assert!(
            described.body.contains("hard_look") && !described.body.contains(r#""isError":true"#),
            "{kind}"
        );
        assert!(described.body.len() < 200 * 1024, "{kind}");
        let arguments = json!({"a": {"a": {}}, "x": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"});
        let called = client
            .call(
                "call_read_tool",
                json!({"name": "hard_look", "arguments": arguments}),
            )
            .await;
        assert_eq!(called.text(), "seen", "{kind}: {}", called.body);
        assert_eq!(
            fake.seen_of("tools/call")[0].json["params"]["arguments"],
            arguments,
            "{kind}"
        );
        assert_eq!(good(&client).await, "seen", "{kind}");
    }
}

/// Fault: a schema that refers to another server.
/// Seen: the tool is found and called; that server is never asked.
#[tokio::test]
async fn a_remote_reference_is_never_fetched() {
    let elsewhere = Fake::start(|_| Answer::Document(r#"{"type":"string"}"#.to_owned())).await;
    let url = &elsewhere.url;
    let tools = format!(
        r#"[{{"name":"good_look","inputSchema":{{"$schema":"{url}/meta","$id":"{url}/id","type":"object","properties":{{"a":{{"$ref":"{url}"}}}}}},"annotations":{{"readOnlyHint":true}}}}]"#
    );
    let (_fake, running) = with_tools(&tools, &[]).await;
    let client = running.client();
    assert_eq!(total(&client).await, json!(1));
    client
        .call("describe_tool", json!({"names": ["good_look"]}))
        .await;
    let arguments = json!({"name": "good_look", "arguments": {"a": 7}});
    assert_eq!(
        client.call("call_read_tool", arguments).await.text(),
        "seen"
    );
    assert!(elsewhere.seen().is_empty());
}

/// Fault: control, bidirectional, zero-width and very long characters in names.
/// Seen: JSON that holds the name escaped; the tool is called by its exact name, and headers and log lines stay whole.
#[tokio::test]
async fn odd_characters_in_names_stay_what_they_are() {
    for name in [
        "a\nb",
        "a\r\nx-evil: 1",
        "a\u{0}b",
        "\u{202e}live",
        "a\u{200b}b",
        "ü 名",
        &"n".repeat(5_000),
    ] {
        let tool = json!({"name": name, "inputSchema": {}, "annotations": {"readOnlyHint": true}});
        let (fake, running) = with_tools(&format!("[{tool},{GOOD}]"), &[]).await;
        let client = running.client();
        let called = client.call("call_read_tool", json!({"name": name})).await;
        assert_eq!(called.text(), "seen", "{name:?}: {}", called.body);
        let sent = &fake.seen_of("tools/call")[0];
        assert_eq!(sent.json["params"]["name"], name);
        assert!(!sent.headers.contains_key("x-evil"));
        let found = client.call("search_tools", json!({"query": name})).await;
        assert_eq!(found.status, 200);
        assert!(!found.body.chars().any(char::is_control), "{name:?}");
        assert_eq!(good(&client).await, "seen");
    }
}

/// Fault: an answer that is no UTF-8, in the list and in a result.
/// Seen: the list cannot be read now, or the answer is no MCP; a read may be tried again; the next call is answered.
#[tokio::test]
async fn what_is_no_utf8_is_no_mcp() {
    let upstream = Raw::start(&format!("[{GOOD}]"), |message, before| {
        if before > 0 {
            return vec![wire::json(
                message,
                r#"{"content":[{"type":"text","text":"seen"}]}"#,
            )];
        }
        let body = [
            format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":""#,
                message["id"]
            )
            .as_bytes(),
            b"\xff\xfe\"}]}}",
        ]
        .concat();
        vec![Step::Write(wire::with_length("application/json", &body))]
    })
    .await;
    let running = Running::start(&upstream.url, &[]).await;
    let first = good(&running.client()).await;
    assert!(
        first.contains("an answer that is no MCP") && first.contains("can safely be tried again"),
        "{first}"
    );
    assert_eq!(good(&running.client()).await, "seen");
}
