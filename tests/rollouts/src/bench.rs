//! The cluster with everything in it that the checks need, and how they speak to it.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use toolsearch_cluster::{Cluster, Image, Options};

use crate::Arguments;

/// The namespace of the operator, of the resources, of the upstream.
pub(crate) const SYSTEM: &str = "toolsearch-system";
pub(crate) const AGENTS: &str = "agents";

/// A cluster, ready for checks.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) cluster: Cluster,
    pub(crate) load: PathBuf,
    pub(crate) operator: PathBuf,
    pub(crate) chart: String,
    pub(crate) folder: PathBuf,
    pub(crate) models: PathBuf,
    pub(crate) sdks: PathBuf,
    pub(crate) repeats: usize,
    pub(crate) quiet: u64,
    pub(crate) record: Option<PathBuf>,
}

impl Bench {
    /// Packs the images, starts the cluster, installs the chart and the upstream.
    pub(crate) fn start(arguments: &Arguments) -> anyhow::Result<Self> {
        let folder =
            std::env::temp_dir().join(format!("toolsearch-rollouts-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let images = vec![
            product(arguments, &folder, "a")?,
            product(arguments, &folder, "b")?,
            helper(arguments, &folder)?,
        ];
        let cluster = Cluster::up(&Options {
            nodes: 2,
            images,
            ..Options::default()
        })?;
        let bench = Self {
            cluster,
            load: std::path::absolute(&arguments.load)?,
            operator: std::path::absolute(&arguments.operator)?,
            chart: std::path::absolute(&arguments.chart)?.display().to_string(),
            folder,
            models: arguments.models.clone(),
            sdks: std::path::absolute(&arguments.sdks)?,
            repeats: arguments.repeats,
            quiet: arguments.quiet,
            record: arguments.record.clone(),
        };
        bench.apply(include_str!("../manifests/upstream.yaml"))?;
        bench.install(&[])?;
        bench.k("-n mcp rollout status deploy/upstream deploy/mirror --timeout=60s")?;
        Ok(bench)
    }

    /// Installs or upgrades the chart with these settings.
    pub(crate) fn install(&self, settings: &[&str]) -> anyhow::Result<()> {
        let mut words = vec![
            "upgrade",
            "--install",
            "op",
            &self.chart,
            "-n",
            SYSTEM,
            "--create-namespace",
            "--wait",
            "--timeout",
            "120s",
            "--set",
            "image.registry=localhost",
            "--set",
            "image.repository=toolsearch",
            "--set",
            "image.tag=a",
            "--set",
            "image.pullPolicy=Never",
        ];
        for setting in settings {
            words.extend(["--set", setting]);
        }
        self.cluster.helm(&words)?;
        Ok(())
    }

    /// kubectl with these words.
    pub(crate) fn k(&self, words: &str) -> anyhow::Result<String> {
        let words: Vec<&str> = words.split_whitespace().collect();
        Ok(self.cluster.kubectl(&words)?)
    }

    /// kubectl with words that hold spaces.
    pub(crate) fn kubectl(&self, words: &[&str]) -> anyhow::Result<String> {
        Ok(self.cluster.kubectl(words)?)
    }

    /// What kubectl says when it refuses.
    pub(crate) fn refused(&self, words: &str) -> anyhow::Result<String> {
        match self.k(words) {
            Ok(printed) => bail!("`kubectl {words}` went through: {printed}"),
            Err(error) => Ok(format!("{error:#}")),
        }
    }

    pub(crate) fn apply(&self, manifest: &str) -> anyhow::Result<()> {
        self.cluster.apply(manifest)?;
        Ok(())
    }

    /// What the API server says of a manifest that it refuses.
    pub(crate) fn refuses(&self, manifest: &str) -> anyhow::Result<String> {
        match self.cluster.apply(manifest) {
            Ok(printed) => bail!("it was taken: {printed}"),
            Err(error) => Ok(format!("{error:#}")),
        }
    }

    /// One object as JSON.
    pub(crate) fn get(&self, what: &str) -> anyhow::Result<Value> {
        let text = self.k(&format!("-n {AGENTS} get {what} -o json"))?;
        serde_json::from_str(&text).context("kubectl printed no JSON")
    }

    /// Applies a resource with this spec (as JSON).
    pub(crate) fn resource(&self, name: &str, spec: &Value) -> anyhow::Result<()> {
        self.apply(&manifest(name, spec).to_string())
    }

    /// Merges into the spec of a resource.
    pub(crate) fn patch(&self, name: &str, spec: &Value) -> anyhow::Result<()> {
        let patch = serde_json::json!({ "spec": spec }).to_string();
        self.kubectl(&[
            "-n",
            AGENTS,
            "patch",
            "tsp",
            name,
            "--type=merge",
            "-p",
            &patch,
        ])?;
        Ok(())
    }

    /// The status and reason of one condition.
    pub(crate) fn condition(
        &self,
        name: &str,
        kind: &str,
    ) -> anyhow::Result<(String, String, String)> {
        let object = self.get(&format!("tsp/{name}"))?;
        let list = object["status"]["conditions"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let found = list
            .into_iter()
            .find(|condition| condition["type"] == kind)
            .unwrap_or_default();
        let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        Ok((text("status"), text("reason"), text("message")))
    }

    /// Waits for a condition's reason.
    pub(crate) fn reason(
        &self,
        name: &str,
        kind: &str,
        reason: &str,
        seconds: u64,
    ) -> anyhow::Result<String> {
        let mut last = Default::default();
        let found = wait(seconds, || {
            last = self.condition(name, kind).unwrap_or_default();
            last.1 == reason
        });
        ensure!(
            found,
            "{kind} of {name} did not become {reason} within {seconds} s: {last:?}"
        );
        Ok(last.2)
    }

    /// Waits until a resource serves and rolls nothing.
    pub(crate) fn settled(&self, name: &str, seconds: u64) -> anyhow::Result<()> {
        let mut last = String::new();
        let found = wait(seconds, || {
            let Ok(object) = self.get(&format!("tsp/{name}")) else {
                return false;
            };
            last = object["status"].to_string();
            let list = object["status"]["conditions"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let is = |kind: &str, reason: &str| {
                list.iter()
                    .any(|one| one["type"] == kind && one["reason"] == reason)
            };
            object["status"]["observedGeneration"] == object["metadata"]["generation"]
                && is("Ready", "Serving")
                && is("Progressing", "RolledOut")
                && self.is_rolled_out(name)
        });
        ensure!(found, "{name} did not settle within {seconds} s: {last}");
        Ok(())
    }

    fn is_rolled_out(&self, name: &str) -> bool {
        self.get(&format!("deploy/{name}")).is_ok_and(|object| {
            let status = &object["status"];
            status["observedGeneration"] == object["metadata"]["generation"]
                && status["updatedReplicas"] == object["spec"]["replicas"]
                && status["replicas"] == object["spec"]["replicas"]
                && status["availableReplicas"] == object["spec"]["replicas"]
        })
    }

    /// What to look at after a failure.
    pub(crate) fn aftermath(&self) -> String {
        let mut told = String::new();
        for words in [
            "get tsp,pods -A -o wide",
            "-n toolsearch-system logs -l app.kubernetes.io/name=toolsearch-operator --tail=40 --prefix",
            "get events -A --sort-by=.lastTimestamp",
        ] {
            let printed = self.k(words).unwrap_or_else(|error| format!("{error:#}"));
            let lines: Vec<&str> = printed.lines().collect();
            let last = lines.len().saturating_sub(60);
            told.push_str(&format!(
                "\n== kubectl {words}\n{}\n",
                lines[last..].join("\n")
            ));
        }
        told
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // What cannot be removed is in the folder for such things.
        let _left = std::fs::remove_dir_all(&self.folder);
    }
}

/// A resource in our namespace.
pub(crate) fn manifest(name: &str, spec: &Value) -> Value {
    serde_json::json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": name, "namespace": AGENTS }, "spec": spec,
    })
}

/// Asks twice a second until it is so.
pub(crate) fn wait(seconds: u64, mut is: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        if is() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        sleep(Duration::from_millis(500));
    }
}

