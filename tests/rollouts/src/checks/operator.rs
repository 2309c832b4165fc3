//! Who writes, what happens when that one ends, and how the chart comes and goes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};

use crate::bench::{AGENTS, Bench, SYSTEM, wait};
use crate::table::Table;

pub(super) fn all(bench: &Bench, table: &mut Table) {
    table.check(
        "A1 the next one leads after the leader is told to end, and after it is killed",
        || lease(bench),
    );
    table.check(
        "A2 a leader that is cut off ends, and another leads",
        || cut(bench),
    );
    table.check("P6 two operators share a cluster by labels", || {
        selected(bench)
    });
    table.check(
        "A6 R8 without an operator pods recover and a namespace can go",
        || absent(bench),
    );
    table.check(
        "R20 an upgrade of the operator alone restarts no proxy",
        || upgrade(bench),
    );
    table.check("P1 no call of the operator was forbidden", || {
        forbidden(bench)
    });
    table.check(
        "P2 namespace-only mode serves its namespaces and no other",
        || namespaced(bench),
    );
    table.check("chart: upgrade, rollback, helm test", || rollback(bench));
}

fn holder(bench: &Bench) -> String {
    let words = format!("-n {SYSTEM} get lease -o jsonpath={{.items[0].spec.holderIdentity}}");
    bench.k(&words).unwrap_or_default()
}

fn lease(bench: &Bench) -> anyhow::Result<String> {
    let mut told = Vec::new();
    for (how, limit) in [("", 6), ("--grace-period=0 --force", 20)] {
        let before = holder(bench);
        ensure!(!before.is_empty(), "nobody leads");
        bench.k(&format!(
            "-n {SYSTEM} delete pod {before} {how} --wait=false"
        ))?;
        let began = Instant::now();
        let changed = wait(limit + 5, || {
            let now = holder(bench);
            !now.is_empty() && now != before
        });
        let seconds = began.elapsed().as_secs_f32();
        ensure!(changed, "{before} still leads after {seconds:.0} s");
        told.push(format!("{seconds:.1} s"));
    }
    bench.k(&format!("-n {SYSTEM} rollout status deploy --timeout=60s"))?;
    Ok(told.join(", "))
}

/// The leader and its node, with the other operator on the other node.
fn apart(bench: &Bench) -> anyhow::Result<(String, String)> {
    for _ in 0..5 {
        bench.k(&format!("-n {SYSTEM} rollout status deploy --timeout=60s"))?;
        let leader = holder(bench);
        let pods = bench.k(&format!(
            "-n {SYSTEM} get pods -o jsonpath={{range.items[*]}}{{.metadata.name}},{{.spec.nodeName}};{{end}}"
        ))?;
        let pods: Vec<(&str, &str)> = pods
            .split(';')
            .filter_map(|pod| pod.split_once(','))
            .collect();
        let node = pods
            .iter()
            .find(|(name, _)| *name == leader)
            .map(|(_, node)| *node);
        let other = pods.iter().find(|(name, _)| *name != leader);
        match (node, other) {
            (Some(node), Some((_, elsewhere))) if node != *elsewhere => {
                return Ok((leader.clone(), node.to_owned()));
            }
            (Some(node), Some((name, _))) => {
                // The scheduler prefers to spread them and need not.
                bench.k(&format!("cordon {node}"))?;
                let moved = bench
                    .k(&format!("-n {SYSTEM} delete pod {name}"))
                    .and_then(|_| {
                        bench.k(&format!("-n {SYSTEM} rollout status deploy --timeout=60s"))
                    });
                bench.k(&format!("uncordon {node}"))?;
                moved?;
            }
            // The holder of the lease is a pod that is gone: the next look finds the new one.
            _ => sleep(Duration::from_secs(2)),
        }
    }
    anyhow::bail!("both operators stay on one node")
}

/// Pulls the cable of the leader's node: it must know that it lost the lease.
fn cut(bench: &Bench) -> anyhow::Result<String> {
    let (before, node) = apart(bench)?;
    bench.cluster.link(&node, false)?;
    let began = Instant::now();
    let changed = wait(40, || {
        let now = holder(bench);
        !now.is_empty() && now != before
    });
    let seconds = began.elapsed().as_secs_f32();
    // Longer than the lease: the old one has given up by itself before its node comes back.
    sleep(Duration::from_secs(8));
    bench.cluster.link(&node, true)?;
    ensure!(changed, "{before} still leads after {seconds:.0} s");
    bench.k(&format!(
        "wait --for=condition=Ready node/{node} --timeout=90s"
    ))?;
    let log = || bench.k(&format!("-n {SYSTEM} logs {before} --previous"));
    ensure!(
        wait(60, || log()
            .is_ok_and(|log| log.contains("the lease is lost"))),
        "{:?}",
        log()
    );
    bench.k(&format!("-n {SYSTEM} rollout status deploy --timeout=90s"))?;
    bench.settled("tools", 120)?;
    Ok(format!("another led after {seconds:.1} s"))
}

