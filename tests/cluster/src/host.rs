//! Can this machine carry the cluster, and what would it need?

use std::path::Path;
use std::process::Command;

use crate::call::{call, works};
use crate::cgroups;
use crate::error::Error;
use crate::say::say;

/// What is called, and the Debian package it comes in.
const RUNNING: [(&str, &str); 10] = [
    ("ip", "iproute2"),
    ("nsenter", "util-linux"),
    ("unshare", "util-linux"),
    ("setpriv", "util-linux"),
    ("iptables", "iptables"),
    ("ipset", "ipset"),
    ("nft", "nftables"),
    ("conntrack", "conntrack"),
    ("openssl", "openssl"),
    ("xz", "xz-utils"),
];
const BUILDING: [(&str, &str); 2] = [("gcc", "gcc"), ("pkg-config", "pkg-config")];

/// Everything needed to start the cluster is there, or all that is missing is said at once.
pub(crate) fn ready_to_run() -> Result<(), Error> {
    let mut missing = Vec::new();
    if !cfg!(target_os = "linux") {
        return Err(Error::Unsupported(vec![
            "Linux: its namespaces and control groups are what the nodes are made of".to_owned(),
        ]));
    }
    if !rustix::process::geteuid().is_root() {
        missing.push("root: namespaces, mounts, bridges and control groups are made".to_owned());
    }
    missing.extend(without(&RUNNING));
    missing.extend(cgroups::missing());
    if missing.is_empty() && !works(Command::new("unshare").args(SANDBOX).arg("true")) {
        missing.push(
            "network, mount and process namespaces (`unshare -n -m -p -f --mount-proc` fails)"
                .to_owned(),
        );
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::Unsupported(missing))
    }
}

const SANDBOX: [&str; 6] = ["-n", "-m", "-p", "-f", "--kill-child", "--mount-proc"];

/// Everything needed to build the programs is there.
pub(crate) fn ready_to_build(go: &str) -> Result<(), Error> {
    let mut missing = without(&BUILDING);
    if !Path::new("/usr/include/seccomp.h").exists()
        && !works(Command::new("pkg-config").args(["--exists", "libseccomp"]))
    {
        missing.push("libseccomp's headers (Debian package libseccomp-dev)".to_owned());
    }
    match call(Command::new("go").args(["env", "GOVERSION"])) {
        Err(_) => missing.push(format!("go {go} or newer")),
        Ok(version) if too_old(&version, go) => {
            missing.push(format!("go {go} or newer, not {}", version.trim()));
        }
        Ok(_) => (),
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::Unsupported(missing))
    }
}

/// Installs what Debian has, where that is possible; the checks say what is still missing.
pub(crate) fn install_for_running() {
    install(&RUNNING, &[]);
}

/// The same for building.
pub(crate) fn install_for_building() {
    let headers: &[&str] = if Path::new("/usr/include/seccomp.h").exists() {
        &[]
    } else {
        &["libseccomp-dev"]
    };
    install(&BUILDING, headers);
}

fn install(programs: &[(&str, &str)], more: &[&str]) {
    let absent = programs.iter().filter(|(program, _)| !there(program));
    let mut packages: Vec<&str> = absent.map(|(_, package)| *package).collect();
    packages.extend(more);
    packages.dedup();
    let root = rustix::process::geteuid().is_root();
    if packages.is_empty() || !root || !there("apt-get") {
        return;
    }
    say(&format!("installing {}", packages.join(" ")));
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    let update = call(apt.args(["update", "-qq"]));
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive")
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(&packages);
    if let Err(error) = update.and_then(|_| call(&mut apt)) {
        say(&format!("not installed: {error}"));
    }
}

fn without(programs: &[(&str, &str)]) -> Vec<String> {
    let absent = programs.iter().filter(|(program, _)| !there(program));
    absent
        .map(|(program, package)| format!("{program} (Debian package {package})"))
        .collect()
}

/// Whether a program is to be found; root's folders are often not in the path of a user.
fn there(program: &str) -> bool {
    let path = crate::environment::search_path();
    let folders = path.split(':').chain(["/usr/sbin", "/sbin"]);
    folders
        .into_iter()
        .any(|folder| Path::new(folder).join(program).is_file())
}

/// `go1.26.8` against the first two numbers that are needed.
fn too_old(version: &str, wanted: &str) -> bool {
    let numbers = |text: &str| -> Vec<u32> {
        let text = text.trim().trim_start_matches("go");
        text.split('.')
            .take(2)
            .filter_map(|part| part.parse().ok())
            .collect()
    };
    numbers(version) < numbers(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_go_is_told_from_a_newer_one() {
        assert!(too_old("go1.25.9\n", "1.26.0"));
        assert!(!too_old("go1.26.8\n", "1.26.0"));
        assert!(!too_old("go1.30\n", "1.26.0"));
        assert!(!too_old("go2.0\n", "1.26.0"));
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        assert_eq!(
            without(&[("no-such-program", "a-package"), ("sh", "dash")]),
            ["no-such-program (Debian package a-package)"]
        );
    }
}