/// The product's image; the two tags differ in one file, as two releases do.
fn product(arguments: &Arguments, folder: &Path, tag: &str) -> anyhow::Result<PathBuf> {
    let mut image = Image::new(&format!("localhost/toolsearch:{tag}"));
    image.program(&arguments.operator, "/usr/local/bin/toolsearch-operator")?;
    image.program(&arguments.proxy, "/usr/local/bin/toolsearch-proxy")?;
    let mark = folder.join(format!("mark-{tag}"));
    std::fs::write(&mark, tag)?;
    image.file(&mark, "/etc/toolsearch-release")?;
    image.entrypoint = vec!["/usr/local/bin/toolsearch-proxy".to_owned()];
    let out = folder.join(format!("toolsearch-{tag}.tar"));
    image.write(&out)?;
    Ok(out)
}

/// The image of upstream and mirror, with two small models in it.
fn helper(arguments: &Arguments, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut image = Image::new("localhost/toolsearch-load:a");
    image.program(&arguments.load, "/usr/local/bin/toolsearch-load")?;
    image.file(&arguments.models, "/models")?;
    image.entrypoint = vec!["/usr/local/bin/toolsearch-load".to_owned()];
    let out = folder.join("load.tar");
    image.write(&out)?;
    Ok(out)
}

/// Packs a model as an image, loads it, and gives its reference by digest.
pub(crate) fn model_image(bench: &Bench, model: &str) -> anyhow::Result<String> {
    let mut image = Image::new(&format!("localhost/model-{model}:a"));
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        image.file(&bench.models.join(model).join(file), &format!("/{file}"))?;
    }
    let out = bench.folder.join("model.tar");
    let digest = image.write(&out)?;
    bench.cluster.load(&out)?;
    let reference = format!("localhost/model-{model}@{digest}");
    bench
        .cluster
        .tag(&format!("localhost/model-{model}:a"), &reference)?;
    Ok(reference)
}
