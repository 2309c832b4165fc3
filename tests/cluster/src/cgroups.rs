//! Which control groups do the nodes live in?
//!
//! Each node has one of its own in every controller, made beforehand, for its kubelet to hang the
//! pods under: two kubelets that shared one would clean up after each other.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::wait::until;

const ROOT: &str = "/sys/fs/cgroup";
const CONTROLLERS: [&str; 9] = [
    "cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids", "systemd",
];
const PREFIX: &str = "toolsearch-";

/// One hierarchy for all controllers (version 2) instead of one for each.
fn unified() -> bool {
    Path::new(ROOT).join("cgroup.controllers").exists()
}

/// The name that a node's kubelet is told.
pub(crate) fn name(node: &str) -> String {
    format!("{PREFIX}{node}")
}

/// What the machine lacks for it.
pub(crate) fn missing() -> Vec<String> {
    if unified() {
        let enabled = Path::new(ROOT).join("cgroup.subtree_control");
        let enabled = fs::read_to_string(enabled).unwrap_or_default();
        let absent = ["cpu", "cpuset", "memory", "pids"]
            .into_iter()
            .filter(|controller| !enabled.split_whitespace().any(|word| word == *controller));
        return absent
            .map(|controller| {
                format!("the control group controller {controller} (in cgroup.subtree_control)")
            })
            .collect();
    }
    let absent = CONTROLLERS
        .iter()
        .filter(|controller| !Path::new(ROOT).join(controller).is_dir());
    absent
        .map(|controller| format!("the control group controller {controller}"))
        .collect()
}

/// Makes a node's groups. A node that comes back finds them empty, as after a power cut: its kubelet
/// would look at each group of a dead container for three seconds before it did anything else.
pub(crate) fn make(node: &str) -> Result<(), Error> {
    remove_named(|found| found == name(node))?;
    let root = Path::new(ROOT);
    let folders: Vec<PathBuf> = if unified() {
        vec![root.join(name(node))]
    } else {
        CONTROLLERS
            .iter()
            .map(|controller| root.join(controller).join(name(node)))
            .collect()
    };
    for folder in folders {
        fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
    }
    if unified() {
        return Ok(());
    }
    // A new cpuset group is empty, and nothing can join it before it is filled.
    for file in ["cpuset.cpus", "cpuset.mems"] {
        let from = root.join("cpuset").join(file);
        let to = root.join("cpuset").join(name(node)).join(file);
        let value = fs::read_to_string(&from).map_err(Error::file("read", &from))?;
        fs::write(&to, value).map_err(Error::file("write", &to))?;
    }
    Ok(())
}

/// Removes the groups of every node, and those that the kernel made along with them.
pub(crate) fn remove_all() -> Result<(), Error> {
    remove_named(|_| true)
}

fn remove_named(wanted: impl Fn(&str) -> bool) -> Result<(), Error> {
    let named = |folder: &PathBuf| {
        let name = folder.file_name().map(OsStr::to_string_lossy);
        name.is_some_and(|name| wanted(&name))
    };
    for folder in left().into_iter().filter(named) {
        // A group whose last process has just ended answers "busy" for a moment.
        until("a control group's end", 10, || {
            remove(&folder);
            if folder.exists() {
                Err(folder.display().to_string())
            } else {
                Ok(())
            }
        })?;
    }
    Ok(())
}

/// Every group of ours that is there.
pub(crate) fn left() -> Vec<PathBuf> {
    let of_root = fs::read_dir(ROOT).into_iter().flatten().flatten();
    let mut parents: Vec<PathBuf> = of_root.map(|entry| entry.path()).collect();
    parents.push(ROOT.into());
    let entries = parents
        .iter()
        .filter_map(|parent| fs::read_dir(parent).ok())
        .flat_map(Iterator::flatten);
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    ours.map(|entry| entry.path()).collect()
}

/// Deepest first; what is busy stays for the next try.
fn remove(folder: &Path) {
    let below = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove(&entry.path());
    }
    let _ = fs::remove_dir(folder);
}
