//! Two callers with disjoint catalogs: neither sees a byte of the other's.

use serde_json::json;
use toolsearch_tests::Running;
use toolsearch_tests::fake::{self, Answer, Fake};

fn tools(owner: &str) -> String {
    let tool = |number| {
        format!(
            r#"{{"name":"{owner}_tool_{number}","description":"Only of {owner}.","inputSchema":{{"type":"object","properties":{{"{owner}_arg":{{}}}}}},"annotations":{{"readOnlyHint":true}}}}"#
        )
    };
    format!("[{}]", (0..5).map(tool).collect::<Vec<_>>().join(","))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_sees_the_others_tools() {
    let fake = Fake::start(|seen| match (seen.token(), seen.method()) {
        (owner @ ("anna" | "bert"), "tools/list") => Answer::Result(format!(r#"{{"tools":{}}}"#, tools(owner))),
        (owner @ ("anna" | "bert"), "server/discover") => Answer::Result(
            json!({"supportedVersions": ["2026-07-28"], "instructions": format!("Secrets of {owner}.")}).to_string(),
        ),
        (owner, "tools/call") => fake::text(&format!("answer to {owner}")),
        _ => Answer::Status(401, vec![]),
    })
    .await;
    let running = Running::start(&fake.url, &["--catalog-ttl", "1s"]).await;
    let round = |owner: &'static str, other: &'static str| {
        let client = running.client().with_token(owner);
        async move {
            for _ in 0..20 {
                let own = format!("{owner}_tool_1");
                let foreign = format!("{other}_tool_1");
                let replies = [
                    client.modern("server/discover", json!({})).await,
                    client
                        .call(
                            "search_tools",
                            json!({"query": "tool of anna or bert", "limit": 25}),
                        )
                        .await,
                    client
                        .call("describe_tool", json!({"names": [own, foreign]}))
                        .await,
                    client
                        .call("call_read_tool", json!({"name": "tool_1"}))
                        .await,
                    client.call("call_read_tool", json!({"name": own})).await,
                ];
                for reply in replies {
                    // What this caller typed itself may come back to it.
                    let body = reply.body.replace(&foreign, "").replace("anna or bert", "");
                    assert!(!body.contains(other), "{owner} sees {other}: {body}");
                }
                let refused = client
                    .call("call_read_tool", json!({"name": foreign}))
                    .await;
                assert!(
                    refused.is_error() && refused.text().contains("There is no tool"),
                    "{}",
                    refused.body
                );
            }
        }
    };
    tokio::join!(
        round("anna", "bert"),
        round("bert", "anna"),
        round("anna", "bert")
    );
    for call in fake.seen_of("tools/call") {
        assert!(
            call.json["params"]["name"]
                .as_str()
                .unwrap()
                .starts_with(call.token())
        );
    }
}
