//! What does the operator leave alone, set right, and remove?

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use anyhow::ensure;
use serde_json::{Value, json};
use toolsearch_cluster::Write;

use crate::bench::{AGENTS, Bench, SYSTEM, wait};
use crate::table::Table;

pub(super) fn all(bench: &Bench, table: &mut Table) {
    table.check(
        "R2 R3 S6 quiet at rest, also beside what others wrote",
        || quiet(bench),
    );
    table.check("R3 a rollout restart and foreign marks survive", || {
        foreign(bench)
    });
    table.check(
        "R4 drift is set right and what is deleted comes back",
        || drift(bench),
    );
    table.check("R5 what is switched off goes", || prune(bench));
    table.check("R6 an object of somebody else is never taken", || {
        stranger(bench)
    });
    table.check(
        "R17 R18 used contents roll the pods, others do not, and what pods read never changes",
        || contents(bench),
    );
    table.check("R15 a missing optional kind is said", || optional(bench));
    table.check(
        "R15 with its definition a ServiceMonitor is made, and all is quiet",
        || monitored(bench),
    );
    table.check(
        "R7 R22 a resource deleted during a rollout leaves nothing",
        || deletion(bench),
    );
    table.check("an autoscaler takes over at 3 pods without a dip", || {
        handover(bench)
    });
}

fn upstream() -> Value {
    json!({ "url": "http://upstream.mcp.svc:8000/mcp" })
}

/// Writes of the operator to what it manages; leases and Events are its own.
fn writes(bench: &Bench) -> anyhow::Result<Vec<Write>> {
    let all = bench.cluster.audit_writes()?;
    let user = format!("system:serviceaccount:{SYSTEM}:");
    Ok(all
        .into_iter()
        .filter(|write| {
            write.user.starts_with(&user)
                && write.resource != "leases"
                && write.resource != "events"
        })
        .collect())
}

fn quiet(bench: &Bench) -> anyhow::Result<String> {
    bench.k(&format!(
        "-n {AGENTS} annotate svc/tools cloud.example/balancer=one --overwrite"
    ))?;
    bench.k(&format!(
        "-n {AGENTS} label deploy/tools team=agents --overwrite"
    ))?;
    bench.settled("tools", 60)?;
    sleep(Duration::from_secs(5));
    let before = writes(bench)?.len();
    sleep(Duration::from_secs(bench.quiet));
    let after = writes(bench)?;
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for write in &after[before.min(after.len())..] {
        *counted
            .entry(format!("{} {}", write.verb, write.resource))
            .or_default() += 1;
    }
    ensure!(counted.is_empty(), "writes at rest: {counted:?}");
    Ok(format!("0 writes in {} s; {before} before", bench.quiet))
}

fn template(bench: &Bench) -> anyhow::Result<Value> {
    Ok(bench.get("deploy/tools")?["spec"]["template"]["metadata"].clone())
}

fn foreign(bench: &Bench) -> anyhow::Result<String> {
    bench.k(&format!("-n {AGENTS} rollout restart deploy/tools"))?;
    bench.settled("tools", 120)?;
    bench.patch("tools", &json!({ "writeTools": ["note"] }))?;
    bench.settled("tools", 120)?;
    let kept = template(bench)?["annotations"]["kubectl.kubernetes.io/restartedAt"].clone();
    ensure!(kept.is_string(), "the restart's mark is gone");
    let mark = bench.get("svc/tools")?["metadata"]["annotations"]["cloud.example/balancer"].clone();
    ensure!(mark == "one", "the annotation is {mark}");
    let label = bench.get("deploy/tools")?["metadata"]["labels"]["team"].clone();
    ensure!(label == "agents", "the label is {label}");
    Ok(String::new())
}

fn drift(bench: &Bench) -> anyhow::Result<String> {
    bench.k(&format!(
        "-n {AGENTS} set image deploy/tools proxy=localhost/wrong:x"
    ))?;
    let image = || {
        bench
            .get("deploy/tools")
            .map(|object| object["spec"]["template"]["spec"]["containers"][0]["image"].clone())
    };
    ensure!(
        wait(15, || image()
            .is_ok_and(|image| image == "localhost/toolsearch:a")),
        "the image is {}",
        image()?
    );
    for what in ["svc/tools", "pdb/tools", "sa/tools"] {
        bench.k(&format!("-n {AGENTS} delete {what}"))?;
        ensure!(
            wait(15, || bench.get(what).is_ok()),
            "{what} did not come back"
        );
    }
    bench.settled("tools", 120)?;
    Ok(String::new())
}

