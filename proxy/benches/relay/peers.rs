//! What stands on the way? The demo's upstream and our proxy within this process, and other builds of
//! the proxy as processes of their own.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::sleep;
use toolsearch_proxy::{Proxy, demo};
use toolsearch_settings::{add_flags, settings};
use toolsearch_telemetry::Phase;

/// A process that ends with this value.
pub(crate) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) async fn upstream() -> String {
    let tools = demo::catalog().expect("the catalog");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    tokio::spawn(demo::serve_upstream(
        listener,
        Arc::new(demo::World::new(tools)),
    ));
    url
}

pub(crate) async fn ours(upstream: &str) -> String {
    let flags = add_flags(clap::Command::new("bench")).get_matches_from(flags(
        "bench",
        upstream,
        "127.0.0.1:0",
        "127.0.0.1:0",
    ));
    let settings = settings(&flags, std::iter::empty()).expect("settings");
    let proxy = Proxy::bind(settings).await.expect("ports");
    let (url, lifecycle) = (format!("http://{}/mcp", proxy.address()), proxy.lifecycle());
    tokio::spawn(proxy.run());
    lifecycle.reached(Phase::Ready).await;
    url
}

/// Another build, once it is ready.
pub(crate) async fn process(
    client: &reqwest::Client,
    program: &Path,
    upstream: &str,
) -> (Process, String) {
    let (listen, diagnostics) = (free().await, free().await);
    let mut command = Command::new(program);
    command.args(flags("serve", upstream, &listen, &diagnostics));
    let child = command.stdout(Stdio::null()).spawn();
    let process = Process(child.expect("a program"));
    let ready = format!("http://{diagnostics}/readyz");
    let mut is_ready = false;
    for _ in 0..300 {
        let answer = client.get(&ready).send().await;
        is_ready = answer.is_ok_and(|answer| answer.status().is_success());
        if is_ready {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    assert!(is_ready, "{} does not become ready", program.display());
    (process, format!("http://{listen}/mcp"))
}

fn flags(name: &str, upstream: &str, listen: &str, diagnostics: &str) -> [String; 9] {
    [
        name,
        "--upstream",
        upstream,
        "--listen",
        listen,
        "--diagnostics",
        diagnostics,
        "--log-level",
        "off",
    ]
    .map(str::to_owned)
}

/// An address that nobody listens on now.
async fn free() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    listener.local_addr().expect("an address").to_string()
}
