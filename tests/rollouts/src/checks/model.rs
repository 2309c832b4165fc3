//! How does a model get to a pod, from a server that behaves and from ones that do not?

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::bench::{AGENTS, Bench, wait};
use crate::table::Table;

const SMALL: &str = "builtin-ml-256-i8-small";

pub(super) fn all(bench: &Bench, table: &mut Table) {
    table.check(
        "F1 a model is fetched, verified and told with its digest",
        || fetched(bench, "fine"),
    );
    table.check("F3 a server that cuts every few megabytes", || {
        fetched(bench, "cut")
    });
    table.check("F4 a server that is busy every other time", || {
        fetched(bench, "busy")
    });
    table.check("F5 a server that redirects", || fetched(bench, "moved"));
    for (manner, reason) in [
        ("wrong", "DigestMismatch"),
        ("closed", "Unauthorized"),
        ("gone", "NotFound"),
        ("silent", "Timeout"),
    ] {
        table.check(&format!("S7 {reason} is told within 60 s"), || {
            refused(bench, manner, reason)
        });
    }
    table.check("S7 Unreachable is told within 60 s", || unreachable(bench));
    table.check("S7 NoSpace is told within 60 s", || full(bench));
    table.check("S7 Tls is told within 60 s", || tls(bench));
    table.check(
        "F5 S10 a token reaches neither the proxy's container nor a log",
        || token(bench),
    );
    table.check(
        "F11 a bad digest stalls the rollout while old pods serve",
        || stalled(bench),
    );
    table.check("a model from an image volume", || image(bench));
    table.check("a model from a claim", || claim(bench));
}

/// The files of a small model, as the resource lists them.
pub(crate) fn files(bench: &Bench, model: &str) -> anyhow::Result<Value> {
    let mut files = Vec::new();
    for path in ["config.json", "tokenizer.json", "model.safetensors"] {
        let file = bench.models.join(model).join(path);
        let size = std::fs::metadata(&file)?.len();
        let sum = std::process::Command::new("sha256sum")
            .arg(&file)
            .output()?;
        let sum = String::from_utf8(sum.stdout)?;
        let digest = sum
            .split_whitespace()
            .next()
            .context("sha256sum printed nothing")?;
        files.push(json!({ "path": path, "sha256": digest, "size": size }));
    }
    Ok(files.into())
}

fn spec(bench: &Bench, manner: &str, timeout: &str) -> anyhow::Result<Value> {
    Ok(json!({
        "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" },
        "replicas": 1,
        "drain": { "delaySeconds": 1, "callSeconds": 5 },
        "model": {
            "http": { "baseUrl": format!("http://mirror.mcp.svc:8001/{manner}/{SMALL}"), "files": files(bench, SMALL)? },
            "fetch": { "timeout": timeout },
        },
    }))
}

fn forget(bench: &Bench) -> anyhow::Result<()> {
    bench.k(&format!("-n {AGENTS} delete tsp/model --ignore-not-found"))?;
    Ok(())
}

fn fetched(bench: &Bench, manner: &str) -> anyhow::Result<String> {
    bench.resource("model", &spec(bench, manner, "2m")?)?;
    let said = bench.reason("model", "ModelAvailable", "Fetched", 90);
    bench.settled("model", 60)?;
    let status = bench.get("tsp/model")?["status"]["model"].clone();
    forget(bench)?;
    let digest = status["manifestDigest"].as_str().unwrap_or_default();
    ensure!(
        digest.starts_with("sha256:") && digest.len() == 71,
        "{status}"
    );
    said
}

fn told(bench: &Bench, reason: &str) -> anyhow::Result<String> {
    let said = bench.reason("model", "ModelAvailable", reason, 60);
    let ready = bench.condition("model", "Ready")?;
    forget(bench)?;
    let said = said?;
    ensure!(said.contains("pod model-"), "no pod is named: {said}");
    ensure!(ready.0 == "False", "{ready:?}");
    Ok(said)
}

fn refused(bench: &Bench, manner: &str, reason: &str) -> anyhow::Result<String> {
    let timeout = if manner == "silent" { "5s" } else { "1m" };
    bench.resource("model", &spec(bench, manner, timeout)?)?;
    told(bench, reason)
}

fn unreachable(bench: &Bench) -> anyhow::Result<String> {
    let mut spec = spec(bench, "fine", "50s")?;
    spec["model"]["http"]["baseUrl"] = "http://mirror.mcp.svc:9/fine/x".into();
    bench.resource("model", &spec)?;
    told(bench, "Unreachable")
}

/// A node whose disk for pods is smaller than the model.
fn full(bench: &Bench) -> anyhow::Result<String> {
    bench.k("drain node-b --ignore-daemonsets --delete-emptydir-data --force --timeout=120s")?;
    let inside = |words: &[&str]| -> anyhow::Result<()> {
        let processes = bench.cluster.node_pids("node-b")?;
        let kubelet = processes
            .iter()
            .find(|process| process.program() == "kubelet");
        let pid = kubelet.context("node-b has no kubelet")?.pid.to_string();
        let ran = std::process::Command::new("nsenter")
            // With its processes too: umount looks for itself in /proc.
            .args(["-t", &pid, "-m", "-p", "--"])
            .args(words)
            .output()?;
        ensure!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        Ok(())
    };
    inside(&[
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "size=6m",
        "tmpfs",
        "/var/lib/kubelet/pods",
    ])?;
    let seen = (|| {
        bench.k("uncordon node-b")?;
        let mut spec = spec(bench, "fine", "1m")?;
        spec["scheduling"] = json!({ "nodeSelector": { "kubernetes.io/hostname": "node-b" } });
        bench.resource("model", &spec)?;
        told(bench, "NoSpace")
    })();
    let pods = || {
        bench.k(&format!(
            "-n {AGENTS} get pods -o name -l app.kubernetes.io/instance=model"
        ))
    };
    let gone = wait(60, || pods().is_ok_and(|left| left.trim().is_empty()));
    inside(&["umount", "-l", "/var/lib/kubelet/pods"])?;
    bench.k("uncordon node-b")?;
    ensure!(gone, "the pod stayed");
    seen
}

