//! Four kinds of clients: connections that are kept, a new connection for each call, long calls
//! with progress, and whole conversations of both eras. None of them ever retries.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use serde_json::json;
use tokio::time::sleep;

use crate::connection::{Connection, Failure};
use crate::message::{LEGACY, MODERN, Message, call, initialized, message, nonce};
use crate::report::Report;

/// Who calls, and for how long.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Plan {
    /// `host:port` of the proxy
    address: String,
    /// Seconds to go on for
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Go on until this file exists, instead
    #[arg(long)]
    until: Option<PathBuf>,
    /// Seconds to wait for a first connection before anything counts: a network policy takes a
    /// moment to know a new pod
    #[arg(long, default_value_t = 0)]
    patience: u64,
    /// Clients that keep their connection
    #[arg(long, default_value_t = 20)]
    kept: usize,
    /// Clients that connect anew for each call
    #[arg(long, default_value_t = 5)]
    fresh: usize,
    /// Long calls that begin each second
    #[arg(long, default_value_t = 1)]
    long: usize,
    /// Clients that hold whole conversations
    #[arg(long, default_value_t = 4)]
    whole: usize,
    /// The longest pause between two calls of one client, in milliseconds
    #[arg(long, default_value_t = 100)]
    think: u64,
}

/// Runs the plan and prints the summary.
pub(crate) async fn run(plan: Plan) -> anyhow::Result<ExitCode> {
    let begin = Instant::now() + Duration::from_secs(plan.patience);
    while Instant::now() < begin && Connection::open(&plan.address).await.is_err() {
        sleep(Duration::from_millis(200)).await;
    }
    let report = Arc::new(Report::default());
    let plan = Arc::new(plan);
    let end = Instant::now() + Duration::from_secs(plan.seconds);
    let mut tasks = Vec::new();
    for (kind, count) in [
        ("kept", plan.kept),
        ("fresh", plan.fresh),
        ("whole", plan.whole),
    ] {
        for number in 0..count {
            let (plan, report) = (Arc::clone(&plan), Arc::clone(&report));
            tasks.push(tokio::spawn(async move {
                match kind {
                    "kept" => kept(&plan, end, &report).await,
                    "fresh" => fresh(&plan, end, &report).await,
                    _ => whole(&plan, end, number.is_multiple_of(2), &report).await,
                }
            }));
        }
    }
    while !is_over(&plan, end) {
        for _ in 0..plan.long {
            let (plan, report) = (Arc::clone(&plan), Arc::clone(&report));
            tasks.push(tokio::spawn(async move { long(&plan, &report).await }));
        }
        sleep(Duration::from_secs(1)).await;
    }
    for task in tasks {
        task.await?;
    }
    let summary = report.summary();
    #[expect(clippy::print_stdout, reason = "the program's answer")]
    {
        println!("{summary}");
    }
    Ok(if summary["failed"] == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn is_over(plan: &Plan, end: Instant) -> bool {
    plan.until
        .as_ref()
        .map_or_else(|| Instant::now() >= end, |file| file.exists())
}

async fn think(plan: &Plan) {
    let share = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
    sleep(Duration::from_millis(plan.think).mul_f64(share)).await;
}

/// The answer holds what was asked for.
fn holds(answer: &str, wanted: &str) -> Result<(), Failure> {
    if answer.contains(wanted) {
        Ok(())
    } else {
        Err(Failure::Content)
    }
}

fn echo(era: &'static str) -> (Message, String) {
    let nonce = nonce();
    let tool = if nonce.starts_with(['0', '1', '2']) {
        "slow"
    } else {
        "echo"
    };
    (
        call(era, "call_read_tool", tool, &nonce, false),
        format!("nonce={nonce}"),
    )
}

async fn kept(plan: &Plan, end: Instant, report: &Report) {
    let mut connection = None;
    while !is_over(plan, end) {
        let began = Instant::now();
        let ended = async {
            let mut open = match connection.take().filter(Connection::is_usable) {
                Some(open) => open,
                None => Connection::open(&plan.address).await?,
            };
            let (message, wanted) = echo(LEGACY);
            let answer = open.send(&message).await?;
            connection = Some(open);
            holds(&answer, &wanted)
        }
        .await;
        report.count("kept", began, ended);
        think(plan).await;
    }
}

async fn once(plan: &Plan, message: &Message, wanted: &str) -> Result<(), Failure> {
    let mut connection = Connection::open(&plan.address).await?;
    holds(&connection.send(message).await?, wanted)
}

async fn fresh(plan: &Plan, end: Instant, report: &Report) {
    while !is_over(plan, end) {
        let began = Instant::now();
        let (message, wanted) = echo(MODERN);
        report.count("fresh", began, once(plan, &message, &wanted).await);
        think(plan).await;
    }
}

async fn long(plan: &Plan, report: &Report) {
    let began = Instant::now();
    let nonce = nonce();
    let message = call(LEGACY, "call_read_tool", "long", &nonce, true);
    report.count(
        "long",
        began,
        once(plan, &message, &format!("nonce={nonce}")).await,
    );
}

/// Says hello, lists the tools, searches, reads and writes, each on a connection that is kept.
async fn whole(plan: &Plan, end: Instant, modern: bool, report: &Report) {
    let (kind, era) = if modern {
        ("whole 2026-07-28", MODERN)
    } else {
        ("whole 2025-06-18", LEGACY)
    };
    while !is_over(plan, end) {
        let nonce = nonce();
        let hello = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "load", "version": "1" } });
        let mut steps = if modern {
            vec![(
                message(era, "server/discover", json!({})),
                "supportedVersions".to_owned(),
            )]
        } else {
            vec![
                (
                    message(era, "initialize", hello),
                    "protocolVersion".to_owned(),
                ),
                (initialized(), String::new()),
            ]
        };
        let search = json!({ "name": "search_tools", "arguments": { "query": "echo" } });
        steps.push((
            message(era, "tools/list", json!({})),
            "call_read_tools".to_owned(),
        ));
        steps.push((message(era, "tools/call", search), "echo".to_owned()));
        steps.push((
            call(era, "call_read_tool", "echo", &nonce, false),
            format!("nonce={nonce}"),
        ));
        steps.push((
            call(era, "call_write_tool", "note", &nonce, false),
            format!("nonce={nonce}"),
        ));
        let mut connection: Option<Connection> = None;
        for (message, wanted) in steps {
            let began = Instant::now();
            let ended = async {
                let mut open = match connection.take().filter(Connection::is_usable) {
                    Some(open) => open,
                    None => Connection::open(&plan.address).await?,
                };
                let answer = open.send(&message).await?;
                connection = Some(open);
                holds(&answer, &wanted)
            }
            .await;
            report.count(kind, began, ended);
        }
        think(plan).await;
    }
}