fn selected(bench: &Bench) -> anyhow::Result<String> {
    bench.install(&["instanceLabelSelector=team=a"])?;
    bench.resource(
        "unmarked",
        &json!({ "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" }, "replicas": 1 }),
    )?;
    sleep(Duration::from_secs(5));
    let made = bench.get("deploy/unmarked").is_ok();
    bench.k(&format!("-n {AGENTS} label tsp/unmarked team=a"))?;
    let then = wait(30, || bench.get("deploy/unmarked").is_ok());
    bench.k(&format!("-n {AGENTS} delete tsp/unmarked"))?;
    bench.install(&[])?;
    ensure!(
        !made && then,
        "made without the label: {made}; with it: {then}"
    );
    Ok(String::new())
}

fn operators(bench: &Bench, count: usize) -> anyhow::Result<()> {
    bench.k(&format!(
        "-n {SYSTEM} scale deploy --all --replicas={count}"
    ))?;
    let none = || {
        bench
            .k(&format!("-n {SYSTEM} get pods -o name"))
            .unwrap_or_default()
            .lines()
            .count()
            == count
    };
    ensure!(wait(60, none), "the operators are not {count}");
    Ok(())
}

fn absent(bench: &Bench) -> anyhow::Result<String> {
    operators(bench, 0)?;
    bench.k(&format!(
        "-n {AGENTS} delete pod -l app.kubernetes.io/instance=tools --wait=false"
    ))?;
    sleep(Duration::from_secs(3));
    bench.k(&format!(
        "-n {AGENTS} rollout status deploy/tools --timeout=90s"
    ))?;
    bench.k("create namespace leaving")?;
    let mut body = crate::bench::manifest(
        "tools",
        &json!({ "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" } }),
    );
    body["metadata"]["namespace"] = "leaving".into();
    bench.apply(&body.to_string())?;
    bench.k("delete namespace leaving --timeout=60s")?;
    operators(bench, 2)?;
    bench.settled("tools", 90)?;
    Ok(String::new())
}

fn revision(bench: &Bench) -> anyhow::Result<Value> {
    Ok(
        bench.get("deploy/tools")?["metadata"]["annotations"]["deployment.kubernetes.io/revision"]
            .clone(),
    )
}

fn upgrade(bench: &Bench) -> anyhow::Result<String> {
    let before = revision(bench)?;
    bench.install(&[
        "image.tag=b",
        "proxyImage.repository=toolsearch",
        "proxyImage.tag=a",
        "proxyImage.registry=localhost",
    ])?;
    sleep(Duration::from_secs(10));
    let after = revision(bench)?;
    bench.install(&[])?;
    ensure!(before == after, "{before} became {after}");
    Ok(String::new())
}

fn forbidden(bench: &Bench) -> anyhow::Result<String> {
    let refused: Vec<String> = bench
        .cluster
        .audit_writes()?
        .into_iter()
        .filter(|write| {
            write
                .user
                .starts_with(&format!("system:serviceaccount:{SYSTEM}:"))
                && write.status == 403
        })
        // A quota is no missing right.
        .filter(|write| write.namespace != "small")
        .map(|write| format!("{} {}", write.verb, write.resource))
        .collect();
    ensure!(refused.is_empty(), "{refused:?}");
    let log = bench.k(&format!(
        "-n {SYSTEM} logs -l app.kubernetes.io/name=toolsearch-operator --tail=-1"
    ))?;
    ensure!(
        !log.contains("is forbidden"),
        "the operator's log speaks of something forbidden"
    );
    Ok(String::new())
}

fn namespaced(bench: &Bench) -> anyhow::Result<String> {
    operators(bench, 0)?;
    for namespace in ["mine", "other"] {
        bench.k(&format!("create namespace {namespace}"))?;
    }
    bench.cluster.helm(&[
        "install",
        "small",
        &bench.chart,
        "-n",
        "mine",
        "--wait",
        "--timeout",
        "60s",
        "--set",
        "crds.enabled=false",
        "--set",
        "watchNamespaces={mine}",
        "--set",
        "image.registry=localhost",
        "--set",
        "image.repository=toolsearch",
        "--set",
        "image.tag=a",
        "--set",
        "image.pullPolicy=Never",
    ])?;
    for namespace in ["mine", "other"] {
        let mut body = crate::bench::manifest(
            "tools",
            &json!({ "upstream": { "url": "http://upstream.mcp.svc:8000/mcp" }, "replicas": 1 }),
        );
        body["metadata"]["namespace"] = namespace.into();
        bench.apply(&body.to_string())?;
    }
    let done = bench.k("-n mine wait --for=condition=Ready tsp/tools --timeout=60s");
    let other = bench.k("-n other get deploy -o name")?;
    bench
        .cluster
        .helm(&["uninstall", "small", "-n", "mine", "--wait"])?;
    bench.k("delete namespace mine other --wait=false")?;
    operators(bench, 2)?;
    done?;
    ensure!(
        other.trim().is_empty(),
        "the other namespace was served: {other}"
    );
    Ok(String::new())
}

fn rollback(bench: &Bench) -> anyhow::Result<String> {
    bench.install(&["podAnnotations.note=second"])?;
    bench
        .cluster
        .helm(&["rollback", "op", "-n", SYSTEM, "--wait", "--timeout", "60s"])?;
    bench
        .cluster
        .helm(&["test", "op", "-n", SYSTEM, "--timeout", "60s"])?;
    bench.k("get crd toolsearchproxies.toolsearch.dev")?;
    bench.settled("tools", 60)?;
    Ok(String::new())
}
