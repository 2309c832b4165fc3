//! Calls through the five tools: what may pass, what comes back, and what is said when it may not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolsearch_tests::fake::{self, Answer, Fake};
use toolsearch_tests::{Running, Seen};

const TOOLS: &str = r#"[
{"name":"desk_get","description":"Reads a desk by its id.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]},"annotations":{"readOnlyHint":true},"vendor":1.10},
{"name":"desk_list","description":"Lists all desks.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"desk_paint","description":"Paints a desk in a colour.","inputSchema":{"type":"object","properties":{"colour":{"enum":["red","blue"]}}}},
{"name":"desk_guess","description":"Not marked.","inputSchema":{"type":"object"}}
]"#;

fn called(seen: &Seen) -> Answer {
    match seen.json["params"]["name"].as_str().unwrap_or_default() {
        "desk_list" => Answer::Result(r#"{ "content":[{"type":"hologram","n":1.10}],"big":12345678901234567890,"isError":false, "z":1e400 }"#.to_owned()),
        "desk_get" => fake::text(&format!("desk {}", seen.json["params"]["arguments"]["id"])),
        other => fake::text(&format!("did {other}")),
    }
}

async fn proxy(flags: &[&str]) -> (Fake, Running) {
    let fake = Fake::modern(TOOLS, called).await;
    let running = Running::start(&fake.url, flags).await;
    (fake, running)
}

#[tokio::test]
async fn search_and_describe() {
    let (fake, running) = proxy(&[]).await;
    let reply = running
        .client()
        .call("search_tools", json!({"query": "paint a desk", "limit": 2}))
        .await;
    let found = reply.result()["structuredContent"].clone();
    assert_eq!(
        serde_json::from_str::<Value>(&reply.text()).unwrap(),
        found,
        "text and structure say the same"
    );
    assert_eq!(found["total"], 4);
    let hits = found["tools"].as_array().unwrap();
    assert_eq!(
        (&hits[0]["name"], &hits[0]["readOnly"]),
        (&json!("desk_paint"), &json!(false))
    );
    assert_eq!(
        hits[0]["inputSchema"]["properties"]["colour"]["enum"],
        json!(["red", "blue"])
    );
    let several = running
        .client()
        .call(
            "search_tools",
            json!({"queries": ["list", "paint"], "schemas": false}),
        )
        .await;
    let several = several.result()["structuredContent"].clone();
    assert_eq!(several["results"][0]["tools"][0]["name"], "desk_list");
    assert!(
        several["results"][1]["tools"][0]
            .get("inputSchema")
            .is_none()
    );

    let described = running
        .client()
        .call("describe_tool", json!({"names": ["desk_get", "desk_gte"]}))
        .await;
    assert!(
        described
            .body
            .contains(r#""annotations":{"readOnlyHint":true},"vendor":1.10}"#),
        "definitions are raw"
    );
    let described = described.result()["structuredContent"].clone();
    assert_eq!(
        (&described["unknown"], &described["readOnly"]),
        (&json!(["desk_gte"]), &json!(["desk_get"]))
    );
    assert_eq!(described["similar"]["desk_gte"][0], "desk_get");
    assert_eq!(
        fake.seen_of("tools/list").len(),
        1,
        "one listing serves all of it"
    );
}

#[tokio::test]
async fn results_pass_byte_for_byte() {
    let (_fake, running) = proxy(&[]).await;
    let raw = r#""content":[{"type":"hologram","n":1.10}],"big":12345678901234567890,"isError":false, "z":1e400 }"#;
    let modern = running
        .client()
        .call("call_read_tool", json!({"name": "desk_list"}))
        .await;
    assert!(
        modern.body.contains(raw) && modern.body.contains(r#""resultType":"complete""#),
        "{}",
        modern.body
    );
    let params = json!({"name": "call_read_tool", "arguments": {"name": "desk_list"}});
    let legacy = running
        .client()
        .legacy("2025-11-25", "tools/call", params)
        .await;
    assert!(
        legacy.body.contains(&format!("{{ {raw}")) && !legacy.body.contains("resultType"),
        "{}",
        legacy.body
    );
}

#[tokio::test]
async fn arguments_are_forwarded_as_they_came() {
    let (fake, running) = proxy(&[]).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"desk_get","arguments":{ "id":7, "x":1.10 }}}}"#;
    let reply = running.client().post(&[], body.to_owned()).await;
    assert_eq!(reply.text(), "desk 7");
    let sent = &fake.seen_of("tools/call")[0];
    assert!(
        sent.body.contains(r#""arguments":{ "id":7, "x":1.10 }"#),
        "{}",
        sent.body
    );
    for arguments in [
        json!({"name": "desk_get", "arguments": "{\"id\": 7}"}),
        json!({"name": "desk_get", "id": 7}),
    ] {
        assert_eq!(
            running
                .client()
                .call("call_read_tool", arguments)
                .await
                .text(),
            "desk 7"
        );
    }
}

#[tokio::test]
async fn the_guard_refuses_before_anything_is_sent() {
    let (fake, running) = proxy(&[]).await;
    let client = running.client();
    for (tool, arguments, part) in [
        (
            "call_read_tool",
            json!({"name": "desk_paint"}),
            "call_write_tool",
        ),
        (
            "call_read_tool",
            json!({"name": "desk_guess"}),
            "call_write_tool",
        ),
        (
            "call_read_tool",
            json!({"name": "desk_get", "arguments": {}}),
            "lacks the required property \"id\"",
        ),
        (
            "call_write_tool",
            json!({"name": "desk_paint", "arguments": {"colour": "rde"}}),
            "the nearest is \"red\"",
        ),
        (
            "call_write_tool",
            json!({"name": "desk-get"}),
            "You seem to mean \"desk_get\"",
        ),
        (
            "call_write_tool",
            json!({"name": "totally_else"}),
            "There is no tool",
        ),
        ("call_read_tool", json!({}), "`name` is missing"),
    ] {
        let reply = client.call(tool, arguments.clone()).await;
        assert!(
            reply.is_error() && reply.text().contains(part),
            "{arguments}: {}",
            reply.body
        );
    }
    assert!(fake.seen_of("tools/call").is_empty());
    let written = client
        .call(
            "call_write_tool",
            json!({"name": "desk_paint", "arguments": {"colour": "red"}}),
        )
        .await;
    assert_eq!(written.text(), "did desk_paint");
}

#[tokio::test]
async fn the_operators_lists_win_over_the_upstreams_marks() {
    let (_fake, running) = proxy(&["--write-tools", "desk_l*", "--read-tools", "desk_guess"]).await;
    let client = running.client();
    assert!(
        client
            .call("call_read_tool", json!({"name": "desk_list"}))
            .await
            .is_error()
    );
    assert_eq!(
        client
            .call("call_read_tool", json!({"name": "desk_guess"}))
            .await
            .text(),
        "did desk_guess"
    );
    let (_fake, running) = proxy(&["--trust-hints", "off"]).await;
    assert!(
        running
            .client()
            .call("call_read_tool", json!({"name": "desk_list"}))
            .await
            .is_error()
    );
}

#[tokio::test]
async fn batches_of_reads_come_back_in_order_and_hold_no_writes() {
    let (fake, running) = proxy(&[]).await;
    let calls = json!([
        {"name": "desk_get", "arguments": {"id": 1}},
        {"name": "desk_paint", "arguments": {}},
        {"name": "nothing_like_it"},
        {"name": "desk_get", "arguments": {"id": 2}},
        {"arguments": {}},
    ]);
    let reply = running
        .client()
        .call("call_read_tools", json!({"calls": calls}))
        .await;
    let text = reply.text();
    let labels: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(
        labels,
        [
            "[1/5] desk_get: ok",
            "[2/5] desk_paint: refused",
            "[3/5] nothing_like_it: refused",
            "[4/5] desk_get: ok",
            "[5/5] ?: refused"
        ]
    );
    assert!(text.find("desk 1").unwrap() < text.find("desk 2").unwrap() && !reply.is_error());
    assert_eq!(fake.seen_of("tools/call").len(), 2);
    let many = vec![json!({"name": "desk_list"}); 11];
    assert!(
        running
            .client()
            .call("call_read_tools", json!({"calls": many}))
            .await
            .text()
            .contains("at most 10")
    );
}

#[tokio::test]
async fn a_new_tool_is_found_before_the_answer_is_no() {
    let listings = AtomicUsize::new(0);
    let fake = Fake::start(move |seen| match seen.method() {
        "tools/list" if listings.fetch_add(1, Ordering::SeqCst) == 0 => {
            fake::modern("tools/list", "[]")
        }
        "tools/call" => fake::text("new"),
        method => fake::modern(method, TOOLS),
    })
    .await;
    let running = Running::start(&fake.url, &["--catalog-ttl", "1s"]).await;
    let empty = running
        .client()
        .call("search_tools", json!({"query": "desk"}))
        .await;
    assert_eq!(empty.result()["structuredContent"]["total"], 0);
    // The pause between two listings of one caller is the lifetime here.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let reply = running
        .client()
        .call("call_read_tool", json!({"name": "desk_list"}))
        .await;
    assert_eq!(reply.text(), "new");
}

#[tokio::test]
async fn down_is_not_absent_and_a_write_is_never_sent_twice() {
    let fake = Fake::modern(TOOLS, |seen| match seen.json["params"]["name"].as_str() {
        Some("desk_paint") => Answer::Broken,
        _ => Answer::Status(503, vec![]),
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let client = running.client();
    let write = client
        .call("call_write_tool", json!({"name": "desk_paint"}))
        .await;
    assert!(
        write.is_error()
            && write
                .text()
                .contains("is not known, and it was not sent again"),
        "{}",
        write.body
    );
    assert_eq!(fake.seen_of("tools/call").len(), 1);
    let read = client
        .call("call_read_tool", json!({"name": "desk_list"}))
        .await;
    assert!(
        read.text().contains("exists, but") && read.text().contains("503"),
        "{}",
        read.body
    );
    let nowhere = Running::start("http://127.0.0.1:9/mcp", &[]).await;
    let unlisted = nowhere
        .client()
        .call("call_read_tool", json!({"name": "desk_list"}))
        .await;
    assert!(
        unlisted.text().contains("cannot be listed now"),
        "{}",
        unlisted.body
    );
    assert_eq!(
        nowhere
            .client()
            .modern("tools/list", json!({}))
            .await
            .status,
        200,
        "the handshake needs no upstream"
    );
}

#[tokio::test]
async fn a_write_is_not_repeated_on_a_guess_and_a_refused_header_is() {
    let fake = Fake::modern(TOOLS, |seen| match seen.json["params"]["name"].as_str() {
        Some("desk_paint") => Answer::Error(
            200,
            r#"{"code":-32602,"message":"Tool desk_paint: brush not found"}"#.to_owned(),
        ),
        _ => Answer::Error(400, r#"{"code":-32020,"message":"header"}"#.to_owned()),
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let guess = running
        .client()
        .call("call_write_tool", json!({"name": "desk_paint"}))
        .await;
    assert!(guess.is_error(), "{}", guess.body);
    assert_eq!(fake.seen_of("tools/call").len(), 1);
    let refused = running
        .client()
        .call("call_write_tool", json!({"name": "desk_guess"}))
        .await;
    assert!(refused.is_error(), "{}", refused.body);
    assert_eq!(
        fake.seen_of("tools/call").len(),
        3,
        "refused before anything was done: once more"
    );
}

#[tokio::test]
async fn one_bad_tool_hides_no_other() {
    let tools = r#"[null,{"name":"","inputSchema":{}},{"name":"a","inputSchema":null},{"name":"good","inputSchema":{}},{"name":"good","inputSchema":{}}]"#;
    let fake = Fake::modern(tools, |_| fake::text("ok")).await;
    let running = Running::start(&fake.url, &[]).await;
    let found = running
        .client()
        .call("search_tools", json!({"query": "good"}))
        .await;
    assert_eq!(found.result()["structuredContent"]["total"], 1);
    let metrics = running.metrics().await;
    assert!(
        metrics.contains(r#"toolsearch_catalog_dropped_tools_total{reason="duplicate"} 1"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn questions_to_the_user_pass_through_without_state() {
    let asks = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Sure?"}}},"requestState":"opaque"}"#;
    let fake = Fake::modern(
        TOOLS,
        move |seen| match seen.json["params"]["inputResponses"].is_null() {
            true => Answer::Result(asks.to_owned()),
            false => fake::text("went on"),
        },
    )
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let params = json!({"name": "call_write_tool", "arguments": {"name": "desk_guess"},
        "_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "extensions": {"x": {}}}}});
    let first = running.client().modern("tools/call", params.clone()).await;
    assert!(first.body.contains(asks), "{}", first.body);
    let mut second = params;
    second["inputResponses"] = json!({"k": {"action": "accept"}});
    second["requestState"] = json!("opaque");
    assert_eq!(
        running.client().modern("tools/call", second).await.text(),
        "went on"
    );
    let sent = &fake.seen_of("tools/call");
    assert_eq!(sent[1].json["params"]["requestState"], "opaque");
    let declared = &sent[0].json["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(
        *declared,
        json!({"elicitation": {}}),
        "extensions are not passed on"
    );
    let legacy = running
        .client()
        .legacy(
            "2025-11-25",
            "tools/call",
            json!({"name": "call_write_tool", "arguments": {"name": "desk_guess"}}),
        )
        .await;
    assert!(legacy.is_error() && legacy.text().contains("Sure?"));
}
