//! What was measured, when, with what and on what kind of machine? The files of `eval/results`,
//! from which the page of benchmarks is printed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::measure::Figures;
use crate::peers::Peer;
use crate::run::{By, SetRun};
use crate::tokens::Definitions;

/// When, with what, and where something was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The day, in UTC.
    pub date: String,
    /// Of the code.
    pub version: String,
    /// Kind of processor, cores and memory: nothing that names a machine.
    pub machine: String,
}

impl Stamp {
    /// Now and here.
    #[must_use]
    pub fn now() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            date: date(seconds.map_or(0, |since| since.as_secs())),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine: format!("{}, {cores} cores{}", std::env::consts::ARCH, memory()),
        }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            date,
            version,
            machine,
        } = self;
        write!(to, "Recorded {date}, version {version}, on {machine}.")
    }
}

/// `ranking.json` and `peers.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Rankings {
    /// Our model's digest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub embedder: String,
    /// Our weights.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub weights: String,
    /// The peers, in the order of the figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<Peer>,
    /// One entry a set.
    pub sets: Vec<SetRecord>,
}

impl Rankings {
    /// Puts a set in the place of the record that it renews.
    pub fn renew(&mut self, set: SetRecord) {
        match self.sets.iter_mut().find(|known| known.set == set.set) {
            Some(known) => *known = set,
            None => self.sets.push(set),
        }
    }

    /// A set by name.
    #[must_use]
    pub fn set(&self, name: &str) -> Option<&SetRecord> {
        self.sets.iter().find(|set| set.set == name)
    }
}

/// The means of one set, without its questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetRecord {
    /// When and where.
    pub recorded: Stamp,
    /// The set's name.
    pub set: String,
    /// Of its files.
    pub digest: String,
    /// Tools in it.
    pub tools: usize,
    /// Which part was asked.
    pub split: String,
    /// Names of the rankings.
    pub rankings: Vec<String>,
    /// All questions, then by language, then by kind.
    pub groups: Vec<GroupRecord>,
}

/// The means of one group of questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// What the questions have in common.
    pub by: By,
    /// Which.
    pub name: String,
    /// Questions in it.
    pub n: usize,
    /// By ranking.
    pub figures: Vec<Figures>,
    /// Bounds of the last ranking's recall at 5.
    pub bounds: [f64; 2],
}

impl SetRecord {
    /// The means of a run.
    #[must_use]
    pub fn of(run: &SetRun, split: &str) -> Self {
        let rankings = run.rankings.len();
        let groups = run.groups().into_iter().map(|group| {
            let last = group.estimate(rankings.saturating_sub(1));
            GroupRecord {
                by: group.by,
                name: group.name.to_owned(),
                n: group.questions.len(),
                figures: (0..rankings).map(|at| rounded(group.mean(at))).collect(),
                bounds: [round(last.low), round(last.high)],
            }
        });
        Self {
            recorded: Stamp::now(),
            set: run.set.clone(),
            digest: run.digest.clone(),
            tools: run.tools,
            split: split.to_owned(),
            rankings: run.rankings.clone(),
            groups: groups.collect(),
        }
    }
}

/// `tokens.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tokens {
    /// When and where.
    pub recorded: Stamp,
    /// Which tokenizer counts.
    pub tokenizer: String,
    /// By size of the catalog.
    pub definitions: Vec<Definitions>,
}

/// `answers.json`: what one `search_tools` answer costs, measured on a running proxy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answers {
    /// When and where.
    pub recorded: Stamp,
    /// Which tokenizer counts.
    pub tokenizer: String,
    /// By size of the catalog.
    pub sizes: Vec<AnswerTokens>,
}

/// Tokens of the answers at one size of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerTokens {
    /// Tools in the catalog.
    pub tools: usize,
    /// Questions asked.
    pub questions: usize,
    /// Half of the answers have at most this many.
    pub p50: usize,
    /// 95 of 100 have at most this many.
    pub p95: usize,
    /// None has more.
    pub max: usize,
}

