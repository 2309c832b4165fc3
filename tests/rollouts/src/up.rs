//! A cluster for a person: the chart, the demo's upstream and a sample resource, left running.

use anyhow::Context as _;

use crate::Arguments;
use crate::bench::{AGENTS, Bench};

/// Starts it, waits until the sample serves, searches once through the Service, and says how to go
/// on.
pub(crate) fn up(arguments: &Arguments) -> anyhow::Result<()> {
    let mut bench = Bench::start(arguments)?;
    bench.apply(include_str!("../manifests/demo.yaml"))?;
    bench.k("-n mcp rollout status deploy/demo --timeout=60s")?;
    bench.settled("tools", 120)?;
    let search = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"put a meeting into the calendar"}}}"#;
    let address = bench.get("svc/tools")?["spec"]["clusterIP"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let url = format!("http://{address}/mcp");
    let headers = [
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        "mcp-protocol-version: 2025-06-18",
    ];
    let mut words = vec!["-sS", "--fail", "--max-time", "20", "-d", search, &url];
    words.extend(headers.iter().flat_map(|header| ["-H", header]));
    let found = bench
        .cluster
        .command("curl", &words)
        .output()
        .context("curl did not run")?;
    anyhow::ensure!(
        found.status.success(),
        "the search failed: {}",
        String::from_utf8_lossy(&found.stderr)
    );
    let found: serde_json::Value = serde_json::from_slice(&found.stdout)?;
    let text = found["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default();
    let first: String = text
        .lines()
        .take(12)
        .map(|line| format!("  {line}\n"))
        .collect();
    println!(
        "A proxy stands in front of a made-up upstream, in a cluster of two nodes on this machine.\n\n\
         A first search through its Service, \"put a meeting into the calendar\":\n\n{first}\n\
         \x20 export KUBECONFIG={}\n  export PATH={}:$PATH\n\
         \x20 kubectl -n {AGENTS} get tsp,pods\n  kubectl -n {AGENTS} describe tsp tools\n\
         \x20 curl -s {url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\\n\
         \x20   -d '{search}'\n\n\
         Stop it with: tests/cluster/down",
        bench.cluster.kubeconfig().display(),
        bench.cluster.programs().display(),
    );
    bench.cluster.leave()?;
    Ok(())
}
