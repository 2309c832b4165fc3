//! The cluster itself: it carries what tests need, refuses a second one, and leaves nothing.
//!
//! Root and Linux only: run by `tests/run cluster`, not by the tests of the workspace.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot do what it does has failed"
)]

mod pods;

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolsearch_cluster::{Cluster, Error, Options, Traces, counts, down};

/// There is one place for a cluster, and tests run at the same time.
static PLACE: Mutex<()> = Mutex::new(());

fn place() -> MutexGuard<'static, ()> {
    let guard = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    toolsearch_cluster::build().unwrap();
    // Rules of what a person left running would be taken for ours.
    down(false).unwrap();
    guard
}

#[test]
fn it_carries_what_tests_need_and_leaves_nothing() {
    let _place = place();
    let before = Traces::now().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let image = pods::image(folder.path());
    let cluster = Cluster::up(&Options {
        images: vec![image.clone()],
        ..Options::default()
    })
    .unwrap();

    assert!(matches!(
        Cluster::up(&Options::default()),
        Err(Error::Busy(_))
    ));
    assert!(matches!(down(false), Err(Error::Busy(_))));

    cluster.apply(pods::MANIFEST).unwrap();
    for name in ["server", "client"] {
        let what = format!("deployment/{name}");
        cluster
            .kubectl(&["rollout", "status", &what, "--timeout=120s"])
            .unwrap();
    }
    let ask = |host: &str| pods::ask(&cluster, host);
    pods::eventually("the service answers by its short name", || ask("server"));
    pods::eventually("and by its full one", || {
        ask("server.default.svc.cluster.local")
    });

    cluster.apply(pods::DENY).unwrap();
    pods::eventually("the policy refuses", || !ask("server"));
    cluster
        .kubectl(&["delete", "networkpolicy", "nobody"])
        .unwrap();
    pods::eventually("and lets pass when it is gone", || ask("server"));

    pods::eventually("there are figures of the pod", || {
        let top = cluster.kubectl(&["top", "pods", "--no-headers"]);
        top.is_ok_and(|text| text.contains("server-"))
    });
    assert!(
        cluster
            .helm(&["version", "--short"])
            .unwrap()
            .starts_with("v4.")
    );

    let writes = cluster.audit_writes().unwrap();
    assert!(counts(&writes)[&("admin".to_owned(), "create".to_owned())] > 0);
    assert!(!writes.iter().any(|write| write.verb == "get"));

    a_program_inside_ends_with_its_handle(&cluster);
    a_node_is_lost_and_comes_back(&cluster);
    cluster.load(&image).unwrap();

    cluster.down().unwrap();
    let left = before.difference(&Traces::now().unwrap());
    assert!(left.is_empty(), "{left:#?}");
}

fn a_program_inside_ends_with_its_handle(cluster: &Cluster) {
    // A number that nothing else on the machine waits for.
    let mut load = cluster.command("sleep", &["98765"]).spawn().unwrap();
    let runs = || pods::running("sleep\098765\0");
    pods::eventually("it runs", runs);
    load.kill().unwrap();
    load.wait().unwrap();
    pods::eventually("it is gone", || !runs());
}

fn a_node_is_lost_and_comes_back(cluster: &Cluster) {
    let pids = cluster.node_pids("node-b").unwrap();
    assert!(pids.iter().any(|process| process.program() == "kubelet"));
    cluster.node_kill("node-b").unwrap();
    assert!(
        pids.iter()
            .all(|process| process.program() != "kubelet" || !process.is_alive())
    );
    assert!(cluster.node_pids("node-b").is_err());
    assert!(cluster.node_kill("node-c").is_err());
    cluster.node_up("node-b").unwrap();
    assert!(cluster.node_up("node-b").is_err());
    cluster.link("node-b", false).unwrap();
    cluster.link("node-b", true).unwrap();
}

#[test]
fn a_killed_harness_leaves_nothing_running_and_the_next_one_starts() {
    let _place = place();
    let before = Traces::now().unwrap();
    let program = env!("CARGO_BIN_EXE_toolsearch-cluster");
    let mut up = Command::new(program)
        .arg("up")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Killed where most is half done.
    let lines = BufReader::new(up.stderr.take().unwrap()).lines();
    let at = lines
        .map(Result::unwrap)
        .find(|line| line.contains("starting the nodes"));
    assert!(at.is_some(), "it came as far as the nodes");
    std::thread::sleep(std::time::Duration::from_secs(2));
    up.kill().unwrap();
    up.wait().unwrap();
    pods::eventually("no process is left", || {
        let left = before.difference(&Traces::now().unwrap());
        !left.iter().any(|line| line.starts_with("new in processes"))
    });

    let run = |command: &str| Command::new(program).arg(command).status().unwrap();
    assert!(run("up").success(), "what was left over is no hindrance");
    assert!(Cluster::found().unwrap().kubectl(&["get", "nodes"]).is_ok());
    assert_eq!(
        run("up").code(),
        Some(75),
        "one that is left running is not replaced"
    );
    assert!(run("down").success());
    assert!(matches!(Cluster::found(), Err(Error::Absent)));
    let left = before.difference(&Traces::now().unwrap());
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn a_start_that_fails_leaves_nothing() {
    let _place = place();
    let before = Traces::now().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.tar");
    std::fs::write(&broken, "no archive").unwrap();
    let error = Cluster::up(&Options {
        nodes: 1,
        images: vec![broken],
        keep: false,
    })
    .unwrap_err();
    assert!(matches!(error, Error::Command { .. }), "{error}");
    let left = before.difference(&Traces::now().unwrap());
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn who_is_not_root_is_told_and_nothing_is_started() {
    let folder = tempfile::tempdir().unwrap();
    // Where a user may read it: the folder of the build may be root's alone.
    let program = folder.path().join("toolsearch-cluster");
    std::fs::copy(env!("CARGO_BIN_EXE_toolsearch-cluster"), &program).unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let mut user = Command::new("setpriv");
    user.args(["--reuid", "65534", "--clear-groups"])
        .arg(&program);
    let done = user.arg("up").output().unwrap();
    assert_eq!(done.status.code(), Some(69));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("root") && said.contains("kind"), "{said}");
}