/// `criterion.json`: how long things take.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Timings {
    /// When and where.
    pub recorded: Stamp,
    /// By name.
    pub timings: Vec<Timing>,
}

/// One benchmark's estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Its full name.
    pub id: String,
    /// Mean of one iteration, or of one of its elements.
    pub ns: f64,
}

/// `wire.json`: calls over sockets, measured by the harness of the proxy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Wire {
    /// When and where.
    pub recorded: Stamp,
    /// Upstream alone first, then behind a bare proxy, then through ours.
    pub rows: Vec<WireRow>,
}

/// One way to make the same call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WireRow {
    /// Which way.
    pub name: String,
    /// Median of calls one after the other.
    pub p50_us: f64,
    /// The slowest of a hundred.
    pub p99_us: f64,
    /// With many at once.
    pub calls_per_second: f64,
}

/// What clients met while everything changed, from the tests on a cluster.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Rollouts {
    /// When and where.
    pub recorded: Stamp,
    /// While nothing changed.
    pub calm: Load,
    /// While everything did.
    pub changing: Load,
    /// Each change that was made, in order.
    pub changes: Vec<Change>,
    /// Who served the calls while everything changed, where that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<Served>,
}

/// Who served calls.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Served {
    /// Pods of one template together.
    pub generations: ServedShare,
    /// Each by itself.
    pub pods: ServedShare,
}

/// How many of those that could serve did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServedShare {
    /// Ready at some time.
    pub ready: u64,
    /// With calls.
    pub served: u64,
    /// Calls of the one with the fewest.
    pub fewest_calls: u64,
}

/// The sum of all clients.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Load {
    /// Calls made.
    pub calls: u64,
    /// Those that failed in any way.
    pub failed: u64,
    /// By kind of client.
    pub kinds: std::collections::BTreeMap<String, LoadKind>,
}

/// One kind of client.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LoadKind {
    /// Calls made.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Median, where it was measured.
    pub p50_ms: Option<f64>,
    /// The slowest of a hundred.
    pub p99_ms: Option<f64>,
    /// The longest time without an answer to any client of the kind.
    pub longest_gap_ms: Option<f64>,
}

/// One change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Change {
    /// What was changed.
    pub change: String,
    /// Until everything was settled again.
    pub seconds: f64,
}

/// Where the records are.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results")
}

/// Reads one of the files.
///
/// # Errors
/// It is not there, or is not what it should be.
pub fn read<T: DeserializeOwned>(name: &str) -> anyhow::Result<T> {
    let file = folder().join(name);
    let json = std::fs::read(&file)
        .with_context(|| format!("nothing is recorded as eval/results/{name}"))?;
    serde_json::from_slice(&json).with_context(|| format!("eval/results/{name} is no such record"))
}

/// Writes one of the files.
///
/// # Errors
/// It cannot be written.
pub fn write(name: &str, record: &impl Serialize) -> anyhow::Result<()> {
    let file = folder().join(name);
    let json = serde_json::to_string_pretty(record)? + "\n";
    std::fs::write(&file, json).with_context(|| format!("failed to write eval/results/{name}"))
}

fn rounded(figures: Figures) -> Figures {
    Figures {
        recall: figures.recall.map(round),
        mrr: round(figures.mrr),
        ndcg: round(figures.ndcg),
    }
}

fn round(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

fn memory() -> String {
    let known = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = known
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = total.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.map_or_else(String::new, |kb| format!(", {:.0} GB of memory", kb / 1e6))
}

/// The day of a Unix time (Hinnant, "chrono-compatible low-level date algorithms").
fn date(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::{Stamp, date, round};

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_796_083_199, "2026-11-30"),
            (1_796_083_200, "2026-12-01"),
        ] {
            assert_eq!(date(seconds), day);
        }
        assert!(!Stamp::now().machine.is_empty());
        assert_eq!(round(0.123_456), 0.12346);
    }
}
