//! Which pods served? The upstream counts calls by the address that they come from; the proxy's
//! pods are watched meanwhile, so that each call has a pod and each pod a generation (the hash of
//! its template). A rollout whose pods nobody called would show nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::process::Child;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::bench::{AGENTS, Bench};

/// A line for each thing that happens to a pod: its name, generation, address, readiness, and since
/// when it is asked to leave.
const COLUMNS: &str = "custom-columns=N:.metadata.name,G:.metadata.labels.pod-template-hash,\
                       A:.status.podIP,R:.status.conditions[?(@.type==\"Ready\")].status,\
                       L:.metadata.deletionTimestamp";
/// What kubectl prints where there is nothing.
const NONE: &str = "<none>";
/// The upstream's counts, by way of the API server.
const COUNTS: &str = "get --raw /api/v1/namespaces/mcp/services/upstream:8000/proxy/calls";

/// Calls by address.
type Counts = BTreeMap<String, u64>;

/// The watch of one resource's pods, and what was counted since it began.
#[derive(Debug)]
pub(super) struct Generations {
    kubectl: Child,
    told: PathBuf,
    tally: Tally,
}

impl Generations {
    /// Begins; calls before this are nobody's.
    pub(super) fn watch(bench: &Bench, name: &str) -> anyhow::Result<Self> {
        let told = bench.folder.join(format!("pods-{name}"));
        let label = format!("app.kubernetes.io/instance={name}");
        let words = [
            "-n",
            AGENTS,
            "get",
            "pods",
            "-l",
            &label,
            "--watch",
            "--no-headers",
            "-o",
            COLUMNS,
        ];
        let tally = Tally {
            seen: counts(bench)?,
            ..Tally::default()
        };
        let mut kubectl = bench.cluster.command("kubectl", &words);
        Ok(Self {
            kubectl: kubectl.stdout(File::create(&told)?).spawn()?,
            told,
            tally,
        })
    }

    /// Gives the calls since the last look to the pods that have the addresses now. To be done
    /// after each change: addresses come again, after a few hundred pods.
    pub(super) fn look(&mut self, bench: &Bench) -> anyhow::Result<()> {
        let now = counts(bench)?;
        ensure!(
            self.kubectl.try_wait()?.is_none(),
            "the watch of pods ended"
        );
        self.tally.look(&now, &std::fs::read_to_string(&self.told)?)
    }

    /// What came out.
    pub(super) fn served(&self) -> Served {
        self.tally.served()
    }
}

impl Drop for Generations {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        let _ended = self.kubectl.kill().and_then(|()| self.kubectl.wait());
    }
}

fn counts(bench: &Bench) -> anyhow::Result<Counts> {
    serde_json::from_str(&bench.k(COUNTS)?).context("the upstream's counts cannot be read")
}

#[derive(Debug, PartialEq, Eq)]
struct Pod {
    name: String,
    generation: String,
    address: String,
    /// Ready while nobody had asked it to leave.
    was_ready: bool,
}

/// Pods in the order in which they got their addresses.
fn pods(told: &str) -> Vec<Pod> {
    let mut pods: Vec<Pod> = Vec::new();
    for line in told.lines() {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let &[name, generation, address, ready, leaving] = columns.as_slice() else {
            continue;
        };
        let is_ready = ready == "True" && leaving == NONE;
        if let Some(pod) = pods.iter_mut().find(|pod| pod.name == name) {
            pod.was_ready |= is_ready;
        } else if address != NONE {
            pods.push(Pod {
                name: name.to_owned(),
                generation: generation.to_owned(),
                address: address.to_owned(),
                was_ready: is_ready,
            });
        }
    }
    pods
}

/// What was counted so far.
#[derive(Debug, Default)]
struct Tally {
    /// By address, what was given to pods already or came before the watch.
    seen: Counts,
    /// By pod that was ready.
    calls: BTreeMap<String, u64>,
    /// Those pods' generations.
    generations: BTreeMap<String, String>,
    /// Calls from addresses of no such pod.
    strange: u64,
}

impl Tally {
    fn look(&mut self, now: &Counts, told: &str) -> anyhow::Result<()> {
        let pods: Vec<Pod> = pods(told).into_iter().filter(|pod| pod.was_ready).collect();
        for pod in &pods {
            self.calls.entry(pod.name.clone()).or_default();
            self.generations
                .insert(pod.name.clone(), pod.generation.clone());
        }
        self.strange = 0;
        for (address, count) in now {
            let seen = self.seen.entry(address.clone()).or_default();
            let new = count.checked_sub(*seen);
            let new = new.context("the upstream began to count anew")?;
            match pods.iter().rev().find(|pod| pod.address == *address) {
                Some(pod) => {
                    *self.calls.entry(pod.name.clone()).or_default() += new;
                    *seen = *count;
                }
                // Perhaps the next look knows whose they are.
                None => self.strange += new,
            }
        }
        Ok(())
    }

