//! A user's mistakes, each with what they see; and a status that keeps still.

use anyhow::ensure;
use serde_json::{Value, json};

use crate::bench::{AGENTS, Bench, wait};
use crate::table::Table;

pub(super) fn all(bench: &Bench, table: &mut Table) {
    table.check("S4 Ready does not flap while pods are replaced", || {
        flap(bench)
    });
    table.check("mistake: an unknown Secret, then a missing key", || {
        reference(bench)
    });
    table.check(
        "mistake: settings that cannot be read, all said at once",
        || bounds(bench),
    );
    table.check("mistake: the upstream is down", || down(bench));
    table.check(
        "mistake: an upstream with a private authority, then its certificate",
        || private(bench),
    );
    table.check(
        "mistake: an image that cannot be pulled, while old pods serve",
        || image(bench),
    );
    table.check("mistake: a quota too small", || quota(bench));
    table.check("P7 the pod template takes nothing that widens", || {
        escape(bench)
    });
    table.check(
        "mistake: an object that the API server cannot apply",
        || twice(bench),
    );
    table.check("R14 a paused resource is left alone", || paused(bench));
    table.check("S8 Events tell what was done", || events(bench));
}

fn upstream() -> Value {
    json!({ "url": "http://upstream.mcp.svc:8000/mcp" })
}

