//! Lists that change while calls run: tools come, go, and turn from reads into writes and back,
//! under other names for each caller. What may a read tool reach then?
//!
//! A call is decided once, by one list: the newest that the proxy held for this caller at that
//! moment. Nothing can stop the upstream's own list from changing between the decision and the
//! call's arrival, so a call may arrive at what the upstream means to list as a write from now on.
//! That, and no more, is what a race may do. For a call through a read tool that arrives, some list
//! says that the tool is read-only, and this list
//!
//! - is this caller's own;
//! - had been begun when the call arrived: nothing is sent on a list that is still to come;
//! - is not older than the newest list that this caller had been shown when it put the question:
//!   what was replaced for one question is replaced for all that follow.
//!
//! A refusal is held to the same: that a tool may write, or is not there, some such list says.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolsearch_tests::fake::{self, Answer, Fake, Seen};
use toolsearch_tests::{Client, Running};

const TOOLS: u64 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Absent,
    Reads,
    Writes,
}

/// Numbers in no order, the same each time.
fn mixed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |state, number| {
        let state = (state ^ number).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^ (state >> 29)
    })
}

/// What one tool is in one list of one caller, and the mark that says so.
fn listed(caller: u64, list: u64, tool: u64) -> (Kind, &'static str) {
    match mixed(&[caller, list, tool]) % 10 {
        0..=2 => (Kind::Absent, ""),
        3..=5 => (Kind::Reads, r#"{"readOnlyHint":true}"#),
        6 => (Kind::Writes, r#"{"readOnlyHint":"true"}"#),
        7 => (Kind::Writes, "{}"),
        _ => (Kind::Writes, r#"{"readOnlyHint":false}"#),
    }
}

fn list(caller: u64, list: u64) -> String {
    let mut tools = vec![format!(
        r#"{{"name":"marker","description":"Made as list <{list}>.","inputSchema":{{}}}}"#
    )];
    for tool in 0..TOOLS {
        let (kind, marks) = listed(caller, list, tool);
        if kind != Kind::Absent {
            tools.push(format!(
                r#"{{"name":"t{tool}","inputSchema":{{}},"annotations":{marks}}}"#
            ));
        }
    }
    format!("[{}]", tools.join(","))
}

/// What is known of one caller: lists are counted from 1.
#[derive(Debug, Default, Clone, Copy)]
struct Lists {
    begun: u64,
    shown: u64,
}

/// A call as it arrived.
#[derive(Debug)]
struct Arrival {
    caller: u64,
    tool: u64,
    question: u64,
    begun: u64,
}

#[derive(Default)]
struct World {
    /// The longest that a list takes, in milliseconds.
    slowest: u64,
    lists: Mutex<HashMap<u64, Lists>>,
    arrivals: Mutex<Vec<Arrival>>,
    /// By its number: the newest list that had been shown when it was put.
    questions: Mutex<HashMap<u64, u64>>,
    numbers: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics with it")
}

impl World {
    fn of(&self, caller: u64) -> Lists {
        lock(&self.lists).get(&caller).copied().unwrap_or_default()
    }

    /// Whether some list of these says so.
    fn says(caller: u64, lists: RangeInclusive<u64>, tool: u64, kind: Kind) -> bool {
        lists
            .into_iter()
            .any(|list| listed(caller, list, tool).0 == kind)
    }

    fn answer(&self, seen: &Seen) -> Answer {
        let Ok(caller) = seen.token().parse() else {
            return Answer::Status(401, vec![]);
        };
        match seen.method() {
            "tools/list" => {
                let begun = {
                    let mut lists = lock(&self.lists);
                    let lists = lists.entry(caller).or_default();
                    lists.begun += 1;
                    lists.begun
                };
                let tools = list(caller, begun);
                let message =
                    format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"tools":{tools}}}}}"#);
                let pause = Duration::from_millis(mixed(&[begun, caller]) % self.slowest);
                Answer::Stream(vec![message], pause)
            }
            "tools/call" => self.called(seen, caller),
            method => fake::modern(method, "[]"),
        }
    }

    fn called(&self, seen: &Seen, caller: u64) -> Answer {
        let params = &seen.json["params"];
        let name = params["name"].as_str().unwrap_or_default();
        let tool = name.trim_start_matches('t').parse().expect("a tool");
        let question = params["arguments"]["question"].as_u64().expect("a number");
        let begun = self.of(caller).begun;
        let arrival = Arrival {
            caller,
            tool,
            question,
            begun,
        };
        lock(&self.arrivals).push(arrival);
        if listed(caller, begun, tool).0 == Kind::Absent {
            let error = json!({"code": -32602, "message": format!("Unknown tool: {name}")});
            return Answer::Error(200, error.to_string());
        }
        if question.is_multiple_of(16) {
            let error = json!({"code": -32020, "message": "a header is missing"});
            return Answer::Error(400, error.to_string());
        }
        fake::text("read")
    }

    /// A question's number and the newest list that its caller has been shown.
    fn put(&self, caller: u64) -> (u64, u64) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let shown = self.of(caller).shown.max(1);
        lock(&self.questions).insert(number, shown);
        (number, shown)
    }

    async fn look(&self, client: &Client, caller: u64) {
        let reply = client
            .call("describe_tool", json!({"names": ["marker"]}))
            .await;
        let number = reply
            .body
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'));
        let (number, _) = number.expect("the number of a list");
        let number = number.parse::<u64>().expect("a number");
        let mut lists = lock(&self.lists);
        let lists = lists.entry(caller).or_default();
        lists.shown = lists.shown.max(number);
    }

    async fn single(&self, client: &Client, caller: u64, tool: u64) -> bool {
        let (question, shown) = self.put(caller);
        let reply = client
            .call("call_read_tool", asked(tool, question))
            .await
            .text();
        let lists = shown..=self.of(caller).begun;
        for (said, kind) in [
            ("may change something", Kind::Writes),
            ("There is no tool", Kind::Absent),
        ] {
            assert!(
                !reply.contains(said) || Self::says(caller, lists.clone(), tool, kind),
                "caller {caller}, t{tool}, lists {lists:?}: {reply}"
            );
        }
        reply.contains("nothing was called")
    }

    async fn batch(&self, client: &Client, caller: u64) {
        let (question, _) = self.put(caller);
        let calls: Vec<Value> = (0..4)
            .map(|nth| asked(mixed(&[question, nth]) % TOOLS, question))
            .collect();
        client
            .call("call_read_tools", json!({ "calls": calls }))
            .await;
    }

    /// Asks until it has been told to stop; gives how many calls were refused.
    async fn ask(
        &self,
        client: Client,
        caller: u64,
        seed: u64,
        goes_on: fn(Lists, u64) -> bool,
    ) -> u64 {
        let mut refused = 0;
        for step in 0.. {
            if !goes_on(self.of(caller), step) {
                break;
            }
            let dice = mixed(&[caller, seed, step]);
            match dice % 8 {
                0 | 1 => self.look(&client, caller).await,
                2 => self.batch(&client, caller).await,
                _ => refused += u64::from(self.single(&client, caller, dice / 8 % TOOLS).await),
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        refused
    }
}

fn asked(tool: u64, question: u64) -> Value {
    json!({"name": format!("t{tool}"), "arguments": {"question": question}})
}

/// How many lists were begun, and how many calls arrived at what was no read any more by the newest
/// list then begun.
async fn race(
    callers: u64,
    slowest: u64,
    flags: &[&str],
    goes_on: fn(Lists, u64) -> bool,
) -> [u64; 2] {
    let world = Arc::new(World {
        slowest,
        ..World::default()
    });
    let script = Arc::clone(&world);
    let fake = Fake::start(move |seen| script.answer(seen)).await;
    let running = Running::start(&fake.url, flags).await;
    let asking = (0..2 * callers).map(|nth| {
        let caller = nth % callers;
        let client = running.client().with_token(&caller.to_string());
        world.ask(client, caller, nth, goes_on)
    });
    let refused: u64 = join_all(asking).await.into_iter().sum();
    let (mut reached, mut late) = (0, 0);
    for arrival in lock(&world.arrivals).iter() {
        let lists = lock(&world.questions)[&arrival.question]..=arrival.begun;
        assert!(
            World::says(arrival.caller, lists.clone(), arrival.tool, Kind::Reads),
            "reached what no list of {lists:?} calls a read: {arrival:?}"
        );
        let (now, _) = listed(arrival.caller, arrival.begun, arrival.tool);
        reached += 1;
        late += u64::from(now != Kind::Reads);
    }
    let lists = lock(&world.lists).values().map(|lists| lists.begun).sum();
    assert!(
        reached > 100 && refused > 100,
        "{lists} lists, {reached} calls arrived, {late} of them late, {refused} refused"
    );
    [lists, late]
}

/// Lists that outlive their lifetime, and that are asked for again because a name is missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_tool_reaches_reads_only_while_lists_are_refreshed() {
    let flags = ["--catalog-ttl", "1s", "--breaker-failures", "0"];
    let goes_on = |lists: Lists, step| (lists.begun < 4 || step < 30) && step < 20_000;
    let [lists, late] = race(16, 200, &flags, goes_on).await;
    assert!(lists >= 4 * 16 && late > 0, "{lists} {late}");
}

/// Lists that are put out by other callers', so that many a question makes a new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_tool_reaches_reads_only_while_lists_are_evicted() {
    let flags = [
        "--catalog-ttl",
        "1s",
        "--max-callers",
        "1",
        "--breaker-failures",
        "0",
    ];
    let [lists, _] = race(5, 20, &flags, |_, step| step < 60).await;
    assert!(lists > 5 * 4, "{lists}");
}
