//! What does the proxy do for me? A whole set-up on this machine, in one command.
//!
//! Starts a made-up upstream with hundreds of tools, the proxy in front of it, counts what a
//! client would load without and with it, searches through the MCP endpoint in three languages
//! and prints a client configuration. Nothing leaves the machine.

mod client;
mod phrase;
mod report;
mod server;
mod world;

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use serde_json::Value;
use tokio::net::TcpListener;
use toolsearch_settings::Settings;
use toolsearch_telemetry::{Lifecycle, Phase};

use crate::Proxy;

use client::Client;

pub use server::serve as serve_upstream;
pub use world::{FAILING, Outcome, SLOW, World};

/// The searches of the demo: what is wanted, in three languages.
const QUERIES: [(&str, &str); 3] = [
    ("English", "create an issue about a bug in the checkout"),
    ("Lithuanian", "sukurk naują įvykį kalendoriuje rytojui"),
    ("Japanese", "東京の明日の天気を調べる"),
];

/// The made-up catalog.
///
/// # Errors
/// Never in a build whose tests passed.
pub fn catalog() -> anyhow::Result<Vec<Value>> {
    let json: Value = serde_json::from_str(include_str!("../../eval/data/catalog.json"))?;
    let Value::Array(tools) = json["tools"].clone() else {
        anyhow::bail!("the catalog holds no list of tools");
    };
    Ok(tools)
}

/// Runs the demo; with `once`, ends after the searches.
///
/// # Errors
/// A port is taken, the model cannot be read, or the output is gone: a sentence that says so.
pub async fn run(
    mut settings: Settings,
    once: bool,
    interrupted: Lifecycle,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let tools = catalog()?;
    let upstream = start_upstream(tools.clone()).await?;
    settings.upstream = format!("http://{upstream}/mcp").parse()?;
    if once {
        settings.drain_delay = std::time::Duration::ZERO;
    }
    let proxy = Proxy::bind(settings).await?;
    let (address, lifecycle) = (proxy.address(), proxy.lifecycle());
    let mut running = tokio::spawn(proxy.run());
    tokio::select! {
        () = lifecycle.reached(Phase::Ready) => (),
        ended = &mut running => {
            ended.context("the proxy ended early")??;
            anyhow::bail!("the proxy ended before it was ready");
        }
    }

    let client = Client::new(address)?;
    let definitions = client
        .list()
        .await
        .context("the proxy did not list its tools")?;
    report::tokens(out, &tools, &definitions)?;
    for (language, query) in QUERIES {
        let found = client
            .search(query)
            .await
            .context("a search through the proxy failed")?;
        report::search(out, language, query, &found)?;
    }
    report::configuration(out, address)?;
    if !once {
        writeln!(out, "\nThe demo is up. Press Ctrl-C to end it.")?;
        interrupted.reached(Phase::Draining).await;
    }
    lifecycle.advance(Phase::Draining);
    running.await.context("the proxy ended early")??;
    Ok(())
}

/// Serves the made-up upstream alone, for a demo on a cluster, until told to stop.
///
/// # Errors
/// The address is taken, or the listener failed.
pub async fn run_upstream(address: SocketAddr, interrupted: Lifecycle) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
    let world = Arc::new(World::new(catalog()?));
    tokio::select! {
        ended = server::serve(listener, world) => ended.context("the listener failed"),
        () = interrupted.reached(Phase::Draining) => Ok(()),
    }
}

async fn start_upstream(tools: Vec<Value>) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener =
        listener.context("no free port on the loopback interface for the demo upstream")?;
    let address = listener.local_addr()?;
    tokio::spawn(server::serve(listener, Arc::new(World::new(tools))));
    Ok(address)
}
