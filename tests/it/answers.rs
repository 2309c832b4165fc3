//! `search_tools` stays within its tokens, whatever the catalog and the arguments, and
//! `describe_tool` within its bytes; what was cut is said, and every schema is one.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use toolsearch_eval::tokens::count;
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::{Client, Running};

async fn start(tools: &Value, flags: &[&str]) -> (Fake, Running) {
    let fake = Fake::modern(&tools.to_string(), |_| fake::text("unused")).await;
    let flags: Vec<&str> = [&["--embedder", "none"], flags].concat();
    let running = Running::start(&fake.url, &flags).await;
    (fake, running)
}

/// One answer, read, its text held against the real tokenizer.
async fn search(client: &Client, arguments: Value, most: usize) -> Value {
    let reply = client.call("search_tools", arguments).await;
    let text = reply.text();
    let tokens = count(&text);
    assert!(tokens <= most, "{tokens} tokens of at most {most}: {text}");
    let answer: Value = serde_json::from_str(&text).expect("an answer that is JSON");
    assert_eq!(reply.result()["structuredContent"], answer);
    answer
}

fn hits(answer: &Value) -> Vec<&Value> {
    let several = answer["results"].as_array().into_iter().flatten();
    let lists = several.map(|it| &it["tools"]).chain([&answer["tools"]]);
    lists.filter_map(Value::as_array).flatten().collect()
}

fn notes(answer: &Value) -> String {
    answer["notes"].to_string()
}

fn tool(name: &str, description: &str, schema: &Value) -> Value {
    json!({"name": name, "description": description, "inputSchema": schema})
}

/// About 88 kB: a few hundred properties, nested, referred to, described.
fn huge() -> Value {
    let address = json!({"type": "object", "required": ["street"], "properties": {"street": {"type": "string", "description": "The street. ".repeat(20)}}});
    let properties: serde_json::Map<_, _> = (0..280)
        .map(|n| {
            let part = json!({"description": format!("Part {n}: {}", "what it is for ".repeat(15)), "anyOf": [{"$ref": "#/$defs/address"}, {"type": "null"}]});
            (format!("part_{n}"), part)
        })
        .collect();
    json!({"type": "object", "required": ["part_7"], "properties": properties, "$defs": {"address": address}, "additionalProperties": false})
}

/// Catalogs that are bad for whoever counts.
fn hostile() -> Vec<(&'static str, Value)> {
    let huge = huge();
    assert!(huge.to_string().len() > 80_000);
    let empty = json!({"type": "object"});
    let many = |count: usize, name: &dyn Fn(usize) -> String, text: &str, schema: &Value| {
        let tools = (0..count).map(|n| tool(&name(n), &text.replace('#', &n.to_string()), schema));
        Value::from(tools.collect::<Vec<_>>())
    };
    let plain = |n: usize| format!("find_thing_{n}");
    let base64 = "Zm9vYmFyQkFaCg0xQjJDM0Q0RTVGNkc3SDhJOUow".repeat(60);
    let in_schema = |text: &str| json!({"type": "object", "properties": {text: {"enum": [text, "b"], "description": text, "pattern": text}}});
    vec![
        (
            "huge schemas",
            many(30, &plain, "Finds thing #. It is quite large.", &huge),
        ),
        (
            "5,000 tools",
            many(
                5000,
                &plain,
                "Finds thing # in the store. Ask for it by its number.",
                &in_schema("number"),
            ),
        ),
        (
            "CJK",
            many(
                60,
                &|n| format!("find_物件_{n}"),
                &"找到第#個物件並且把它寫進報告書。".repeat(40),
                &in_schema("物件の名前"),
            ),
        ),
        (
            "emoji",
            many(
                60,
                &|n| format!("find_🧑‍🚀{n}"),
                &"find 🧑🏽‍🚀🏳️‍🌈👩‍👩‍👧‍👦#".repeat(80),
                &in_schema("🧑🏽‍🚀"),
            ),
        ),
        (
            "base64",
            many(
                60,
                &|n| format!("find_{}{n}", &base64[..40]),
                &format!("find {base64}#"),
                &in_schema(&base64),
            ),
        ),
        (
            "escapes",
            many(
                60,
                &|n| format!("find_\"\\\u{1}{n}"),
                &"find \"\\\u{1}\u{7f}\t\n".repeat(90),
                &in_schema("\"\u{2}\\"),
            ),
        ),
        (
            "long names",
            many(
                40,
                &|n| format!("find_{n}_{}", "name_".repeat(2000)),
                "Finds #.",
                &empty,
            ),
        ),
        (
            "rather long names",
            many(
                40,
                &|n| format!("find_{n}_{}", "qzxj".repeat(25)),
                "Finds #.",
                &empty,
            ),
        ),
        ("nothing", json!([])),
    ]
}

fn arguments() -> Vec<Value> {
    let long = "find 物件 \"\\\u{1}🧑‍🚀 ".repeat(400);
    vec![
        json!({"query": "find a thing"}),
        json!({"query": "find", "limit": 25}),
        json!({"query": long, "limit": -3}),
        json!({"queries": [long, long, long, long, long], "limit": 1e9}),
        json!({"queries": ["find", "物件", "🧑‍🚀", "Zm9v", "store"], "limit": 25, "schemas": false}),
        json!({"queries": ["find thing 1", "find thing 2"], "limit": 25.0}),
        json!({"queries": ["\u{1}\u{2}\u{3}".repeat(99), "\\\\\"\"".repeat(99), "find"]}),
    ]
}

