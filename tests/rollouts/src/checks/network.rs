//! Is the rendered policy enforced, with what the proxy needs let through and the rest refused?

use anyhow::ensure;
use serde_json::json;

use crate::bench::{AGENTS, Bench, wait};
use crate::table::Table;

pub(super) fn all(bench: &Bench, table: &mut Table) {
    table.check(
        "the network policy lets through what is needed and nothing else",
        || policy(bench),
    );
    table.check(
        "a name of the upstream that changes its address is followed",
        || moved(bench),
    );
}

/// Whether a call through the Service goes through, from a pod with these labels.
fn calls(bench: &Bench, namespace: &str, labels: &str, address: &str) -> bool {
    let name = format!("caller-{}", labels.replace('=', "-"));
    let ran = bench.kubectl(&[
        "-n", namespace, "run", &name, "--image=localhost/toolsearch-load:a", "--image-pull-policy=Never",
        "--restart=Never", "--rm", "--attach", "--quiet", "--pod-running-timeout=60s", "--labels", labels,
        "--overrides",
        r#"{"spec":{"automountServiceAccountToken":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65532,"seccompProfile":{"type":"RuntimeDefault"}}}}"#,
        "--override-type=strategic",
        "--command", "--", "/usr/local/bin/toolsearch-load", "clients", address, "--patience",
        "5",
        "--seconds", "2",
        "--kept", "1", "--fresh", "0", "--long", "0", "--whole", "0",
    ]);
    ran.is_ok_and(|printed| printed.contains("\"failed\":0") && !printed.contains("\"calls\":0"))
}

fn policy(bench: &Bench) -> anyhow::Result<String> {
    // A namespace of its own, without the restricted standard: the callers are made by hand.
    bench.k("create namespace callers")?;
    bench.k("label namespace callers team=callers")?;
    let address = "tools.agents.svc.cluster.local:80";
    ensure!(
        calls(bench, "callers", "app=open", address),
        "without a policy a call does not go through"
    );
    let peers =
        json!([{ "namespaceLabels": { "team": "callers" }, "podLabels": { "app": "friend" } }]);
    let upstream =
        json!([{ "namespaceLabels": { "team": "mcp" }, "podLabels": { "app": "upstream" } }]);
    bench.patch(
        "tools",
        &json!({ "networkPolicy": { "enabled": true, "allowFrom": peers, "allowTo": upstream } }),
    )?;
    ensure!(
        wait(20, || bench.get("networkpolicy/tools").is_ok()),
        "no policy was made"
    );
    ensure!(
        wait(30, || !calls(bench, "callers", "app=stranger", address)),
        "a stranger's call goes through"
    );
    ensure!(
        calls(bench, "callers", "app=friend", address),
        "a friend's call does not go through"
    );
    // Probes, DNS and the upstream go on, and nothing else does.
    bench.reason("tools", "UpstreamReachable", "UpstreamAnswers", 60)?;
    bench.settled("tools", 30)?;
    bench.patch(
        "tools",
        &json!({ "upstream": { "url": "http://mirror.mcp.svc:8001/mcp" } }),
    )?;
    let refused = bench.reason("tools", "UpstreamReachable", "UpstreamUnreachable", 120)?;
    bench.patch("tools", &json!({ "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" }, "networkPolicy": null }))?;
    bench.settled("tools", 120)?;
    bench.k("delete namespace callers --wait=false")?;
    Ok(refused)
}

/// A Service without an address of its own: its name leads to the pod, and then to another.
fn moved(bench: &Bench) -> anyhow::Result<String> {
    const NAME: &str = "moving";
    let addresses = || {
        let listed = "-n mcp get pods -l app=upstream -o jsonpath={.items[*].status.podIP}";
        bench.k(listed)
    };
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": NAME, "namespace": "mcp" },
        "spec": { "clusterIP": "None", "selector": { "app": "upstream" }, "ports": [{ "port": 8000 }] },
    });
    bench.apply(&service.to_string())?;
    bench.resource(
        NAME,
        &json!({ "upstream": { "url": format!("http://{NAME}.mcp.svc:8000/mcp") }, "replicas": 1 }),
    )?;
    bench.reason(NAME, "UpstreamReachable", "UpstreamAnswers", 60)?;
    let before = addresses()?;
    bench.k("-n mcp rollout restart deploy/upstream")?;
    bench.k("-n mcp rollout status deploy/upstream --timeout=90s")?;
    let has_gone = || {
        addresses().is_ok_and(|now| {
            let mut now = now.split_whitespace();
            now.all(|one| !before.split_whitespace().any(|old| old == one))
        })
    };
    ensure!(wait(60, has_gone), "the upstream stays at {before}");
    bench.k("create namespace movers")?;
    let address = format!("{NAME}.{AGENTS}.svc.cluster.local:80");
    let goes_on = wait(60, || calls(bench, "movers", "app=mover", &address));
    let said = format!("from {before} to {}", addresses()?);
    bench.k(&format!("-n {AGENTS} delete tsp/{NAME}"))?;
    bench.k(&format!("-n mcp delete service/{NAME}"))?;
    bench.k("delete namespace movers --wait=false")?;
    ensure!(goes_on, "no call goes through {said}");
    Ok(said)
}
