//! An upstream that falls silent or breaks off: a read says that it can be tried again, a write that
//! its outcome is not known, and is never sent again.

use std::time::Duration;

use serde_json::json;
use toolsearch_tests::Running;
use toolsearch_tests::fake::{Answer, Fake};

const TOOLS: &str = r#"[{"name":"look","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"paint","inputSchema":{}}]"#;
const UNKNOWN: &str = "Whether the call was carried out is not known, and it was not sent again.";

/// What a read and a write are told by this upstream, and how often each was sent.
async fn told(answer: Answer, flags: &[&str]) -> [(String, usize); 2] {
    let fake = Fake::modern(TOOLS, move |_| answer.clone()).await;
    let running = Running::start(&fake.url, flags).await;
    let client = running.client();
    let read = client.call("call_read_tool", json!({"name": "look"})).await;
    let reads = fake.seen_of("tools/call").len();
    let write = client
        .call("call_write_tool", json!({"name": "paint"}))
        .await;
    assert!(
        read.is_error() && write.is_error(),
        "{} {}",
        read.body,
        write.body
    );
    let writes = fake.seen_of("tools/call").len() - reads;
    [(read.text(), reads), (write.text(), writes)]
}

#[tokio::test]
async fn a_broken_answer_is_asked_for_again_only_of_a_read() {
    let [(read, reads), (write, writes)] = told(Answer::Broken, &[]).await;
    assert!(read.contains("can safely be tried again"), "{read}");
    assert!(write.contains(UNKNOWN), "{write}");
    assert_eq!((reads, writes), (2, 1));
}

#[tokio::test]
async fn a_tool_may_have_a_time_of_its_own() {
    let silent = |time| Answer::Worked {
        workers: std::sync::Arc::new(tokio::sync::Semaphore::new(9)),
        time: Duration::from_millis(time),
        result: r#"{"content":[]}"#.to_owned(),
    };
    let begun = |time| {
        let answer = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#.to_owned();
        let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#.to_owned();
        Answer::Stream(vec![note, answer], Duration::from_millis(time))
    };
    // More time than the first byte and a silence may take otherwise.
    for answer in [silent(1200), begun(800)] {
        let fake = Fake::modern(TOOLS, move |_| answer.clone()).await;
        let mut flags = vec!["--tool-timeouts", "pain*=30s,paint=100ms"];
        for flag in ["first-byte", "idle", "connect"] {
            flags.extend([format!("--upstream-{flag}-timeout").leak() as &str, "300ms"]);
        }
        let running = Running::start(&fake.url, &flags).await;
        let client = running.client();
        let write = client.call("call_write_tool", json!({"name": "paint"}));
        let read = client.call("call_read_tool", json!({"name": "look"}));
        let (write, read) = tokio::join!(write, read);
        assert!(!write.is_error(), "{}", write.body);
        assert!(
            read.text().contains("did not answer in time"),
            "{}",
            read.body
        );
    }
    // And less than the whole.
    let silence = Answer::Silence(Duration::from_secs(20));
    let [(read, reads), (write, writes)] =
        told(silence, &["--tool-timeouts", "{look,paint}=300ms"]).await;
    assert!(read.contains("did not answer in time"), "{read}");
    assert!(write.contains(UNKNOWN), "{write}");
    assert_eq!((reads, writes), (1, 1));
}

#[tokio::test]
async fn each_limit_of_time_ends_a_call_and_nothing_is_sent_again() {
    let pings = || {
        let ping = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#.to_owned();
        Answer::Stream(vec![ping; 100], Duration::from_millis(50))
    };
    for (answer, flags) in [
        (
            Answer::Silence(Duration::from_secs(20)),
            // The connection's time comes on top.
            [
                "--upstream-first-byte-timeout",
                "200ms",
                "--upstream-connect-timeout",
                "200ms",
            ],
        ),
        (
            Answer::Stream(vec![String::new()], Duration::from_secs(20)),
            [
                "--upstream-idle-timeout",
                "200ms",
                "--upstream-connect-timeout",
                "200ms",
            ],
        ),
        (
            pings(),
            [
                "--upstream-total-timeout",
                "400ms",
                "--upstream-connect-timeout",
                "200ms",
            ],
        ),
    ] {
        let [(read, reads), (write, writes)] = told(answer, &flags).await;
        assert!(read.contains("did not answer in time"), "{flags:?}: {read}");
        assert!(write.contains(UNKNOWN), "{flags:?}: {write}");
        assert_eq!((reads, writes), (1, 1), "{flags:?}");
    }
}
