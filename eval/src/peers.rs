//! How do others rank the same tools for the same questions? Their packages run in a cached Python
//! environment of their own, and their rankings are judged as ours are.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::dataset::Dataset;
use crate::measure::DEPTH;
use crate::run::{SetRun, judged};

const REQUIREMENTS: &str = include_str!("../peers/requirements.txt");
const RUNNER: &str = include_str!("../peers/run.py");

/// A peer and the version that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// As the table heads its column.
    pub name: String,
    /// Of its package.
    pub version: String,
}

#[derive(Deserialize)]
struct Output {
    peers: Vec<Ranked>,
}

#[derive(Deserialize)]
struct Ranked {
    #[serde(flatten)]
    peer: Peer,
    /// None where it was too slow to be asked.
    rankings: Option<Vec<Vec<String>>>,
}

/// A Python environment with every peer in it.
#[derive(Debug)]
pub struct Environment {
    python: PathBuf,
}

impl Environment {
    /// The cached environment of these versions, made now where there is none.
    ///
    /// # Errors
    /// There is no Python, or the packages cannot be installed.
    pub fn prepare(progress: &mut impl Write) -> anyhow::Result<Self> {
        let digest = Sha256::digest(REQUIREMENTS);
        let key: String = digest
            .iter()
            .take(6)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let folder = cache()?.join(format!("peers-{key}"));
        let (python, complete) = (folder.join("bin").join("python"), folder.join("complete"));
        if complete.exists() && python.exists() {
            return Ok(Self { python });
        }
        writeln!(progress, "installing the peers, once for these versions")?;
        if folder.exists() {
            std::fs::remove_dir_all(&folder).context("failed to clear a half-made environment")?;
        }
        std::fs::create_dir_all(&folder)?;
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder)).context(
            "the peers need python3 (3.10 or newer) with its venv module, and it did not work",
        )?;
        let requirements = folder.join("requirements.txt");
        std::fs::write(&requirements, REQUIREMENTS)?;
        let install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ];
        run(Command::new(&python).args(install).arg(&requirements)).context(
            "the peers' packages could not be installed; is the Python package registry reachable?",
        )?;
        std::fs::write(&complete, "")?;
        Ok(Self { python })
    }

    /// Every peer's figures for a set.
    ///
    /// # Errors
    /// A peer fails, or answers something else than it was asked.
    pub fn rank(&self, dataset: &Dataset, split: &str) -> anyhow::Result<(Vec<Peer>, SetRun)> {
        let folder = tempfile::tempdir()?;
        let file = |name: &str| folder.path().join(name);
        let asked: Vec<&str> = dataset
            .asked(split)
            .map(|question| &*question.text)
            .collect();
        let input = json!({"depth": DEPTH, "tools": dataset.tools, "queries": asked});
        std::fs::write(file("in.json"), input.to_string())?;
        std::fs::write(file("run.py"), RUNNER)?;
        let [runner, input, output] = ["run.py", "in.json", "out.json"].map(file);
        run(Command::new(&self.python).args([&runner, &input, &output]))
            .with_context(|| format!("the peers failed on {}", dataset.name))?;
        let output: Output = serde_json::from_slice(&std::fs::read(output)?)?;
        let mut lists = output
            .peers
            .iter()
            .filter_map(|peer| peer.rankings.as_ref());
        if lists.any(|rankings| rankings.len() != asked.len()) {
            bail!("a peer left questions of {} out", dataset.name);
        }
        Ok(figures(dataset, split, output.peers))
    }
}

fn figures(dataset: &Dataset, split: &str, ranked: Vec<Ranked>) -> (Vec<Peer>, SetRun) {
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for (position, name) in dataset.names.iter().enumerate() {
        positions.entry(name).or_insert(position);
    }
    let peers = ranked.iter().map(|ranked| ranked.peer.clone()).collect();
    let asked: Vec<(String, Vec<Vec<String>>)> = ranked
        .into_iter()
        .filter_map(|ranked| Some((ranked.peer.name, ranked.rankings?)))
        .collect();
    let names = asked.iter().map(|(name, _)| name.clone()).collect();
    let mut next = 0..;
    let run = judged(dataset, split, names, |_| {
        let at = next.next().unwrap_or_default();
        let ranking = |(_, rankings): &(String, Vec<Vec<String>>)| {
            let known = rankings[at].iter();
            let known = known.filter_map(|name| positions.get(name.as_str()).copied());
            known.collect()
        };
        asked.iter().map(ranking).collect()
    });
    (peers, run)
}

/// Outside of the tree, where the test command keeps its programs too.
#[expect(
    clippy::disallowed_methods,
    reason = "a tool of developers has no settings; the environment says where caches are kept"
)]
fn cache() -> anyhow::Result<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value: &std::ffi::OsString| !value.is_empty());
    if let Some(folder) = set("TOOLSEARCH_CACHE") {
        return Ok(PathBuf::from(folder));
    }
    let cache = set("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&set("HOME")?).join(".cache")));
    let cache = cache.context("set TOOLSEARCH_CACHE: there is no home to keep the peers in")?;
    Ok(cache.join("toolsearch"))
}

/// Runs a program to its end; what it says goes to standard error.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let arguments: Vec<&OsStr> = command.get_args().take(3).collect();
    let called = format!(
        "{program} {}",
        arguments.join(OsStr::new(" ")).to_string_lossy()
    );
    let status = command
        .status()
        .with_context(|| format!("failed to start {program}"))?;
    if !status.success() {
        bail!("{called} ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Peer, Ranked, figures};
    use crate::dataset::Dataset;

    #[test]
    fn a_peers_ranking_is_judged_by_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.json");
        let set = r#"{"tools":[{"name":"a"},{"name":"b"}],"queries":[
            {"id":1,"text":"q","relevant":["a"],"split":"tune"},
            {"id":2,"text":"r","relevant":["b"],"split":"test"}]}"#;
        std::fs::write(&file, set).unwrap();
        let dataset = Dataset::read(&file, None).unwrap();
        let peer = Peer {
            name: "P".to_owned(),
            version: "1".to_owned(),
        };
        let ranked = Ranked {
            peer: peer.clone(),
            rankings: Some(vec![["stranger", "a", "b"].map(str::to_owned).to_vec()]),
        };
        let slow = Ranked {
            peer: Peer {
                name: "S".to_owned(),
                version: "2".to_owned(),
            },
            rankings: None,
        };
        let (peers, run) = figures(&dataset, "test", vec![slow, ranked]);
        assert_eq!((peers.len(), &peers[1]), (2, &peer));
        assert_eq!(run.rankings, ["P"]);
        assert_eq!(run.questions.len(), 1);
        assert_eq!(run.questions[0].figures[0].recall, [0.0, 1.0, 1.0, 1.0]);
    }
}