fn flap(bench: &Bench) -> anyhow::Result<String> {
    let since = |kind: &str| -> anyhow::Result<Value> {
        let object = bench.get("tsp/tools")?;
        let list = object["status"]["conditions"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        Ok(list
            .into_iter()
            .find(|one| one["type"] == kind)
            .unwrap_or_default()["lastTransitionTime"]
            .clone())
    };
    let before = (since("Ready")?, since("Available")?);
    bench.patch("tools", &json!({ "writeTools": ["note", "flap"] }))?;
    bench.reason("tools", "Progressing", "RollingOut", 20)?;
    bench.settled("tools", 120)?;
    let after = (since("Ready")?, since("Available")?);
    ensure!(before == after, "{before:?} became {after:?}");
    Ok(String::new())
}

fn reference(bench: &Bench) -> anyhow::Result<String> {
    let model = json!({ "huggingFace": { "tokenSecretRef": { "name": "hub", "key": "token" } } });
    bench.resource("wrong", &json!({ "upstream": upstream(), "model": model }))?;
    let said = bench.reason("wrong", "Accepted", "ReferenceNotFound", 30)?;
    ensure!(said.contains("Secret hub with a key token"), "{said}");
    bench.k(&format!(
        "-n {AGENTS} create secret generic hub --from-literal=other=1"
    ))?;
    let mut again = String::new();
    let told = wait(90, || {
        again = bench.condition("wrong", "Accepted").unwrap_or_default().2;
        again.contains("key token of Secret hub")
    });
    bench.k(&format!("-n {AGENTS} delete tsp/wrong secret/hub"))?;
    ensure!(told, "{again}");
    Ok(again)
}

/// What is out of its bounds is refused at once; what only the proxy's parser finds is said with
/// what is missing.
fn bounds(bench: &Bench) -> anyhow::Result<String> {
    let out = json!({ "upstream": upstream(), "catalog": { "ttl": "0s" }, "limits": { "maxBody": "1B" } });
    let refused = bench
        .resource("wrong", &out)
        .err()
        .map_or(String::new(), |error| format!("{error:#}"));
    ensure!(
        refused.contains("from 1s to 24h") && refused.contains("from 1KiB to 256MiB"),
        "{refused}"
    );
    let model = json!({ "persistentVolumeClaim": { "claimName": "none" } });
    let wrong = json!({
        "upstream": upstream(), "logging": { "level": "loud" }, "writeTools": ["["], "model": model,
    });
    bench.resource("wrong", &wrong)?;
    let said = bench.reason("wrong", "Accepted", "InvalidSpec", 30)?;
    bench.k(&format!("-n {AGENTS} delete tsp/wrong"))?;
    for words in [
        "spec.logging.level",
        "spec.writeTools",
        "PersistentVolumeClaim none",
    ] {
        ensure!(said.contains(words), "{said}");
    }
    Ok(said)
}

fn down(bench: &Bench) -> anyhow::Result<String> {
    bench.resource(
        "wrong",
        &json!({ "upstream": { "url": "http://upstream.mcp.svc:9/mcp" }, "replicas": 1 }),
    )?;
    let said = bench.reason("wrong", "UpstreamReachable", "UpstreamUnreachable", 60)?;
    bench.reason("wrong", "Ready", "Serving", 60)?;
    bench.k(&format!("-n {AGENTS} delete tsp/wrong"))?;
    Ok(said)
}

/// An HTTPS server whose certificate nobody knows, in the control plane's network.
fn private(bench: &Bench) -> anyhow::Result<String> {
    const ADDRESS: &str = "10.89.0.1";
    let file = |name: &str| bench.folder.join(name).display().to_string();
    let authority = (file("authority-key.pem"), file("authority.pem"));
    let (key, pem) = (file("server-key.pem"), file("server.pem"));
    let certify = |key: &str, pem: &str, more: &[&str]| -> anyhow::Result<()> {
        let made = std::process::Command::new("openssl")
            .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256".split(' '))
            .args(["-nodes", "-days", "2", "-keyout", key, "-out", pem])
            .args(more)
            .output()?;
        ensure!(made.status.success(), "openssl made no certificate");
        Ok(())
    };
    certify(&authority.0, &authority.1, &["-subj", "/CN=authority"])?;
    let name = format!("subjectAltName=IP:{ADDRESS}");
    let leaf = [
        "-subj",
        "/CN=private",
        "-addext",
        &name,
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-CA",
        &authority.1,
        "-CAkey",
        &authority.0,
    ];
    certify(&key, &pem, &leaf)?;
    let words = [
        "s_server", "-accept", "8443", "-www", "-quiet", "-cert", &pem, "-key", &key,
    ];
    let mut server = bench.cluster.command("openssl", &words).spawn()?;
    let seen = (|| {
        let url = format!("https://{ADDRESS}:8443/mcp");
        bench.resource(
            "private",
            &json!({ "upstream": { "url": url }, "replicas": 1 }),
        )?;
        let said = bench.reason("private", "UpstreamReachable", "UpstreamUnreachable", 60)?;
        ensure!(said.to_lowercase().contains("certificate"), "{said}");
        bench.k(&format!(
            "-n {AGENTS} create configmap private --from-file=ca.pem={}",
            authority.1
        ))?;
        let bundle = json!({ "configMap": { "name": "private", "key": "ca.pem" } });
        bench.patch("private", &json!({ "upstream": { "caBundle": bundle } }))?;
        bench.reason("private", "UpstreamReachable", "UpstreamAnswers", 90)?;
        Ok(said)
    })();
    // It may have ended by itself.
    let _ended = server.kill();
    let _status = server.wait();
    bench.k(&format!(
        "-n {AGENTS} delete tsp/private configmap/private --ignore-not-found"
    ))?;
    seen
}

fn image(bench: &Bench) -> anyhow::Result<String> {
    bench.patch("tools", &json!({ "image": "localhost/toolsearch:nowhere" }))?;
    let said = bench.reason("tools", "Progressing", "ImagePull", 60)?;
    let ready = bench.condition("tools", "Ready")?;
    ensure!(ready.0 == "True", "{ready:?}");
    bench.patch("tools", &json!({ "image": null }))?;
    bench.settled("tools", 120)?;
    Ok(said)
}

fn quota(bench: &Bench) -> anyhow::Result<String> {
    bench.k("create namespace small")?;
    bench.k("-n small create quota small --hard=pods=0")?;
    let mut body = crate::bench::manifest("tools", &json!({ "upstream": upstream() }));
    body["metadata"]["namespace"] = "small".into();
    bench.apply(&body.to_string())?;
    let mut last = String::new();
    let found = wait(60, || {
        last = bench
            .k("-n small get tsp tools -o jsonpath={.status.conditions}")
            .unwrap_or_default();
        last.contains("QuotaExceeded")
    });
    bench.k("delete namespace small --wait=false")?;
    ensure!(found, "{last}");
    Ok(String::new())
}

fn escape(bench: &Bench) -> anyhow::Result<String> {
    let spec = json!({ "hostNetwork": true, "serviceAccountName": "default" });
    bench.resource(
        "wrong",
        &json!({ "upstream": upstream(), "podTemplate": { "spec": spec } }),
    )?;
    let said = bench.reason("wrong", "Accepted", "InvalidSpec", 30)?;
    bench.k(&format!("-n {AGENTS} delete tsp/wrong"))?;
    ensure!(
        said.contains("hostNetwork") && said.contains("serviceAccountName"),
        "{said}"
    );
    Ok(said)
}

/// What only the API server finds when the Deployment is applied, and answers with a failure.
fn twice(bench: &Bench) -> anyhow::Result<String> {
    let alias = |name: &str| json!({ "ip": "10.0.0.1", "hostnames": [name] });
    let spec = json!({ "hostAliases": [alias("a"), alias("b")] });
    bench.resource(
        "wrong",
        &json!({ "upstream": upstream(), "podTemplate": { "spec": spec } }),
    )?;
    let mut last = Default::default();
    let told = wait(30, || {
        last = bench.condition("wrong", "Accepted").unwrap_or_default();
        last.0 == "False" && last.2.contains("hostAliases")
    });
    bench.k(&format!("-n {AGENTS} delete tsp/wrong"))?;
    ensure!(told, "{last:?}");
    Ok(last.1)
}

fn paused(bench: &Bench) -> anyhow::Result<String> {
    bench.patch("tools", &json!({ "paused": true }))?;
    bench.reason("tools", "Progressing", "Paused", 20)?;
    bench.k(&format!("-n {AGENTS} delete pdb/tools"))?;
    std::thread::sleep(std::time::Duration::from_secs(5));
    ensure!(bench.get("pdb/tools").is_err(), "it was made again");
    bench.patch("tools", &json!({ "paused": false }))?;
    ensure!(
        wait(20, || bench.get("pdb/tools").is_ok()),
        "it did not come back"
    );
    bench.settled("tools", 60)?;
    Ok(String::new())
}

fn events(bench: &Bench) -> anyhow::Result<String> {
    let told = bench.k(&format!(
        "-n {AGENTS} get events.events.k8s.io --field-selector regarding.name=tools"
    ))?;
    for reason in ["Applied", "DriftCorrected", "Pruned", "ImagePull"] {
        ensure!(told.contains(reason), "no Event says {reason}:\n{told}");
    }
    Ok(String::new())
}
