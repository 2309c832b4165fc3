//! Odd results through every pair of a client's revision and an upstream's: the bytes that were
//! sent, or those that `tests/fixtures/odd-results.txt` writes down as the form of a revision.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;
use toolsearch_tests::fake::{self, Answer, Fake, Seen};
use toolsearch_tests::{Client, Running};

const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    MODERN,
];
const MODERN: &str = "2026-07-28";
const TOOLS: &str =
    r#"[{"name":"odd","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#;
/// Lists in lists: more than a reader that recurses takes.
const DEEP: usize = 300;

/// One result, and its forms.
struct Entry {
    name: String,
    sent: String,
    written: HashMap<String, String>,
}

impl Entry {
    fn read(text: &str) -> Self {
        let (name, rest) = text.split_once('\n').expect("a name and a result");
        let mut parts = rest.split("\n> ");
        let sent = parts.next().expect("a result");
        let mut written = HashMap::new();
        for part in parts {
            let (revisions, form) = part.split_once('\n').expect("revisions and a form");
            for revision in revisions.split(' ') {
                assert!(REVISIONS.contains(&revision), "{name}: {revision}");
                let before = written.insert(revision.to_owned(), expanded(form));
                assert_eq!(before, None, "{name}: {revision} twice");
            }
        }
        Self {
            name: name.to_owned(),
            sent: expanded(sent),
            written,
        }
    }

    fn expected(&self, revision: &str) -> String {
        match self.written.get(revision) {
            Some(form) => form.clone(),
            None if revision == MODERN => {
                self.sent.replacen('{', r#"{"resultType":"complete","#, 1)
            }
            None => self.sent.clone(),
        }
    }
}

fn expanded(form: &str) -> String {
    let line = format!("{}\\n\\\"ž😀", "x".repeat(1013));
    form.trim_end_matches('\n')
        .replace(
            "«deep»",
            &format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP)),
        )
        .replace("«large»", &line.repeat(100))
        .replace("«huge»", &line.repeat(1500))
}

fn corpus() -> Vec<Entry> {
    let text = include_str!("../fixtures/odd-results.txt");
    let (_about, entries) = text.split_once("\n## ").expect("entries");
    entries.split("\n## ").map(Entry::read).collect()
}

/// An upstream of one revision, which answers each call with the result that it names.
async fn upstream(revision: &'static str, results: Arc<HashMap<String, String>>) -> Fake {
    let called = move |seen: &Seen| {
        let name = seen.json["params"]["arguments"]["entry"].as_str();
        Answer::Result(results[name.expect("the name of an entry")].clone())
    };
    Fake::start(move |seen| match seen.method() {
        "tools/call" => called(seen),
        method if revision == MODERN => fake::modern(method, TOOLS),
        "initialize" => Answer::Session(
            "one".to_owned(),
            json!({"protocolVersion": revision, "capabilities": {"tools": {}}}).to_string(),
        ),
        "tools/list" => Answer::Result(format!(r#"{{"tools":{TOOLS}}}"#)),
        _ => Answer::Error(
            404,
            r#"{"code":-32601,"message":"no such method"}"#.to_owned(),
        ),
    })
    .await
}

async fn asked(client: &Client, revision: &str, entry: &str) -> String {
    let params = json!({"name": "call_read_tool",
        "arguments": {"name": "odd", "arguments": {"entry": entry}}});
    let reply = if revision == MODERN {
        client.modern("tools/call", params).await
    } else {
        client.legacy(revision, "tools/call", params).await
    };
    reply.body
}

/// Where two texts part, for a person to read.
fn parting(got: &str, expected: &str) -> String {
    let both = got.bytes().zip(expected.bytes());
    let at = both.take_while(|(one, other)| one == other).count();
    let near = |text: &str| {
        let from = at.saturating_sub(60);
        let bytes = text.as_bytes().iter().skip(from).take(160).copied();
        String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
    };
    format!(
        "at byte {at}\n  got      …{}…\n  expected …{}…",
        near(got),
        near(expected)
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_odd_result_comes_as_written_through_every_pair_of_revisions() {
    let corpus = corpus();
    let results: HashMap<_, _> = corpus
        .iter()
        .map(|entry| (entry.name.clone(), entry.sent.clone()))
        .collect();
    assert_eq!(results.len(), corpus.len(), "each name once");
    assert!(corpus.len() > 30, "the corpus is read");
    let results = Arc::new(results);
    let mut others = Vec::new();
    for theirs in REVISIONS {
        let fake = upstream(theirs, Arc::clone(&results)).await;
        let running = Running::start(&fake.url, &[]).await;
        let client = running.client();
        for ours in REVISIONS {
            for entry in &corpus {
                let got = asked(&client, ours, &entry.name).await;
                let expected = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#,
                    entry.expected(ours)
                );
                if got != expected {
                    let parting = parting(&got, &expected);
                    others.push(format!(
                        "{}: client {ours}, upstream {theirs}, {parting}",
                        entry.name
                    ));
                }
            }
        }
        let calls = fake.seen_of("tools/call");
        assert_eq!(calls.len(), REVISIONS.len() * corpus.len());
        for call in calls {
            assert_eq!(call.headers["mcp-protocol-version"], theirs, "it is spoken");
        }
    }
    assert!(others.is_empty(), "\n{}", others.join("\n"));
}
