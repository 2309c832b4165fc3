//! The operator's process: signals and exit codes, what is in its log, and how much memory it takes.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod apiserver;
#[cfg(target_os = "linux")]
mod memory;
mod program;

use std::time::Duration;

use serde_json::Value;

use self::apiserver::Server;
use self::program::{Program, command};

const POD: [(&str, &str); 2] = [("POD_NAME", "operator-0"), ("POD_NAMESPACE", "system")];
const LEASE: &str = "toolsearch-operator";
const ALONE: [&str; 2] = ["--leader-election", "false"];

/// Where writes that begin so are, in the order of all writes.
fn at(written: &[String], beginning: &str) -> Vec<usize> {
    let all = written.iter().enumerate();
    all.filter(|(_, one)| one.starts_with(beginning))
        .map(|(at, _)| at)
        .collect()
}

#[tokio::test]
async fn a3_told_to_end_it_finishes_what_is_under_way_and_gives_the_lease_back() {
    let server = Server::start(&["one", "two"]).await;
    server.hold("deployments");
    let program = Program::start(&server, &["--concurrency", "1"], &POD);
    program.asks(&server, "PATCH deployments").await;
    assert_eq!(server.holder(LEASE), Some("operator-0".into()));
    program.terminate();
    program.says("told to stop").await;
    server.open();
    let (code, lines) = program.ended(None).await;
    assert_eq!(code, Some(0), "{lines:#?}");
    assert!(
        !lines.iter().any(|line| line.contains("given up")),
        "{lines:#?}"
    );
    let written = server.written();
    let made = at(&written, "PATCH deployments");
    assert_eq!(
        made.len(),
        1,
        "the one that waits is not begun: {written:#?}"
    );
    let told = at(&written, "PATCH toolsearchproxies");
    assert!(
        told.last() > made.last(),
        "its status is told: {written:#?}"
    );
    assert_eq!(server.holder(LEASE), Some(Value::Null));
    assert!(
        at(&written, "PATCH leases").last() > told.last(),
        "nothing is written without the lease: {written:#?}"
    );
}

#[tokio::test]
async fn a3_a_second_signal_waits_for_nothing_and_still_gives_the_lease_back() {
    let server = Server::start(&["tools"]).await;
    server.hold("deployments");
    let program = Program::start(&server, &[], &POD);
    program.asks(&server, "PATCH deployments").await;
    program.terminate();
    program.says("Draining").await;
    program.terminate();
    // Less than the ten seconds that one signal gives.
    let (code, lines) = program.ended(Some(Duration::from_secs(9))).await;
    assert_eq!(code, Some(0), "{lines:#?}");
    let line = |part: &str| lines.iter().position(|line| line.contains(part));
    assert!(
        line("Hurrying").is_some() && line("Hurrying") < line("given up"),
        "{lines:#?}"
    );
    assert_eq!(server.holder(LEASE), Some(Value::Null));
    assert!(at(&server.written(), "PATCH deployments").is_empty());
}

/// What a line of the log says, as JSON.
fn read(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))
}

fn assert_names_the_resource(line: &str) {
    let about = &read(line)["span"];
    assert_eq!(about["namespace"], "agents", "{line}");
    assert_eq!(about["resource"], "tools", "{line}");
    assert_eq!(about["generation"], 7, "{line}");
}

#[tokio::test]
async fn m3_lines_are_json_and_those_of_a_reconcile_name_the_resource() {
    let server = Server::start(&["tools"]).await;
    let flags = [
        &ALONE[..],
        &["--log-level", "info,toolsearch_operator=debug"],
    ]
    .concat();
    let program = Program::start(&server, &flags, &[]);
    assert_names_the_resource(&program.says("\"reconciled\"").await);
    program.terminate();
    let (code, lines) = program.ended(None).await;
    assert_eq!(code, Some(0), "{lines:#?}");
    for line in &lines {
        assert!(read(line)["level"].is_string(), "{line}");
    }
}

#[tokio::test]
async fn m3_the_level_is_set_by_a_variable_and_takes_no_name_away() {
    let server = Server::start(&["tools"]).await;
    server.fail("deployments");
    let program = Program::start(
        &server,
        &ALONE,
        &[("TOOLSEARCH_OPERATOR_LOG_LEVEL", "warn")],
    );
    assert_names_the_resource(&program.says("the reconcile failed").await);
    program.terminate();
    let (_, lines) = program.ended(None).await;
    for line in &lines {
        let level = read(line)["level"].clone();
        assert!(level == "WARN" || level == "ERROR", "{line}");
    }
}

#[tokio::test]
async fn m3_a_flag_goes_before_a_variable_and_text_is_for_people() {
    let server = Server::start(&[]).await;
    let variables = [
        ("TOOLSEARCH_OPERATOR_LOG_LEVEL", "off"),
        ("TOOLSEARCH_OPERATOR_LOG_FORMAT", "text"),
    ];
    let flags = [&ALONE[..], &["--log-level", "info"]].concat();
    let program = Program::start(&server, &flags, &variables);
    program.asks(&server, "WATCH toolsearchproxies").await;
    program.terminate();
    let line = program.says("told to stop").await;
    assert!(serde_json::from_str::<Value>(&line).is_err(), "{line}");
    assert!(line.contains("INFO"), "{line}");
    assert_eq!(program.ended(None).await.0, Some(0));
}

/// Flags, variables, and what the error says.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a [&'a str]);

#[test]
fn m3_a_form_or_a_level_that_is_none_is_refused_with_what_may_be() {
    let form = "--log-format must be text or json (it is \"yaml\")";
    let level = "--log-level must be off, error, warn, info, debug or trace, or directives";
    let level_variable = ("TOOLSEARCH_OPERATOR_LOG_LEVEL", "loud");
    let cases: [Case<'_>; 4] = [
        (&["--log-format", "yaml"], &[], &[form]),
        (&["--log-level", "info,kube=loud"], &[], &[level]),
        (&[], &[level_variable], &[level, "(it is \"loud\")"]),
        (&["--log-format", "yaml"], &[level_variable], &[form, level]),
    ];
    for (flags, variables, said) in cases {
        let flags = [&ALONE[..], flags].concat();
        let output = command(&flags, variables).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(64), "{error}");
        for part in said {
            assert!(error.contains(part), "{error}");
        }
    }
}
