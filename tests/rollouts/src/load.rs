//! Does anybody notice? Clients of four kinds call through the Service all the time, while
//! everything that can change does; not one call may fail. Then the same with what makes it so
//! taken away, where calls must fail: a test that cannot fail shows nothing.

mod clients;
mod generations;

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::bench::{AGENTS, Bench, SYSTEM, wait};
use crate::load::clients::Clients;
use crate::load::generations::Generations;
use crate::table::Table;

/// Runs the proof and its controls.
pub(crate) fn all(bench: &Bench, table: &mut Table) {
    table.check("load: nobody notices any change", || proof(bench));
    table.check("control: without a drain calls fail", || no_drain(bench));
    table.check("control: killed pods cost calls", || killed(bench));
    table.check(
        "an autoscaler adds pods under load, and no call fails",
        || scales(bench),
    );
    table.check("control: readiness that is always true costs calls", || {
        always_ready(bench)
    });
}

fn base() -> Value {
    json!({
        "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" },
        "replicas": 2,
        // Longer than the long calls take.
        "drain": { "delaySeconds": 8, "callSeconds": 40 },
        "resources": { "requests": { "cpu": "100m", "memory": "128Mi" } },
    })
}

/// A change under load, and how it is made.
type Change = (&'static str, fn(&Bench, usize) -> anyhow::Result<()>);

const CHANGES: &[Change] = &[
    ("image", |bench, turn| {
        let tag = if turn.is_multiple_of(2) { "b" } else { "a" };
        bench.patch(
            "busy",
            &json!({ "image": format!("localhost/toolsearch:{tag}") }),
        )?;
        bench.settled("busy", 240)
    }),
    ("write tools", |bench, turn| {
        bench.patch(
            "busy",
            &json!({ "writeTools": ["note", format!("turn_{turn}")] }),
        )?;
        bench.settled("busy", 240)
    }),
    ("model", |bench, turn| {
        // A fetched model from a slow server, and back.
        let model = if turn.is_multiple_of(2) {
            let http = json!({
                "baseUrl": "http://mirror.mcp.svc:8001/slow/tiny-ml-64-vq",
                "files": crate::checks::model::files(bench, "tiny-ml-64-vq")?,
            });
            json!({ "builtin": null, "none": null, "http": http })
        } else {
            json!({ "builtin": {}, "none": null, "http": null })
        };
        bench.patch("busy", &json!({ "model": model }))?;
        bench.settled("busy", 240)
    }),
    ("scale", |bench, _| {
        for count in [4, 2] {
            bench.patch("busy", &json!({ "replicas": count }))?;
            bench.settled("busy", 240)?;
        }
        Ok(())
    }),
    ("rollout restart", |bench, _| {
        bench.k(&format!("-n {AGENTS} rollout restart deploy/busy"))?;
        sleep(Duration::from_secs(2));
        bench.settled("busy", 240)
    }),
    ("pod delete", |bench, _| {
        let pod = first_pod(bench)?;
        bench.k(&format!("-n {AGENTS} delete {pod} --wait=false"))?;
        sleep(Duration::from_secs(2));
        bench.settled("busy", 240)
    }),
    ("node drain", |bench, _| {
        bench
            .k("drain node-b --ignore-daemonsets --delete-emptydir-data --timeout=180s --force")?;
        bench.k("uncordon node-b")?;
        bench.settled("busy", 240)
    }),
    ("operator upgrade", |bench, turn| {
        let tag = if turn.is_multiple_of(2) {
            "image.tag=b"
        } else {
            "image.tag=a"
        };
        bench.install(&[
            tag,
            "proxyImage.registry=localhost",
            "proxyImage.repository=toolsearch",
            "proxyImage.tag=a",
        ])
    }),
    ("operator kill during a rollout", |bench, turn| {
        bench.patch("busy", &json!({ "readTools": [format!("turn_{turn}")] }))?;
        sleep(Duration::from_secs(3));
        bench.k(&format!(
            "-n {SYSTEM} delete pods --all --grace-period=0 --force --wait=false"
        ))?;
        bench.settled("busy", 240)
    }),
    ("bad digest", |bench, turn| {
        let files: Vec<Value> = [
            ("config.json", 353),
            ("tokenizer.json", 469_828),
            ("model.safetensors", 93_016),
        ]
        .iter()
        .map(|(path, size)| json!({ "path": path, "sha256": "0".repeat(64), "size": size }))
        .collect();
        let wrong = json!({ "builtin": null, "none": null, "http": {
            "baseUrl": "http://mirror.mcp.svc:8001/fine/tiny-ml-64-vq", "files": files,
        } });
        bench.patch("busy", &json!({ "model": wrong }))?;
        bench.reason("busy", "ModelAvailable", "DigestMismatch", 90)?;
        let back = if turn.is_multiple_of(2) {
            json!({ "none": {}, "builtin": null, "http": null })
        } else {
            json!({ "builtin": {}, "none": null, "http": null })
        };
        bench.patch("busy", &json!({ "model": back }))?;
        bench.settled("busy", 240)
    }),
    ("unpullable image", |bench, turn| {
        bench.patch("busy", &json!({ "image": "localhost/toolsearch:nowhere" }))?;
        bench.reason("busy", "Progressing", "ImagePull", 90)?;
        let tag = if turn.is_multiple_of(2) { "b" } else { "a" };
        bench.patch(
            "busy",
            &json!({ "image": format!("localhost/toolsearch:{tag}") }),
        )?;
        bench.settled("busy", 240)
    }),
];

/// The changes after which the pods have a template that none had before.
const NEW_TEMPLATES: &[&str] = &[
    "image",
    "write tools",
    "model",
    "rollout restart",
    "operator kill during a rollout",
];

/// A pod that stays as far as anybody knows: one that a rollout before has ended is listed for a
/// while, and gone in the next moment.
fn first_pod(bench: &Bench) -> anyhow::Result<String> {
    let pods = bench.get("pods -l app.kubernetes.io/instance=busy")?;
    let mut pods = pods["items"].as_array().into_iter().flatten();
    let pod = pods.find(|pod| pod["metadata"]["deletionTimestamp"].is_null());
    let name = pod.and_then(|pod| pod["metadata"]["name"].as_str());
    Ok(format!("pod/{}", name.context("there is no pod")?))
}

/// The resource under load as new, whatever a check before has left.
fn anew(bench: &Bench) -> anyhow::Result<()> {
    bench.k(&format!("-n {AGENTS} delete tsp/busy --ignore-not-found"))?;
    ensure!(
        wait(60, || bench.get("deploy/busy").is_err()),
        "the Deployment stays"
    );
    bench.resource("busy", &base())?;
    bench.settled("busy", 90)
}

fn proof(bench: &Bench) -> anyhow::Result<String> {
    anew(bench)?;
    let calm = Clients::start(bench, "busy")?;
    sleep(Duration::from_secs(20));
    let calm = calm.stop()?;
    let mut generations = Generations::watch(bench, "busy")?;
    let clients = Clients::start(bench, "busy")?;
    let mut made = Vec::new();
    let mut trouble = None;
    'rounds: for turn in 0..bench.repeats {
        for (name, change) in CHANGES {
            let began = Instant::now();
            if let Err(error) = change(bench, turn) {
                trouble = Some(error.context(*name));
                break 'rounds;
            }
            made.push((*name, began.elapsed().as_secs_f32()));
            generations.look(bench)?;
        }
    }
    let summary = clients.stop()?;
    if let Some(error) = trouble {
        return Err(error.context(summary.to_string()));
    }
    generations.look(bench)?;
    let served = generations.served();
    if let Some(record) = &bench.record {
        let changes: Vec<Value> = made
            .iter()
            .map(|(name, seconds)| json!({ "change": name, "seconds": seconds }))
            .collect();
        let kept = json!({ "recorded": stamp(), "calm": calm, "changing": summary, "changes": changes, "served": served.figures() });
        std::fs::write(record, serde_json::to_string_pretty(&kept)? + "\n")?;
    }
    let (calls, failed) = (
        summary["calls"].as_u64().unwrap_or_default(),
        summary["failed"].as_u64(),
    );
    ensure!(failed == Some(0), "{summary}");
    ensure!(
        calls > 1000 * bench.repeats as u64,
        "only {calls} calls were made"
    );
    swift(&calm, &summary)?;
    let new = made.iter().filter(|(name, _)| NEW_TEMPLATES.contains(name));
    served.holds(1 + new.count())?;
    Ok(format!(
        "{calls} calls, 0 failed, {} changes; {}; {served}",
        made.len(),
        times(&calm, &summary)
    ))
}

