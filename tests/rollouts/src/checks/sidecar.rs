//! Does the printed fragment run the proxy beside a gateway, without a hop?

use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::json;

use crate::bench::{AGENTS, Bench, manifest};
use crate::table::Table;

pub(super) fn all(bench: &Bench, table: &mut Table) {
    table.check(
        "a sidecar serves a gateway on loopback and ends after it",
        || sidecar(bench),
    );
    table.check("render prints what the operator applies", || render(bench));
}

fn printed(bench: &Bench, more: &[&str]) -> anyhow::Result<String> {
    let spec = json!({ "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" }, "drain": { "delaySeconds": 1, "callSeconds": 5 } });
    let file = bench.folder.join("resource.json");
    std::fs::write(&file, manifest("rendered", &spec).to_string())?;
    let ran = Command::new(&bench.operator)
        .args([
            "render",
            "--proxy-image",
            "localhost/toolsearch:a",
            "--proxy-image-pull-policy",
            "Never",
            "-f",
        ])
        .arg(&file)
        .args(more)
        .output()?;
    ensure!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).context("it is no text")
}

fn sidecar(bench: &Bench) -> anyhow::Result<String> {
    let fragment: String = printed(bench, &["--sidecar"])?
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect();
    // The gateway's user is another one than the proxy's.
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{ name: gateway, namespace: {AGENTS} }}\nspec:\n{fragment}  \
         restartPolicy: Never\n  automountServiceAccountToken: false\n  \
         securityContext: {{ runAsNonRoot: true, runAsUser: 1000, seccompProfile: {{ type: RuntimeDefault }} }}\n  \
         containers:\n    - name: gateway\n      image: localhost/toolsearch-load:a\n      imagePullPolicy: Never\n      \
         args: [clients, \"127.0.0.1:8080\", --seconds, \"5\", --kept, \"2\", --fresh, \"1\", --long, \"0\", --whole, \"2\"]\n      \
         securityContext: {{ allowPrivilegeEscalation: false, capabilities: {{ drop: [ALL] }} }}\n"
    );
    bench.apply(&pod)?;
    let done = bench.k(&format!(
        "-n {AGENTS} wait --for=jsonpath={{.status.phase}}=Succeeded pod/gateway --timeout=60s"
    ));
    let log = bench.k(&format!("-n {AGENTS} logs gateway -c gateway"))?;
    bench.k(&format!("-n {AGENTS} delete pod/gateway"))?;
    done?;
    ensure!(log.contains("\"failed\":0"), "{log}");
    Ok(log.trim().chars().take(60).collect())
}

fn render(bench: &Bench) -> anyhow::Result<String> {
    let objects = printed(bench, &[])?;
    bench.apply(&objects)?;
    let done = bench.k(&format!(
        "-n {AGENTS} rollout status deploy/rendered --timeout=60s"
    ));
    let file = bench.folder.join("rendered.yaml");
    std::fs::write(&file, &objects)?;
    bench.kubectl(&["delete", "--wait=false", "-f", &file.display().to_string()])?;
    done
}
