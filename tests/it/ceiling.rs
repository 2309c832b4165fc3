//! A result over the ceiling is cut in whole lines and elements and says so; one under it passes
//! byte for byte, as all do without a ceiling.

use serde_json::{Value, json};
use toolsearch_tests::client::Reply;
use toolsearch_tests::fake::{Answer, Fake};
use toolsearch_tests::{Client, Running};

const TOOLS: &str = r#"[
    {"name":"rows","inputSchema":{"properties":{"limit":{},"of":{}}},"annotations":{"readOnlyHint":true}},
    {"name":"make","inputSchema":{}}]"#;
const CEILING: [&str; 2] = ["--max-result-tokens", "4000"];

/// A result whose one text is JSON of so many rows, with a picture of a megabyte behind it.
fn result(rows: usize, more: &str) -> String {
    let rows: Vec<Value> = (0..rows)
        .map(|n| json!({"id": n, "name": "a row of it"}))
        .collect();
    let text = json!({"total": rows.len(), "rows": rows, "next": "page-2"}).to_string();
    let data = "QUJD".repeat(250_000);
    format!(
        r#"{{ "resultType":"complete", "n":1.10,"_meta":{{"k":[1.0 ]}},{more}"content":[{{"type":"text","text":{}}},
        {{"type":"image","mimeType":"image/png","data":"{data}"}}]}}"#,
        Value::from(text)
    )
}

async fn upstream(rows: usize, more: &'static str) -> Fake {
    Fake::modern(TOOLS, move |_| Answer::Result(result(rows, more))).await
}

async fn call(client: &Client, tool: &str, name: &str) -> Reply {
    let arguments = json!({"name": name, "arguments": {}});
    client.call(tool, arguments).await
}

#[tokio::test]
async fn what_is_over_it_is_cut_and_says_so() {
    for more in [r#""isError":true,"#, ""] {
        let fake = upstream(5000, more).await;
        let running = Running::start(&fake.url, &CEILING).await;
        for (tool, name, advice) in [
            ("call_read_tool", "rows", "it takes `limit`"),
            ("call_write_tool", "make", "Do not repeat the call"),
        ] {
            let reply = call(&running.client(), tool, name).await;
            assert!(reply.body.contains(r#""_meta":{"k":[1.0 ]}"#), "as it came");
            assert_eq!(reply.is_error(), !more.is_empty());
            let content = &reply.result()["content"];
            let text = content[0]["text"].as_str().expect("a text");
            let given: Value = serde_json::from_str(text).expect("JSON still");
            assert_eq!(
                (&given["total"], &given["next"]),
                (&json!(5000), &json!("page-2"))
            );
            let rows = given["rows"].as_array().expect("a list").len();
            assert!(
                rows > 10 && toolsearch_eval::tokens::count(text) < 4000,
                "{rows}"
            );
            assert_eq!(content[1]["data"].as_str().map(str::len), Some(1_000_000));
            let note = content[2]["text"].as_str().expect("a note");
            let expected = format!("block 1 (text)/rows: the first {rows} of 5000 items");
            assert!(note.contains(&expected) && note.contains(advice), "{note}");
        }
        let metrics = running.metrics().await;
        assert!(
            metrics.contains("toolsearch_cut_results_total 2"),
            "{metrics}"
        );
    }
}

#[tokio::test]
async fn what_is_under_it_passes_byte_for_byte() {
    let fake = upstream(20, "").await;
    let with = Running::start(&fake.url, &CEILING).await;
    let without = Running::start(&fake.url, &[]).await;
    for running in [with, without] {
        let reply = call(&running.client(), "call_read_tool", "rows").await;
        assert!(reply.body.contains(&result(20, "")));
    }
}

#[tokio::test]
async fn calls_in_one_go_share_it() {
    let fake = upstream(5000, "").await;
    let running = Running::start(&fake.url, &["--max-result-tokens", "8000"]).await;
    let calls = vec![
        json!({"name": "rows"}),
        json!({"name": "none"}),
        json!({"name": "rows"}),
    ];
    let reply = running
        .client()
        .call("call_read_tools", json!({"calls": calls}))
        .await;
    let text = reply.text();
    assert!(
        toolsearch_eval::tokens::count(&text) < 8000,
        "{} bytes",
        text.len()
    );
    for said in [
        "[1/3] rows: ok",
        "[2/3] none: refused",
        "[3/3] rows: ok",
        "[1/3] block 1 (text)/rows: the first",
        "[3/3] block 1 (text)/rows: the first",
        "call the tool alone with call_read_tool",
        "it takes `limit`",
    ] {
        assert!(text.contains(said), "{said} is not in {text}");
    }
}

#[tokio::test]
async fn a_question_to_the_user_is_not_touched() {
    let state = "s".repeat(20_000);
    let asks = format!(
        r#"{{"resultType":"input_required","inputRequests":{{}},"requestState":"{state}","content":[{{"type":"text","text":"{state}"}}]}}"#
    );
    let sent = asks.clone();
    let fake = Fake::modern(TOOLS, move |_| Answer::Result(sent.clone())).await;
    let running = Running::start(&fake.url, &CEILING).await;
    let reply = call(&running.client(), "call_read_tool", "rows").await;
    assert!(reply.body.contains(&asks));
}
