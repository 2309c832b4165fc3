//! Who calls? Clients of ours, and those of the SDKs in both eras, all through a Service.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::bench::Bench;

/// Clients under way.
#[derive(Debug)]
pub(super) struct Clients {
    child: Child,
    others: Vec<(&'static str, Child)>,
    until: PathBuf,
}

/// The SDKs' clients: their name in the table, their program, and the mode that they speak in.
const OTHERS: &[(&str, &str, &str, &str)] = &[
    (
        "python sdk, handshake",
        "venv/bin/python",
        "until.py",
        "legacy",
    ),
    (
        "python sdk, 2026-07-28",
        "venv/bin/python",
        "until.py",
        "auto",
    ),
    ("typescript sdk, handshake", "node", "until.mjs", "legacy"),
    ("typescript sdk, 2026-07-28", "node", "until.mjs", "auto"),
];

impl Clients {
    /// Starts them before one resource.
    pub(super) fn start(bench: &Bench, name: &str) -> anyhow::Result<Self> {
        let address = bench.get(&format!("svc/{name}"))?["spec"]["clusterIP"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let until = bench.folder.join(format!("until-{name}"));
        let _none = std::fs::remove_file(&until);
        let (load, file, address) = (
            bench.load.display().to_string(),
            until.display().to_string(),
            format!("{address}:80"),
        );
        let words = [
            "clients", &address, "--until", &file, "--kept", "24", "--fresh", "6", "--long", "1",
            "--whole", "4", "--think", "120",
        ];
        let child = bench
            .cluster
            .command(&load, &words)
            .stdout(Stdio::piped())
            .spawn()?;
        let url = format!("http://{address}/mcp");
        let mut others = Vec::new();
        for (kind, program, script, mode) in OTHERS {
            let program = if program.contains('/') {
                bench.sdks.join(program).display().to_string()
            } else {
                (*program).to_owned()
            };
            let script = bench.sdks.join(script).display().to_string();
            let words = [script.as_str(), url.as_str(), file.as_str(), *mode];
            others.push((
                *kind,
                bench
                    .cluster
                    .command(&program, &words)
                    .stdout(Stdio::piped())
                    .spawn()?,
            ));
        }
        sleep(Duration::from_secs(5));
        Ok(Self {
            child,
            others,
            until,
        })
    }

    /// Ends them, and gives the sum of what they met.
    pub(super) fn stop(self) -> anyhow::Result<Value> {
        std::fs::write(&self.until, "")?;
        let ended = self.child.wait_with_output()?;
        let mut summary: Value =
            serde_json::from_slice(&ended.stdout).context("the clients printed no summary")?;
        for (kind, child) in self.others {
            let ended = child.wait_with_output()?;
            let said: Value = serde_json::from_slice(&ended.stdout)
                .with_context(|| format!("{kind} printed no summary"))?;
            ensure!(
                said["calls"].as_u64() > Some(0),
                "{kind} made no call: {said}"
            );
            for key in ["calls", "failed"] {
                let sum = summary[key].as_u64().unwrap_or_default()
                    + said[key].as_u64().unwrap_or_default();
                summary[key] = sum.into();
            }
            summary["kinds"][kind] = said;
        }
        let _gone = std::fs::remove_file(&self.until);
        Ok(summary)
    }
}
