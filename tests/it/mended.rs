//! What is said of a call that was mended: one line, and every byte of the upstream's as it was.

use serde_json::{Value, json};
use toolsearch_tests::Running;
use toolsearch_tests::fake::{Answer, Fake};

const TOOLS: &str = r#"[{"name":"desk_get","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]},"annotations":{"readOnlyHint":true}}]"#;
const CONTENT: &str = r#""content":[ {"type":"text","text":"\u0041","n":1.10} ],"z":1e400"#;
const KEY: &str = "dev.toolsearch/mended";
const LINE: &str = "before the call, a string became the number it holds";

async fn proxy(result: String) -> (Fake, Running) {
    let fake = Fake::modern(TOOLS, move |_| Answer::Result(result.clone())).await;
    let running = Running::start(&fake.url, &[]).await;
    (fake, running)
}

fn mendable() -> Value {
    json!({"name": "desk_get", "arguments": {"id": "7"}})
}

#[tokio::test]
async fn a_single_call_says_so_in_meta_and_its_content_is_untouched() {
    let (fake, running) = proxy(format!(r#"{{"resultType":"complete",{CONTENT}}}"#)).await;
    let client = running.client();
    for tool in ["call_read_tool", "call_write_tool"] {
        let reply = client.call(tool, mendable()).await;
        assert!(reply.body.contains(CONTENT), "{}", reply.body);
        let note = format!(r#""_meta":{{"{KEY}":"{LINE}"}}"#);
        assert!(reply.body.contains(&note), "{}", reply.body);
    }
    let right = json!({"name": "desk_get", "arguments": {"id": 7}});
    let reply = client.call("call_read_tool", right).await;
    assert!(!reply.body.contains(KEY), "{}", reply.body);
    for seen in fake.seen_of("tools/call") {
        assert!(
            seen.body.contains(r#""arguments":{"id":7}"#),
            "{}",
            seen.body
        );
    }
}

#[tokio::test]
async fn a_batch_says_so_in_the_line_of_the_item() {
    let (_fake, running) = proxy(format!("{{{CONTENT}}}")).await;
    let right = json!({"name": "desk_get", "arguments": {"id": 8}});
    let calls = json!({"calls": [mendable(), right]});
    let text = running.client().call("call_read_tools", calls).await.text();
    assert!(
        text.contains(&format!("[1/2] desk_get: ok ({LINE})\n")),
        "{text}"
    );
    assert!(text.contains("[2/2] desk_get: ok\n"), "{text}");
}

#[tokio::test]
async fn a_complaint_about_arguments_brings_the_schema() {
    let complaint = r#"{"type":"text","text":"Input validation error: id"}"#;
    let (_fake, running) = proxy(format!(
        r#"{{"resultType":"complete","content":[{complaint}],"isError":true}}"#
    ))
    .await;
    let right = json!({"name": "desk_get", "arguments": {"id": 7}});
    let reply = running.client().call("call_read_tool", right).await;
    assert!(
        reply.is_error() && reply.body.contains(complaint),
        "{}",
        reply.body
    );
    assert!(reply.text().contains(r#""id""#), "{}", reply.text());
    let (_fake, running) = proxy(
        r#"{"resultType":"complete","content":[{"type":"text","text":"No such desk"}],"isError":true}"#.to_owned(),
    )
    .await;
    let right = json!({"name": "desk_get", "arguments": {"id": 7}});
    let reply = running.client().call("call_read_tool", right).await;
    assert_eq!(reply.text(), "No such desk", "no complaint, no schema");
}

#[tokio::test]
async fn every_round_of_a_mended_call_forwards_the_same_bytes() {
    const ASKS: &str = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Sure?"}}},"requestState":"st-1"}"#;
    let fake = Fake::modern(TOOLS, |seen| {
        Answer::Result(match seen.json["params"].get("requestState") {
            None => ASKS.to_owned(),
            Some(_) => format!(r#"{{"resultType":"complete",{CONTENT}}}"#),
        })
    })
    .await;
    let running = Running::start(&fake.url, &[]).await;
    let client = running.client();
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let first = json!({"name": "call_read_tool", "arguments": mendable(), "_meta": meta});
    let mut again = first.clone();
    let asked = client.modern("tools/call", first).await;
    assert!(
        asked.body.contains(ASKS),
        "byte for byte, no line: {}",
        asked.body
    );
    again["requestState"] = json!("st-1");
    again["inputResponses"] = json!({"k": {"action": "accept", "content": {}}});
    let done = client.modern("tools/call", again).await;
    assert!(
        done.body.contains(CONTENT) && done.body.contains(LINE),
        "{}",
        done.body
    );
    let seen = fake.seen_of("tools/call");
    let arguments = |body: &str| {
        let at = body.find(r#""arguments":"#).expect("arguments");
        body[at..=at + body[at..].find('}').expect("an end")].to_owned()
    };
    let rounds: Vec<String> = seen.iter().map(|seen| arguments(&seen.body)).collect();
    assert_eq!(rounds, [r#""arguments":{"id":7}"#; 2]);
    assert_eq!(seen[1].json["params"]["requestState"], "st-1");
}