    fn served(&self) -> Served {
        let mut generations: BTreeMap<&str, u64> = BTreeMap::new();
        for (pod, generation) in &self.generations {
            *generations.entry(generation).or_default() +=
                self.calls.get(pod).copied().unwrap_or_default();
        }
        let idle = generations.iter().filter(|(_, calls)| **calls == 0);
        Served {
            idle: idle
                .map(|(generation, _)| (*generation).to_owned())
                .collect(),
            generations: Share::of(generations.values().copied()),
            pods: Share::of(self.calls.values().copied()),
            strange: self.strange,
        }
    }
}

/// How many were ready, and how many of them were called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    ready: usize,
    served: usize,
    fewest: u64,
}

impl Share {
    fn of(calls: impl Iterator<Item = u64> + Clone) -> Self {
        Self {
            ready: calls.clone().count(),
            served: calls.clone().filter(|calls| *calls > 0).count(),
            fewest: calls.min().unwrap_or_default(),
        }
    }

    fn figures(self) -> Value {
        json!({ "ready": self.ready, "served": self.served, "fewest_calls": self.fewest })
    }
}

/// Who served calls.
#[derive(Debug)]
pub(super) struct Served {
    generations: Share,
    pods: Share,
    idle: Vec<String>,
    strange: u64,
}

impl Served {
    /// For the record.
    pub(super) fn figures(&self) -> Value {
        json!({ "generations": self.generations.figures(), "pods": self.pods.figures() })
    }

    /// Each generation that was ready served calls, there were as many of them as there had to be,
    /// and nobody else called.
    pub(super) fn holds(&self, least: usize) -> anyhow::Result<()> {
        let Self {
            idle,
            strange,
            generations,
            ..
        } = self;
        ensure!(
            idle.is_empty(),
            "pods of the generations {idle:?} were ready, and nobody called them"
        );
        ensure!(
            *strange == 0,
            "{strange} calls came from no pod that was ready"
        );
        ensure!(
            generations.ready >= least,
            "{} generations of pods were ready, of at least {least}",
            generations.ready
        );
        Ok(())
    }
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (generations, pods) = (self.generations, self.pods);
        write!(
            f,
            "{} of {} generations and {} of {} pods served calls",
            generations.served, generations.ready, pods.served, pods.ready
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "\
        gone old 10.1.0.2 True 2026-12-03T00:00:00Z\n\
        a1 first 10.1.0.3 True <none>\n\
        b1 second <none> <none> <none>\n\
        b1 second 10.1.0.4 False <none>\n";

    fn counts(pairs: &[(&str, u64)]) -> Counts {
        let pairs = pairs.iter();
        pairs
            .map(|(of, calls)| ((*of).to_owned(), *calls))
            .collect()
    }

    #[test]
    fn each_call_has_a_pod_and_each_pod_a_generation() {
        let mut tally = Tally {
            seen: counts(&[("10.1.0.3", 5)]),
            ..Tally::default()
        };
        tally.look(&counts(&[("10.1.0.3", 7)]), TOLD).unwrap();
        let served = tally.served();
        assert_eq!(
            served.figures()["generations"],
            json!({ "ready": 1, "served": 1, "fewest_calls": 2 })
        );
        // Pods that left before or were never ready are of no generation that must serve.
        served.holds(1).unwrap();
        assert!(served.holds(2).is_err());
        // An address comes again with another pod.
        let more = "b1 second 10.1.0.4 True <none>\na2 first 10.1.0.3 True <none>\n";
        let now = counts(&[("10.1.0.3", 9), ("10.1.0.4", 1)]);
        tally.look(&now, &[TOLD, more].concat()).unwrap();
        assert_eq!(tally.calls, counts(&[("a1", 2), ("a2", 2), ("b1", 1)]));
        tally.served().holds(2).unwrap();
    }

    #[test]
    fn a_generation_that_nobody_called_fails_the_proof() {
        let mut tally = Tally::default();
        let told = [TOLD, "b1 second 10.1.0.4 True <none>\n"].concat();
        tally.look(&counts(&[("10.1.0.3", 7)]), &told).unwrap();
        let words = tally.served().holds(2).unwrap_err().to_string();
        assert!(
            words.contains("second") && !words.contains("first"),
            "{words}"
        );
    }

    #[test]
    fn calls_of_nobody_fail_the_proof() {
        let mut tally = Tally::default();
        let now = counts(&[("10.1.0.3", 7), ("10.1.0.4", 1)]);
        tally.look(&now, TOLD).unwrap();
        assert!(tally.served().holds(1).is_err());
        assert!(tally.look(&counts(&[("10.1.0.3", 1)]), TOLD).is_err());
        // The watch may tell of a pod later than its first call is counted.
        let told = [TOLD, "b1 second 10.1.0.4 True <none>\n"].concat();
        tally.look(&now, &told).unwrap();
        tally.served().holds(2).unwrap();
    }
}
