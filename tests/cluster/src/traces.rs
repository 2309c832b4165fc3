//! What did the cluster leave behind on the machine?
//!
//! Two pictures, one before and one after: the difference should be empty.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::call::call;
use crate::cgroups;
use crate::error::Error;
use crate::place::Place;
use crate::processes::{self, Process};

/// Commands whose words are compared, where they exist.
const ASKED: [&[&str]; 9] = [
    &["ip", "-br", "link"],
    &["ip", "-br", "addr"],
    &["ip", "route", "show", "table", "all"],
    &["ip", "-6", "route", "show"],
    &["ip", "rule"],
    &["ip", "netns"],
    &["nft", "list", "ruleset"],
    &["iptables-save"],
    &["ipset", "list", "-name"],
];
/// Settings that a kubelet or a network plugin would like to have.
const SETTINGS: [&str; 8] = [
    "vm/overcommit_memory",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
    "net/ipv4/ip_forward",
    "net/ipv4/conf/all/route_localnet",
    "net/netfilter/nf_conntrack_max",
];
/// Where nodes write in their own file systems, and must not in the machine's.
const USUAL: [&str; 10] = [
    "/var/lib/kubelet",
    "/var/lib/containerd",
    "/var/lib/cni",
    "/var/lib/etcd",
    "/run/containerd",
    "/run/xtables.lock",
    "/run/flannel",
    "/etc/cni",
    "/etc/kubernetes",
    "/opt/cni",
];

/// A picture of the machine: facts by the kind of thing they are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traces(BTreeMap<String, BTreeSet<String>>);

impl Traces {
    /// Looks at the machine as it is now.
    ///
    /// # Errors
    /// When what must be looked at cannot be read.
    pub fn now() -> Result<Self, Error> {
        let mut facts = BTreeMap::new();
        for words in ASKED {
            // What is not installed cannot have been used either.
            let Ok(said) = call(Command::new(words[0]).args(&words[1..])) else {
                continue;
            };
            let lines = said.lines().filter(|line| !line.starts_with('#'));
            facts.insert(words.join(" "), lines.map(without_counts).collect());
        }
        facts.insert("mounts".to_owned(), mounts()?);
        facts.insert("settings".to_owned(), settings());
        let exists = |path: &&str| Path::new(*path).exists();
        let files = USUAL.into_iter().filter(exists).map(str::to_owned);
        let root = Place::root().display().to_string();
        let place = Some(root).filter(|root| Path::new(root).exists());
        facts.insert("files".to_owned(), files.chain(place).collect());
        let groups = cgroups::left().into_iter();
        let groups = groups.map(|group| group.display().to_string()).collect();
        facts.insert("control groups".to_owned(), groups);
        facts.insert("processes".to_owned(), ours());
        Ok(Self(facts))
    }

    /// What is there after that was not before, and the other way round; empty is as it should be.
    #[must_use]
    pub fn difference(&self, after: &Self) -> Vec<String> {
        let nothing = BTreeSet::new();
        let mut found = Vec::new();
        for (kind, now) in &after.0 {
            // A program that was installed in between had nothing to say before.
            let before = self.0.get(kind).unwrap_or(&nothing);
            found.extend(
                now.difference(before)
                    .map(|fact| format!("new in {kind}: {fact}")),
            );
            found.extend(
                before
                    .difference(now)
                    .map(|fact| format!("gone from {kind}: {fact}")),
            );
        }
        found
    }
}

/// Packet counters in brackets are no trace.
fn without_counts(line: &str) -> String {
    let line = line.split('[').next().unwrap_or(line);
    line.trim_end().to_owned()
}

fn mounts() -> Result<BTreeSet<String>, Error> {
    let path = Path::new("/proc/self/mounts");
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn settings() -> BTreeSet<String> {
    let read = |name: &str| {
        let value = fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
        Some(format!("{name} = {}", value.trim()))
    };
    SETTINGS.into_iter().filter_map(read).collect()
}

/// Processes of the cluster: in another process namespace than this one, or named after its place.
fn ours() -> BTreeSet<String> {
    let namespace = |pid: i32| fs::read_link(processes::folder(pid).join("ns/pid")).ok();
    let here = namespace(rustix::process::getpid().as_raw_nonzero().get());
    let root = Place::root().to_string_lossy();
    let foreign = |process: &Process| {
        let there = namespace(process.pid);
        (there.is_some() && there != here)
            || process
                .arguments
                .iter()
                .any(|word| word.contains(root.as_ref()))
    };
    let all = processes::all().into_iter().filter(foreign);
    all.map(|process| format!("{} {}", process.pid, process.arguments.join(" ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(facts: &[&str]) -> Traces {
        let facts = facts.iter().map(|fact| (*fact).to_owned()).collect();
        Traces(BTreeMap::from([("links".to_owned(), facts)]))
    }

    #[test]
    fn both_directions_are_told() {
        let (before, after) = (picture(&["lo", "eth0"]), picture(&["lo", "veth1"]));
        assert_eq!(
            before.difference(&after),
            ["new in links: veth1", "gone from links: eth0"]
        );
        assert!(before.difference(&before).is_empty());
    }

    #[test]
    fn counters_are_no_trace() {
        assert_eq!(without_counts(":INPUT ACCEPT [12:840]"), ":INPUT ACCEPT");
    }
}
