//! How long do things take? What criterion left behind in the target folder.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use crate::records::Timing;

/// Benchmarks whose iteration does several things and does not say so.
const UNDECLARED: [(&str, f64); 1] = [("embed a query", 4.0)];

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    #[serde(default)]
    throughput: Option<Throughput>,
}

#[derive(Deserialize)]
struct Throughput {
    #[serde(rename = "Elements", default)]
    elements: Option<f64>,
}

#[derive(Deserialize)]
struct Estimates {
    mean: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// Every benchmark's last run below a folder, by name; none where nothing was run.
///
/// # Errors
/// A file of criterion's cannot be read.
pub fn timings(folder: &Path) -> anyhow::Result<Vec<Timing>> {
    let mut timings = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() && path.ends_with("new") {
                timings.push(timing(&path)?);
            } else if path.is_dir() {
                open.push(path);
            }
        }
    }
    timings.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(timings)
}

/// What the benchmark of searches measured in loops of its own, in a target folder.
///
/// # Errors
/// The file is there and no such record.
pub fn loops(target: &Path) -> anyhow::Result<Vec<Timing>> {
    let file = target.join("search/loops.json");
    let Ok(json) = std::fs::read(&file) else {
        return Ok(Vec::new());
    };
    serde_json::from_slice(&json).with_context(|| format!("{} is no record", file.display()))
}

fn timing(folder: &Path) -> anyhow::Result<Timing> {
    let read = |name| {
        let file = folder.join(name);
        std::fs::read(&file).with_context(|| format!("failed to read {}", file.display()))
    };
    let benchmark: Benchmark = serde_json::from_slice(&read("benchmark.json")?)?;
    let estimates: Estimates = serde_json::from_slice(&read("estimates.json")?)?;
    let id = benchmark.full_id;
    let undeclared = UNDECLARED.iter().find(|(name, _)| *name == id);
    let declared = benchmark.throughput.and_then(|amount| amount.elements);
    let elements = declared.or(undeclared.map(|(_, elements)| *elements));
    Ok(Timing {
        id,
        ns: (estimates.mean.point_estimate / elements.unwrap_or(1.0) * 10.0).round() / 10.0,
    })
}

#[cfg(test)]
mod tests {
    use super::{loops, timings};

    #[test]
    fn the_last_run_is_read_per_element() {
        let folder = tempfile::tempdir().unwrap();
        for (name, throughput) in [
            ("search/hybrid/500", r#"{"Elements":4}"#),
            ("embed a query", "null"),
            ("alone", "null"),
        ] {
            for run in ["new", "base"] {
                let at = folder.path().join(name).join(run);
                std::fs::create_dir_all(&at).unwrap();
                let about = format!(r#"{{"full_id":"{name}","throughput":{throughput}}}"#);
                std::fs::write(at.join("benchmark.json"), about).unwrap();
                let mean = if run == "new" { 400.0 } else { 1.0 };
                let estimates = format!(r#"{{"mean":{{"point_estimate":{mean}}}}}"#);
                std::fs::write(at.join("estimates.json"), estimates).unwrap();
            }
        }
        let found = timings(folder.path()).unwrap();
        let found: Vec<(&str, f64)> = found.iter().map(|it| (it.id.as_str(), it.ns)).collect();
        let expected = [
            ("alone", 400.0),
            ("embed a query", 100.0),
            ("search/hybrid/500", 100.0),
        ];
        assert_eq!(found, expected);
        assert!(timings(&folder.path().join("absent")).unwrap().is_empty());
        assert!(loops(folder.path()).unwrap().is_empty());
        std::fs::create_dir_all(folder.path().join("search")).unwrap();
        let file = folder.path().join("search/loops.json");
        std::fs::write(&file, r#"[{"id":"one of 10000/misspelt/p99","ns":7.0}]"#).unwrap();
        assert_eq!(loops(folder.path()).unwrap()[0].ns, 7.0);
        std::fs::write(&file, "{}").unwrap();
        assert!(loops(folder.path()).is_err());
    }
}