fn prune(bench: &Bench) -> anyhow::Result<String> {
    bench.patch("tools", &json!({ "networkPolicy": { "enabled": true } }))?;
    ensure!(
        wait(20, || bench.get("networkpolicy/tools").is_ok()),
        "no policy was made"
    );
    bench.patch(
        "tools",
        &json!({ "networkPolicy": null, "podDisruptionBudget": { "enabled": false } }),
    )?;
    for what in ["networkpolicy/tools", "pdb/tools"] {
        ensure!(
            wait(20, || bench.get(what).is_err()),
            "{what} is still there"
        );
    }
    bench.patch("tools", &json!({ "podDisruptionBudget": null }))?;
    ensure!(
        wait(20, || bench.get("pdb/tools").is_ok()),
        "the budget did not come back"
    );
    Ok(String::new())
}

fn stranger(bench: &Bench) -> anyhow::Result<String> {
    bench.k(&format!(
        "-n {AGENTS} create service clusterip theirs --tcp=80:80"
    ))?;
    bench.resource("theirs", &json!({ "upstream": upstream() }))?;
    let said = bench.reason("theirs", "Accepted", "NameConflict", 30)?;
    ensure!(
        bench.get("deploy/theirs").is_err(),
        "a Deployment was made beside it"
    );
    let owners = bench.get("svc/theirs")?["metadata"]["ownerReferences"].clone();
    ensure!(owners.is_null(), "it was taken: {owners}");
    bench.k(&format!("-n {AGENTS} delete svc/theirs"))?;
    bench.settled("theirs", 90)?;
    bench.k(&format!("-n {AGENTS} delete tsp/theirs"))?;
    Ok(said)
}

/// The copies of the bundle of `trusting`.
fn copies(bench: &Bench) -> anyhow::Result<Vec<String>> {
    let words =
        format!("-n {AGENTS} get configmaps -o name -l app.kubernetes.io/instance=trusting");
    let mut names: Vec<String> = bench.k(&words)?.lines().map(str::to_owned).collect();
    names.sort_unstable();
    Ok(names)
}

fn change(bench: &Bench, key: &str, text: &str) -> anyhow::Result<()> {
    let patch = json!({ "data": { key: text } }).to_string();
    let words = ["patch", "configmap", "ca", "--type=merge", "-p", &patch];
    bench.kubectl(&[&["-n", AGENTS], &words[..]].concat())?;
    Ok(())
}

fn contents(bench: &Bench) -> anyhow::Result<String> {
    let pem = certificate(bench)?;
    bench.k(&format!(
        "-n {AGENTS} create configmap ca --from-file=ca.crt={pem} --from-literal=other=1"
    ))?;
    let bundle = json!({ "configMap": { "name": "ca", "key": "ca.crt" } });
    let mut upstream = upstream();
    upstream["caBundle"] = bundle;
    bench.resource("trusting", &json!({ "upstream": upstream }))?;
    bench.settled("trusting", 120)?;
    let hash = || {
        let deployment = bench.get("deploy/trusting")?;
        let annotations = &deployment["spec"]["template"]["metadata"]["annotations"];
        anyhow::Ok(annotations["toolsearch.dev/content-hash"].clone())
    };
    let first = hash()?;
    let copied = copies(bench)?;
    ensure!(copied.len() == 1, "copies of the bundle: {copied:?}");
    change(bench, "other", "2")?;
    // Longer than the operator takes to look at what nothing tells of.
    sleep(Duration::from_secs(45));
    ensure!(hash()? == first, "a key that is not used rolled the pods");
    let again = certificate(bench)?;
    change(bench, "ca.crt", &std::fs::read_to_string(&again)?)?;
    ensure!(
        wait(90, || hash().is_ok_and(|now| now != first)),
        "a used key did not roll the pods"
    );
    // Until the rollout is over its pods need one, those before it the other.
    let both = copies(bench)?;
    ensure!(
        both.len() == 2 && both.contains(&copied[0]),
        "copies of the bundle during the rollout: {both:?}, before: {copied:?}"
    );
    bench.settled("trusting", 120)?;
    let one_is_left = || copies(bench).is_ok_and(|left| left.len() == 1 && left != copied);
    ensure!(wait(30, one_is_left), "left: {:?}", copies(bench));
    bench.k(&format!("-n {AGENTS} delete tsp/trusting configmap/ca"))?;
    ensure!(
        wait(30, || copies(bench).is_ok_and(|left| left.is_empty())),
        "left: {:?}",
        copies(bench)
    );
    Ok(String::new())
}

