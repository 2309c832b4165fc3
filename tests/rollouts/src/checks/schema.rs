//! What does a real API server make of the definition?

use anyhow::ensure;
use serde_json::{Value, json};

use crate::bench::{AGENTS, Bench, manifest};
use crate::table::Table;

pub(super) fn all(bench: &Bench, table: &mut Table) {
    table.check("C1 a misspelt field is refused", || misspelt(bench));
    table.check("C4 every rule takes and refuses as in the table", || {
        rules(bench)
    });
    table.check(
        "C6 two managers add one write tool each and both stay",
        || managers(bench),
    );
    table.check("C8 kubectl get shows what people look for", || {
        columns(bench)
    });
    table.check(
        "C10 scale works, and is refused where an autoscaler rules",
        || scale(bench),
    );
    table.check("C11 resources are found by field", || fields(bench));
}

fn upstream() -> Value {
    json!({ "url": "http://upstream.mcp.svc:8000/mcp" })
}

fn misspelt(bench: &Bench) -> anyhow::Result<String> {
    let said = bench
        .refuses(&manifest("slip", &json!({ "upstream": upstream(), "replica": 2 })).to_string())?;
    ensure!(said.contains("unknown field \"spec.replica\""), "{said}");
    Ok("unknown field \"spec.replica\"".to_owned())
}

/// The table that the client's rules are tested with, too.
fn rules(bench: &Bench) -> anyhow::Result<String> {
    let table: Value = serde_json::from_str(include_str!("../../../../crds/rules.json"))?;
    let whole = |spec: &Value| {
        let mut spec = spec.clone();
        if spec.get("upstream").is_none() {
            spec["upstream"] = upstream();
        }
        // Paused, so that nothing is made of it.
        spec["paused"] = true.into();
        manifest("ruled", &spec).to_string()
    };
    let mut count = 0;
    for case in table["accepted"].as_array().into_iter().flatten() {
        bench.apply(&whole(case))?;
        bench.k(&format!("-n {AGENTS} delete tsp ruled --wait=true"))?;
        count += 1;
    }
    for case in table["refused"].as_array().into_iter().flatten() {
        let said = bench.refuses(&whole(&case["spec"]))?;
        let words = case["words"].as_str().unwrap_or_default();
        ensure!(
            said.contains(words),
            "{} is refused with {said}",
            case["spec"]
        );
        count += 1;
    }
    Ok(format!("{count} objects"))
}

fn managers(bench: &Bench) -> anyhow::Result<String> {
    bench.resource("shared", &json!({ "upstream": upstream(), "paused": true }))?;
    for (manager, tool) in [("one", "delete_*"), ("two", "pay_*")] {
        let body = manifest(
            "shared",
            &json!({ "upstream": upstream(), "paused": true, "writeTools": [tool] }),
        );
        let file = bench.folder.join(format!("{manager}.json"));
        std::fs::write(&file, body.to_string())?;
        let manager = format!("--field-manager={manager}");
        let file = file.display().to_string();
        bench.kubectl(&[
            "apply",
            "--server-side",
            "--force-conflicts",
            &manager,
            "-f",
            &file,
        ])?;
    }
    let tools = bench.get("tsp/shared")?["spec"]["writeTools"].clone();
    bench.k(&format!("-n {AGENTS} delete tsp shared"))?;
    ensure!(tools == json!(["delete_*", "pay_*"]), "{tools}");
    Ok(String::new())
}

fn columns(bench: &Bench) -> anyhow::Result<String> {
    bench.resource(
        "tools",
        &json!({ "upstream": upstream(), "drain": { "delaySeconds": 3, "callSeconds": 30 } }),
    )?;
    bench.settled("tools", 90)?;
    let printed = bench.k(&format!("-n {AGENTS} get tsp tools -o wide"))?;
    let words: Vec<&str> = printed.split_whitespace().collect();
    let wanted = [
        "NAME", "READY", "REASON", "REPLICAS", "UPSTREAM", "MODEL", "REVISION", "AGE", "tools",
        "True", "Serving", "2",
    ];
    ensure!(words.starts_with(&wanted), "{printed}");
    ensure!(words.contains(&"builtin"), "{printed}");
    ensure!(
        bench.k(&format!("-n {AGENTS} get mcp"))?.contains("tools"),
        "the category mcp is empty"
    );
    Ok(String::new())
}

fn scale(bench: &Bench) -> anyhow::Result<String> {
    bench.patch("tools", &json!({ "replicas": 2 }))?;
    bench.k(&format!("-n {AGENTS} scale tsp/tools --replicas=3"))?;
    let count = bench.get("tsp/tools")?["spec"]["replicas"].clone();
    ensure!(count == 3, "{count}");
    bench.resource(
        "scaled",
        &json!({ "upstream": upstream(), "paused": true, "autoscaling": { "maxReplicas": 3 } }),
    )?;
    let said = bench.refused(&format!("-n {AGENTS} scale tsp/scaled --replicas=3"))?;
    bench.k(&format!("-n {AGENTS} delete tsp scaled"))?;
    ensure!(
        said.contains("set replicas or autoscaling, not both"),
        "{said}"
    );
    bench.k(&format!("-n {AGENTS} scale tsp/tools --replicas=2"))?;
    bench.settled("tools", 90)?;
    Ok(String::new())
}

fn fields(bench: &Bench) -> anyhow::Result<String> {
    let find = |value: &str| {
        bench.k(&format!(
            "-n {AGENTS} get tsp -o name --field-selector spec.upstream.url={value}"
        ))
    };
    ensure!(
        find("http://upstream.mcp.svc:8000/mcp")?.contains("tools"),
        "not found"
    );
    ensure!(
        find("http://nowhere/mcp")?.trim().is_empty(),
        "found what is not there"
    );
    Ok(String::new())
}