/// What a new pod's first call of a caller may cost: the caller's list of tools is fetched.
const COLD_MS: f64 = 250.0;
/// The longest time in which no client of a kind may get an answer, unless it is so at rest too.
const GAP_MS: f64 = 1000.0;

/// Answers take less than twice as long as at rest, but for what a cold list costs, and never stop.
/// The long calls are twenty seconds apart, so that their pauses tell nothing.
fn swift(calm: &Value, busy: &Value) -> anyhow::Result<()> {
    for (kind, row) in busy["kinds"].as_object().into_iter().flatten() {
        let rest = &calm["kinds"][kind];
        let (Some(now), Some(before)) = (row["p99_ms"].as_f64(), rest["p99_ms"].as_f64()) else {
            continue;
        };
        ensure!(
            now < 2.0 * before + COLD_MS,
            "{kind}: p99 {before:.0} ms at rest, {now:.0} ms while all changes"
        );
        let gap = |row: &Value| row["longest_gap_ms"].as_f64().unwrap_or_default();
        ensure!(
            kind == "long" || gap(row) < GAP_MS.max(2.0 * gap(rest)),
            "{kind}: no answer for {} ms",
            gap(row)
        );
    }
    Ok(())
}

/// When and where, in the words of the other records.
fn stamp() -> Value {
    let date = std::process::Command::new("date")
        .args(["-u", "+%F"])
        .output();
    let date = date
        .map(|ran| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
        .unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    json!({ "date": date, "version": env!("CARGO_PKG_VERSION"), "machine": format!("{}, {cores} cores", std::env::consts::ARCH) })
}

fn times(calm: &Value, busy: &Value) -> String {
    let p99 = |of: &Value| of["kinds"]["kept"]["p99_ms"].as_f64().unwrap_or_default();
    format!(
        "p99 of kept connections {:.0} ms calm, {:.0} ms changing",
        p99(calm),
        p99(busy)
    )
}

/// Clients during one change that must hurt.
fn hurts(
    bench: &Bench,
    name: &str,
    change: impl Fn() -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let clients = Clients::start(bench, name)?;
    let mut ended = Ok(());
    for _ in 0..2 {
        ended = change();
    }
    let summary = clients.stop()?;
    ended?;
    let failed = summary["failed"].as_u64().unwrap_or_default();
    ensure!(
        failed > 0,
        "no call failed, so the proof proves nothing: {summary}"
    );
    Ok(format!(
        "{failed} of {} calls failed, as they must",
        summary["calls"]
    ))
}

fn no_drain(bench: &Bench) -> anyhow::Result<String> {
    let mut spec = base();
    spec["drain"] = json!({ "delaySeconds": 0, "callSeconds": 0 });
    bench.resource("hasty", &spec)?;
    bench.settled("hasty", 90)?;
    let said = hurts(bench, "hasty", || {
        bench.k(&format!("-n {AGENTS} rollout restart deploy/hasty"))?;
        sleep(Duration::from_secs(2));
        bench.settled("hasty", 120)
    });
    bench.k(&format!("-n {AGENTS} delete tsp/hasty"))?;
    said
}

fn killed(bench: &Bench) -> anyhow::Result<String> {
    anew(bench)?;
    hurts(bench, "busy", || {
        let pod = first_pod(bench)?;
        bench.k(&format!(
            "-n {AGENTS} delete {pod} --grace-period=0 --force --wait=false"
        ))?;
        sleep(Duration::from_secs(2));
        bench.settled("busy", 120)
    })
}

/// With real figures: the load of the clients is more than two such pods are meant for.
fn scales(bench: &Bench) -> anyhow::Result<String> {
    let mut spec = base();
    spec["replicas"] = Value::Null;
    spec["autoscaling"] = json!({ "minReplicas": 2, "maxReplicas": 4, "targetCPUUtilization": 50 });
    spec["resources"] = json!({ "requests": { "cpu": "20m", "memory": "128Mi" } });
    bench.resource("elastic", &spec)?;
    bench.settled("elastic", 90)?;
    let clients = Clients::start(bench, "elastic")?;
    let began = Instant::now();
    let more = wait(150, || {
        bench
            .get("deploy/elastic")
            .is_ok_and(|object| object["spec"]["replicas"].as_i64() > Some(2))
    });
    let seconds = began.elapsed().as_secs();
    let status = bench.get("hpa/elastic")?["status"].clone();
    sleep(Duration::from_secs(10));
    let summary = clients.stop()?;
    bench.k(&format!("-n {AGENTS} delete tsp/elastic"))?;
    ensure!(more, "no pod was added in {seconds} s: {status}");
    ensure!(summary["failed"] == 0, "{summary}");
    Ok(format!(
        "more than 2 pods after {seconds} s, {} calls, 0 failed",
        summary["calls"]
    ))
}

fn always_ready(bench: &Bench) -> anyhow::Result<String> {
    anew(bench)?;
    // The operator would set it right; paused it leaves it.
    bench.patch("busy", &json!({ "paused": true }))?;
    bench.reason("busy", "Progressing", "Paused", 20)?;
    let patch = r#"[{"op":"remove","path":"/spec/template/spec/containers/0/readinessProbe"},{"op":"remove","path":"/spec/template/spec/containers/0/startupProbe"},{"op":"replace","path":"/spec/minReadySeconds","value":0}]"#;
    bench.kubectl(&[
        "-n",
        AGENTS,
        "patch",
        "deploy/busy",
        "--type=json",
        "-p",
        patch,
    ])?;
    bench.k(&format!(
        "-n {AGENTS} rollout status deploy/busy --timeout=120s"
    ))?;
    let said = hurts(bench, "busy", || {
        // Pods that run and serve nobody: a probe would hold the rollout at the first of them. (A
        // pod that merely starts slowly costs nothing: the proxy listens before all else.)
        bench.k(&format!(
            "-n {AGENTS} set env deploy/busy TOOLSEARCH_LISTEN=0.0.0.0:8099"
        ))?;
        bench.k(&format!(
            "-n {AGENTS} rollout status deploy/busy --timeout=120s"
        ))?;
        sleep(Duration::from_secs(3));
        Ok(())
    });
    bench.patch("busy", &json!({ "paused": false }))?;
    ensure!(
        wait(30, || bench
            .get("deploy/busy")
            .is_ok_and(|object| object["spec"]["minReadySeconds"] == 5)),
        "it was not set right"
    );
    bench.settled("busy", 120)?;
    bench.k(&format!("-n {AGENTS} delete tsp/busy"))?;
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_answers_and_pauses_fail_the_proof() {
        let run = |p99: f64, gap: u64| json!({ "kinds": { "kept": { "p99_ms": p99, "longest_gap_ms": gap } } });
        let calm = run(100.0, 200);
        assert!(swift(&calm, &run(440.0, 900)).is_ok());
        assert!(swift(&calm, &run(460.0, 900)).is_err());
        assert!(swift(&calm, &run(440.0, 1100)).is_err());
    }
}