fn tls(bench: &Bench) -> anyhow::Result<String> {
    let mut spec = spec(bench, "fine", "1m")?;
    // A server without TLS is asked for it.
    spec["model"]["http"]["baseUrl"] = "https://mirror.mcp.svc:8001/fine/x".into();
    bench.resource("model", &spec)?;
    told(bench, "Tls")
}

fn token(bench: &Bench) -> anyhow::Result<String> {
    // The token goes over TLS only, so the fetch fails; where the token is, is what is looked at.
    bench.k(&format!(
        "-n {AGENTS} create secret generic mirror --from-literal=token=canary-mirror-token"
    ))?;
    let mut spec = spec(bench, "closed", "20s")?;
    spec["model"]["http"]["baseUrl"] = "https://mirror.mcp.svc:8001/closed/x".into();
    spec["model"]["http"]["tokenSecretRef"] = json!({ "name": "mirror", "key": "token" });
    bench.resource("model", &spec)?;
    bench.reason("model", "ModelAvailable", "Tls", 60)?;
    let pod = bench.get("deploy/model")?["spec"]["template"]["spec"].clone();
    let proxy = pod["containers"][0].to_string();
    ensure!(
        !proxy.contains("token") && !proxy.contains("mirror\""),
        "{proxy}"
    );
    ensure!(
        pod["initContainers"][0]["volumeMounts"]
            .to_string()
            .contains("model-token"),
        "the fetch has no token"
    );
    let mut told = bench
        .k("-n toolsearch-system logs -l app.kubernetes.io/name=toolsearch-operator --tail=-1")?;
    told.push_str(&bench.k(&format!("-n {AGENTS} logs -l app.kubernetes.io/instance=model --all-containers --tail=-1 --ignore-errors")).unwrap_or_default());
    told.push_str(&bench.get("tsp/model")?.to_string());
    told.push_str(&bench.k(&format!("-n {AGENTS} get events -o json"))?);
    forget(bench)?;
    bench.k(&format!("-n {AGENTS} delete secret/mirror"))?;
    ensure!(
        !told.contains("canary-mirror-token"),
        "the token is in a log, a status or an Event"
    );
    Ok(String::new())
}

fn stalled(bench: &Bench) -> anyhow::Result<String> {
    bench.resource("model", &spec(bench, "fine", "1m")?)?;
    bench.settled("model", 90)?;
    let mut wrong = spec(bench, "fine", "1m")?;
    wrong["model"]["http"]["files"][2]["sha256"] = "0".repeat(64).into();
    bench.resource("model", &wrong)?;
    let said = bench.reason("model", "ModelAvailable", "DigestMismatch", 60)?;
    let ready = bench.condition("model", "Ready")?;
    ensure!(ready.0 == "True", "{ready:?}");
    bench.resource("model", &spec(bench, "fine", "1m")?)?;
    bench.settled("model", 90)?;
    forget(bench)?;
    Ok(said)
}

fn image(bench: &Bench) -> anyhow::Result<String> {
    let reference = crate::bench::model_image(bench, SMALL)?;
    bench.resource(
        "model",
        &json!({
            "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" }, "replicas": 1,
            "model": { "image": { "reference": reference, "pullPolicy": "Never" } },
            "networkPolicy": { "enabled": true },
        }),
    )?;
    bench.settled("model", 90)?;
    let said = bench.reason("model", "ModelAvailable", "Mounted", 30)?;
    let revision = bench.get("tsp/model")?["status"]["model"]["revision"].clone();
    forget(bench)?;
    ensure!(
        revision
            .as_str()
            .is_some_and(|revision| reference.ends_with(revision)),
        "{revision}"
    );
    Ok(said)
}

/// A claim on a folder of a node, filled beforehand.
fn claim(bench: &Bench) -> anyhow::Result<String> {
    let name = bench
        .folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let list = files(bench, SMALL)?;
    let arguments: String = list
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| {
            format!(
                ", --file, \"{}=sha256:{}\"",
                file["path"].as_str().unwrap_or_default(),
                file["sha256"].as_str().unwrap_or_default()
            )
        })
        .collect();
    let manifest = include_str!("../../manifests/claim.yaml")
        .replace("NAME", &name)
        .replace("FILES", &arguments);
    bench.apply(&manifest)?;
    bench
        .k("-n default wait --for=jsonpath={.status.phase}=Succeeded pod/prepare --timeout=60s")?;
    bench.resource(
        "model",
        &json!({
            "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" }, "replicas": 1,
            "model": { "persistentVolumeClaim": { "claimName": "models", "path": "small" } },
            "scheduling": { "nodeSelector": { "kubernetes.io/hostname": "node-a" } },
        }),
    )?;
    bench.settled("model", 90)?;
    let said = bench.reason("model", "ModelAvailable", "Mounted", 30)?;
    forget(bench)?;
    Ok(said)
}
