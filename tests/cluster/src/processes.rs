//! Which processes are there, and whose children are they?

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// A process, told apart from a later one with the same number by the moment it was started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Process {
    /// Its number, seen from the machine.
    pub pid: i32,
    /// Clock ticks after the machine's start.
    started: u64,
    parent: i32,
    /// The program and its arguments.
    pub arguments: Vec<String>,
}

impl Process {
    /// The process of a number, if it is there and no zombie.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(folder(pid).join("stat")).ok()?;
        // The name in brackets may hold anything; what follows its last bracket does not.
        let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
        if *fields.first()? == "Z" {
            return None;
        }
        let line = fs::read(folder(pid).join("cmdline")).ok()?;
        let words = line
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty());
        Some(Self {
            pid,
            parent: fields.get(1)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
            arguments: words
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect(),
        })
    }

    /// Whether it still is the process that it was.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid).is_some_and(|now| now.started == self.started)
    }

    /// Ends it at once; never one that took over its number.
    pub(crate) fn kill(&self) {
        if let Some(pid) = Pid::from_raw(self.pid).filter(|_| self.is_alive()) {
            // It may have ended on its own in between, which is all that is wanted.
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// The program's own name, without its folder.
    #[must_use]
    pub fn program(&self) -> &str {
        let first = self.arguments.first().map_or("", String::as_str);
        first.rsplit('/').next().unwrap_or(first)
    }

    /// The process and everything that stems from it.
    pub(crate) fn family(&self) -> Vec<Self> {
        let mut children = BTreeMap::<i32, Vec<Self>>::new();
        for process in all() {
            children.entry(process.parent).or_default().push(process);
        }
        let mut family = vec![self.clone()];
        let mut at = 0;
        while at < family.len() {
            family.extend(children.remove(&family[at].pid).unwrap_or_default());
            at += 1;
        }
        family
    }
}

/// Every process that can be seen from here.
pub(crate) fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
    pids.filter_map(Process::of).collect()
}

/// The file of a process that says what it is.
pub(crate) fn folder(pid: i32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_is_found_and_ended() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let me = Process::of(i32::try_from(std::process::id()).unwrap()).unwrap();
        let found = me.family().into_iter().find(|process| process.pid == pid);
        let found = found.unwrap();
        assert!(found.is_alive());
        found.kill();
        child.wait().unwrap();
        assert!(!found.is_alive());
    }

    #[test]
    fn another_process_with_the_same_number_is_not_it() {
        let mut me = Process::of(i32::try_from(std::process::id()).unwrap()).unwrap();
        me.started += 1;
        assert!(!me.is_alive());
        me.kill();
    }
}
