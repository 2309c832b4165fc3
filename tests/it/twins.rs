//! The same tool under several prefixes takes one place in an answer, and all its names are told.

use serde_json::{Value, json};
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::{Client, Running};

const ACCOUNTS: [&str; 12] = [
    "work", "home", "school", "club", "shop", "lab", "north", "south", "east", "west", "old", "new",
];

fn tools() -> Value {
    let tool = |name: String, description: &str| json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
    let of_account = |account: &str| {
        [
            tool(format!("{account}_create_issue"), "Opens an issue."),
            tool(format!("{account}_close_issue"), "Closes an issue."),
            tool(format!("{account}_list_issues"), "Lists issues."),
        ]
    };
    let all = ACCOUNTS.iter().flat_map(|account| of_account(account));
    let other = tool("calendar_add".to_owned(), "Adds an event to a calendar.");
    all.chain([other]).collect()
}

async fn search(client: &Client, query: &str) -> Value {
    let arguments = json!({"query": query, "limit": 4, "schemas": false});
    let text = client.call("search_tools", arguments).await.text();
    serde_json::from_str(&text).expect("an answer that is JSON")
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["tools"].as_array().expect("hits");
    let names = tools.iter().map(|hit| hit["name"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

async fn one_place_each(flags: &[&str]) {
    let fake = Fake::modern(&tools().to_string(), |_| fake::text("called")).await;
    let running = Running::start(&fake.url, flags).await;
    let client = running.client();
    let answer = search(&client, "create an issue").await;
    let found = names(&answer);
    let ends: Vec<_> = found.iter().map(|name| name.split_once('_')).collect();
    let kinds: Vec<_> = ends.into_iter().flatten().map(|(_, end)| end).collect();
    let mut sorted = kinds.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        ["add", "close_issue", "create_issue", "list_issues"]
    );
    assert_eq!(kinds[0], "create_issue");
    let also = answer["tools"][0]["alsoAs"].as_array().expect("names");
    let all = ACCOUNTS.map(|account| format!("{account}_create_issue"));
    let others = all.iter().filter(|name| *name != found[0]).take(8);
    assert_eq!(Value::from(also.clone()), json!(others.collect::<Vec<_>>()));
    assert!(answer["notes"].to_string().contains("alsoAs"), "{answer}");

    let answer = search(&client, "create an issue in school").await;
    assert_eq!(names(&answer)[0], "school_create_issue");
    assert_eq!(answer["tools"][0]["alsoAs"][0], "work_create_issue");

    // None is out of reach for that.
    let arguments = json!({"name": "west_create_issue", "arguments": {}});
    let reply = client.call("call_write_tool", arguments).await;
    assert_eq!(reply.text(), "called");

    let alone = search(&client, "add an event to my calendar").await;
    assert_eq!(names(&alone)[0], "calendar_add");
    assert_eq!(alone["tools"][0].get("alsoAs"), None);
}

#[tokio::test]
async fn by_meaning() {
    one_place_each(&[]).await;
}

#[tokio::test]
async fn by_words() {
    one_place_each(&["--embedder", "none"]).await;
}
