//! A proxy that runs: real settings, real sockets on port 0.

use std::net::SocketAddr;

use toolsearch_proxy::{Proxy, StartError};
use toolsearch_settings::{Settings, add_flags, settings};
use toolsearch_telemetry::{Lifecycle, Phase};

use crate::client::Client;

/// A running proxy.
#[derive(Debug)]
pub struct Running {
    /// Where clients connect.
    pub address: SocketAddr,
    /// Where probes and metrics are served.
    pub diagnostics: SocketAddr,
    /// Its phase; advance it to drain.
    pub lifecycle: Lifecycle,
    /// Everything it counts.
    pub registry: prometheus::Registry,
    /// Ends when it has drained.
    pub ended: tokio::task::JoinHandle<Result<(), StartError>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ended.abort();
    }
}

impl Running {
    /// Starts a proxy in front of an upstream, with further flags; search is lexical unless they
    /// say otherwise, because most tests do not need the model.
    ///
    /// # Panics
    /// The flags are wrong, or the proxy does not start.
    pub async fn start(upstream: &str, flags: &[&str]) -> Self {
        let proxy = Proxy::bind(parse(upstream, flags))
            .await
            .expect("free ports");
        let (address, diagnostics) = (proxy.address(), proxy.diagnostics_address());
        let (lifecycle, registry) = (proxy.lifecycle(), proxy.registry());
        let ended = tokio::spawn(proxy.run());
        lifecycle.reached(Phase::Ready).await;
        Self {
            address,
            diagnostics,
            lifecycle,
            registry,
            ended,
        }
    }

    /// A client of this proxy.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(&format!("http://{}/mcp", self.address))
    }

    /// The text of `/metrics`.
    ///
    /// # Panics
    /// The diagnostics do not answer.
    pub async fn metrics(&self) -> String {
        Client::get(&format!("http://{}/metrics", self.diagnostics))
            .await
            .body
    }

    /// The status of a probe.
    ///
    /// # Panics
    /// The diagnostics do not answer.
    pub async fn probe(&self, path: &str) -> u16 {
        Client::get(&format!("http://{}{path}", self.diagnostics))
            .await
            .status
    }
}

/// Settings from flags.
fn parse(upstream: &str, flags: &[&str]) -> Settings {
    let base = [
        "test",
        "--upstream",
        upstream,
        "--listen",
        "127.0.0.1:0",
        "--diagnostics",
        "127.0.0.1:0",
    ];
    let lexical: &[&str] = if flags.contains(&"--embedder") {
        &[]
    } else {
        &["--embedder", "none"]
    };
    let drain: &[&str] = if flags.contains(&"--drain-delay") {
        &[]
    } else {
        &["--drain-delay", "0s"]
    };
    let all = base
        .iter()
        .chain(lexical)
        .chain(drain)
        .chain(flags)
        .copied();
    let matches = add_flags(clap::Command::new("test")).get_matches_from(all);
    settings(&matches, std::iter::empty()).expect("right settings")
}