/// A self-signed certificate, new each time.
fn certificate(bench: &Bench) -> anyhow::Result<String> {
    let file = |name: &str| bench.folder.join(name).display().to_string();
    let status = std::process::Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-subj",
            "/CN=test",
            "-keyout",
            &file("key.pem"),
            "-out",
            &file("ca.pem"),
        ])
        .output()?;
    ensure!(status.status.success(), "openssl made no certificate");
    Ok(file("ca.pem"))
}

fn optional(bench: &Bench) -> anyhow::Result<String> {
    bench.patch(
        "tools",
        &json!({ "monitoring": { "serviceMonitor": true } }),
    )?;
    let mut said = String::new();
    let is = wait(30, || {
        said = bench.condition("tools", "Accepted").unwrap_or_default().2;
        said.contains("ServiceMonitor is left out")
    });
    bench.patch("tools", &json!({ "monitoring": null }))?;
    ensure!(is, "{said}");
    Ok(said)
}

fn monitored(bench: &Bench) -> anyhow::Result<String> {
    bench.apply(include_str!("../../manifests/servicemonitors.yaml"))?;
    bench.patch(
        "tools",
        &json!({ "monitoring": { "serviceMonitor": true, "interval": "30s" } }),
    )?;
    let made = wait(90, || bench.get("servicemonitors/tools").is_ok());
    let service = bench.get("svc/tools-metrics");
    let quiet = quiet(bench);
    bench.patch("tools", &json!({ "monitoring": null }))?;
    let gone = wait(30, || bench.get("servicemonitors/tools").is_err());
    bench.k("delete crd servicemonitors.monitoring.coreos.com")?;
    ensure!(made, "no ServiceMonitor was made");
    ensure!(gone, "the ServiceMonitor stayed");
    ensure!(
        service?["spec"]["clusterIP"] == "None",
        "the Service for metrics is not headless"
    );
    quiet
}

fn deletion(bench: &Bench) -> anyhow::Result<String> {
    bench.resource(
        "gone",
        &json!({ "upstream": upstream(), "networkPolicy": { "enabled": true } }),
    )?;
    ensure!(
        wait(30, || bench.get("deploy/gone").is_ok()),
        "nothing was made"
    );
    bench.k(&format!("-n {AGENTS} delete tsp/gone"))?;
    let left = || {
        bench.k(&format!(
            "-n {AGENTS} get deploy,rs,pods,svc,sa,pdb,networkpolicy -o name -l app.kubernetes.io/instance=gone"
        ))
    };
    ensure!(
        wait(90, || left().is_ok_and(|left| left.trim().is_empty())),
        "left: {}",
        left()?
    );
    Ok(String::new())
}

fn handover(bench: &Bench) -> anyhow::Result<String> {
    bench.patch("tools", &json!({ "replicas": 3 }))?;
    bench.settled("tools", 90)?;
    bench.patch(
        "tools",
        &json!({ "replicas": null, "autoscaling": { "minReplicas": 2, "maxReplicas": 4 } }),
    )?;
    let mut seen = Vec::new();
    ensure!(
        wait(20, || bench.get("hpa/tools").is_ok()),
        "no autoscaler was made"
    );
    for _ in 0..20 {
        let count = bench.get("deploy/tools")?["spec"]["replicas"]
            .as_i64()
            .unwrap_or_default();
        seen.push(count);
        sleep(Duration::from_millis(250));
    }
    ensure!(seen.iter().all(|count| *count == 3), "{seen:?}");
    let fields =
        bench.get("deploy/tools --show-managed-fields")?["metadata"]["managedFields"].clone();
    let owner = fields.as_array().into_iter().flatten().any(|entry| {
        entry["manager"] == "toolsearch-operator"
            && entry["fieldsV1"]["f:spec"].get("f:replicas").is_some()
    });
    ensure!(!owner, "the operator still owns the number of pods");
    let measured = wait(90, || {
        let status = bench
            .get("hpa/tools")
            .map(|object| object["status"]["currentMetrics"].clone());
        status.is_ok_and(|metrics| metrics.to_string().contains("averageUtilization"))
    });
    ensure!(
        measured,
        "the autoscaler has no figures: {}",
        bench.get("hpa/tools")?["status"]
    );
    bench.patch("tools", &json!({ "autoscaling": null, "replicas": 2 }))?;
    ensure!(
        wait(20, || bench.get("hpa/tools").is_err()),
        "the autoscaler stayed"
    );
    bench.settled("tools", 120)?;
    Ok("3 throughout, with figures of metrics-server".to_owned())
}
