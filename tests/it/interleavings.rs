//! Two callers with disjoint tools, in any order of questions, refreshes, evictions, refusals and
//! failures: no byte of one's tools in the other's answers, in the log, or in the metrics.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolsearch_tests::fake::{Answer, Fake};
use toolsearch_tests::logs::Logs;
use toolsearch_tests::{Client, Reply, Running};

/// A token, and the word that stands in everything that its owner alone may see.
const CALLERS: [(&str, &str); 2] = [("anna", "amberfox"), ("bert", "basaltowl")];
/// The words with a slip, as somebody would type them who heard of the other's tools.
const SLIPS: &str = "amberfxo basaltolw";

/// What the upstream does to one caller from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Well,
    /// Its list arrives late, so that others' questions come between.
    Slow,
    /// Another list than before.
    Changed(u8),
    Empty,
    Refused(u16),
    Broken,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Discover,
    Search,
    Describe,
    CallOwn,
    CallForeign,
    Turn(Mood),
    Wait,
}

fn mood() -> impl Strategy<Value = Mood> {
    prop_oneof![
        2 => Just(Mood::Well),
        2 => Just(Mood::Slow),
        2 => (1..4_u8).prop_map(Mood::Changed),
        1 => Just(Mood::Empty),
        2 => prop::sample::select(vec![401, 403, 429, 500, 503]).prop_map(Mood::Refused),
        1 => Just(Mood::Broken),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        1 => Just(Step::Discover),
        4 => Just(Step::Search),
        2 => Just(Step::Describe),
        2 => Just(Step::CallOwn),
        2 => Just(Step::CallForeign),
        3 => mood().prop_map(Step::Turn),
        1 => Just(Step::Wait),
    ];
    prop::collection::vec(step, 1..40)
}

type Moods = Arc<Mutex<HashMap<&'static str, Mood>>>;

fn owner(token: &str) -> Option<(&'static str, &'static str)> {
    CALLERS.into_iter().find(|(name, _)| *name == token)
}

fn tools(word: &str, version: u8) -> Value {
    let tool = |number: u8| {
        json!({"name": format!("{word}_tool_{number}_{version}"), "description": format!("Only of {word}."),
               "inputSchema": {"type": "object", "properties": {format!("{word}_arg"): {"type": "string"}}},
               "annotations": {"readOnlyHint": true}})
    };
    (0..4).map(tool).collect()
}

fn answer(moods: &Moods, token: &str, method: &str) -> Answer {
    let Some((name, word)) = owner(token) else {
        return Answer::Status(401, vec![]);
    };
    let mood = moods
        .lock()
        .expect("no panic holds the moods")
        .get(name)
        .copied();
    let list = |version| json!({"resultType": "complete", "tools": tools(word, version)});
    match (mood.unwrap_or(Mood::Well), method) {
        (Mood::Refused(status), _) => Answer::Status(status, vec![]),
        (Mood::Broken, "tools/list" | "tools/call") => Answer::Broken,
        (_, "server/discover") => Answer::Result(
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                   "instructions": format!("For {word} only.")})
            .to_string(),
        ),
        (_, "tools/call") => Answer::Result(
            json!({"content": [{"type": "text", "text": format!("{word} was called")}]})
                .to_string(),
        ),
        (Mood::Empty, _) => Answer::Result(json!({"tools": []}).to_string()),
        (Mood::Changed(version), _) => Answer::Result(list(version).to_string()),
        (Mood::Slow, _) => {
            let result = list(0);
            let message = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#);
            Answer::Stream(vec![message], Duration::from_millis(10))
        }
        _ => Answer::Result(list(0).to_string()),
    }
}

async fn ask(client: &Client, step: Step, own: &str, foreign: &str) -> Option<Reply> {
    // A slip each, so that a suggestion would be what was not typed.
    let slip = |word: &str| format!("{}_tol_1_0", &word[..word.len() - 1]);
    let call = |name: String| client.call("call_read_tool", json!({"name": name}));
    Some(match step {
        Step::Discover => client.modern("server/discover", json!({})).await,
        Step::Search => {
            let query = format!("tool of {SLIPS}");
            client
                .call("search_tools", json!({"query": query, "limit": 25}))
                .await
        }
        Step::Describe => {
            let names = [format!("{own}_tool_1_0"), slip(own), slip(foreign)];
            client.call("describe_tool", json!({"names": names})).await
        }
        Step::CallOwn => call(format!("{own}_tool_1_0")).await,
        Step::CallForeign => call(slip(foreign)).await,
        Step::Turn(_) | Step::Wait => return None,
    })
}

async fn caller(running: &Running, moods: &Moods, which: usize, steps: &[Step]) -> usize {
    let (name, own) = CALLERS[which];
    let (_, foreign) = CALLERS[1 - which];
    let client = running.client().with_token(name);
    let mut answered = 0;
    for &step in steps {
        match step {
            Step::Turn(mood) => {
                moods
                    .lock()
                    .expect("no panic holds the moods")
                    .insert(name, mood);
            }
            Step::Wait => tokio::time::sleep(Duration::from_millis(15)).await,
            _ => {}
        }
        if let Some(reply) = ask(&client, step, own, foreign).await {
            assert!(
                !reply.body.contains(foreign),
                "{name} sees {foreign}: {}",
                reply.body
            );
            answered += usize::from(reply.body.contains(own));
        }
    }
    answered
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_one_caller_reaches_the_other(
        anna in steps(), bert in steps(), second in steps(), kept in 1..3_usize,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (logs, _guard) = Logs::of_this_thread();
            let moods = Moods::default();
            let script = Arc::clone(&moods);
            let fake = Fake::start(move |seen| answer(&script, seen.token(), seen.method())).await;
            // With room for one, each caller's question puts the other's catalog out.
            let kept = kept.to_string();
            let flags = ["--max-callers", &kept, "--breaker-failures", "0"];
            let running = Running::start(&fake.url, &flags).await;
            // First both well: a test in which nobody sees anything could not fail.
            let well = [Step::Search, Step::CallOwn];
            for which in 0..2 {
                assert_eq!(caller(&running, &moods, which, &well).await, 2);
            }
            tokio::join!(
                caller(&running, &moods, 0, &anna),
                caller(&running, &moods, 1, &bert),
                caller(&running, &moods, 0, &second),
            );
            let metrics = running.metrics().await;
            let mut log = logs.text();
            assert!(metrics.contains("toolsearch_") && log.contains("called a tool"));
            for (_, word) in CALLERS {
                // A tool that was called is named in the log, and nothing else of it.
                log = log.replace(&format!(r#""tool":"{word}_tool_1_0""#), "");
            }
            for (name, word) in CALLERS {
                for (place, text) in [("metrics", &metrics), ("log", &log)] {
                    assert!(!text.contains(word), "{word} in the {place}: {text}");
                    assert!(!text.contains(name), "{name} in the {place}: {text}");
                }
            }
        });
    }
}