#[tokio::test]
async fn no_answer_is_larger_than_allowed() {
    for (name, tools) in hostile() {
        for most in [1000, 4000] {
            let (_fake, running) = start(
                &tools,
                &[
                    "--max-answer-tokens",
                    &most.to_string(),
                    "--search-schemas",
                    "25",
                ],
            )
            .await;
            for arguments in arguments() {
                let answer = search(&running.client(), arguments.clone(), most).await;
                let hits = hits(&answer);
                let is_cut =
                    notes(&answer).contains("did not fit") || notes(&answer).contains("too long");
                assert!(
                    !hits.is_empty() || is_cut || name == "nothing",
                    "{name}: {answer}"
                );
                for hit in hits {
                    let schema = &hit["inputSchema"];
                    assert!(
                        schema.is_null() || schema["type"] == "object",
                        "{name}: {hit}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn what_was_cut_is_said() {
    let catalogs = hostile();
    let catalog = |wanted: &str| {
        catalogs
            .iter()
            .find(|(name, _)| *name == wanted)
            .unwrap()
            .1
            .clone()
    };
    let (_fake, running) = start(&catalog("huge schemas"), &[]).await;
    let client = running.client();
    let answer = search(&client, json!({"query": "find thing 3"}), 4000).await;
    let best = hits(&answer)[0];
    assert_eq!(best["schemaFolded"], true, "{answer}");
    assert_eq!(best["inputSchema"]["required"], json!(["part_7"]));
    assert!(
        best["inputSchema"]["properties"]["part_7"]["anyOf"][0]["type"] == "object",
        "{best}"
    );
    assert!(notes(&answer).contains("`schemaFolded`") && notes(&answer).contains("describe_tool"));
    let answer = search(
        &client,
        json!({"queries": ["a", "b", "c", "d", "find"], "limit": 99}),
        4000,
    )
    .await;
    assert!(notes(&answer).contains("25 was used"), "{answer}");
    assert!(notes(&answer).contains("more hits did not fit"), "{answer}");

    let described = client
        .call("describe_tool", json!({"names": ["find_thing_1"]}))
        .await;
    let described = described.result()["structuredContent"].clone();
    assert!(described.to_string().len() <= 64 * 1024);
    assert_eq!(described["tools"][0]["name"], "find_thing_1");
    assert_eq!(
        described["tools"][0]["inputSchema"]["required"],
        json!(["part_7"])
    );
    assert!(
        notes(&described).contains("larger than an answer may be"),
        "{described}"
    );

    let (_fake, running) = start(&catalog("long names"), &["--max-answer", "4KiB"]).await;
    let answer = search(&running.client(), json!({"query": "find"}), 4000).await;
    assert!(notes(&answer).contains("names are too long"), "{answer}");
    let names: Vec<String> = (0..10)
        .map(|n| format!("{n}{}", "\"🧑‍🚀".repeat(900)))
        .collect();
    let described = running
        .client()
        .call("describe_tool", json!({"names": names}))
        .await;
    assert!(described.text().len() <= 4 * 1024, "{}", described.text());
}

#[tokio::test]
async fn a_description_says_what_others_do_not() {
    let text =
        |n: usize| format!("Part of the Nimbus suite. Counts sheep number {n}. Requires a token.");
    let tools: Vec<Value> = (0..30)
        .map(|n| tool(&format!("sheep_{n}"), &text(n), &json!({"type": "object"})))
        .collect();
    let (_fake, running) = start(&tools.into(), &[]).await;
    let answer = search(
        &running.client(),
        json!({"query": "count sheep number 7"}),
        4000,
    )
    .await;
    assert_eq!(hits(&answer)[0]["description"], "Counts sheep number 7.");
}

/// Any tools at all, a few at a time.
#[tokio::test]
async fn random_catalogs_fit() {
    let text = || {
        let part = prop_oneof![
            "\\PC{0,40}",
            "[a-zA-Z ]{0,200}",
            "[\u{4e00}-\u{9fff}。]{0,80}",
            "[\"\\\\{}\\[\\]:,/]{0,40}",
            "[A-Za-z0-9+/]{0,300}"
        ];
        prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
    };
    let schema = (text(), text(), 0..40_usize).prop_map(|(name, said, many)| {
        let properties: serde_json::Map<_, _> = (0..many)
            .map(|n| (format!("{name}{n}"), json!({"type": "object", "description": said, "properties": {&said: {"enum": [said]}}})))
            .collect();
        json!({"type": "object", "properties": properties})
    });
    let tools = prop::collection::vec((text(), text(), schema), 1..60);
    let case = (
        tools,
        prop::collection::vec(text(), 1..6),
        any::<i8>(),
        1000..6000_usize,
    );
    let mut runner = TestRunner::default();
    for _ in 0..24 {
        let (tools, queries, limit, most) = case.new_tree(&mut runner).unwrap().current();
        let tools = tools.iter().enumerate();
        let tools: Vec<Value> = tools
            .map(|(n, (name, said, schema))| tool(&format!("{name}{n}"), said, schema))
            .collect();
        let (_fake, running) =
            start(&tools.into(), &["--max-answer-tokens", &most.to_string()]).await;
        let queries: Vec<String> = queries
            .into_iter()
            .map(|query| format!("q{query}"))
            .collect();
        search(
            &running.client(),
            json!({"queries": queries, "limit": limit}),
            most,
        )
        .await;
        search(
            &running.client(),
            json!({"query": queries[0], "limit": limit}),
            most,
        )
        .await;
    }
}
