//! How does a part of the cluster get namespaces of its own, and how does it end?
//!
//! A sandbox is a network, a mount and a process namespace, held by one process: killing it ends all
//! that runs inside, sandboxes within sandboxes included.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::call::{call, said_by, start_error};
use crate::environment;
use crate::error::Error;
use crate::place::{Lock, Place};
use crate::processes::Process;
use crate::wait::until;

const HOLDER: &str = include_str!("holder.sh");
/// Seconds for a sandbox to be furnished.
const FURNISH: u64 = 60;

/// A sandbox, known by the process that holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Sandbox {
    pub(crate) name: String,
    pub(crate) holder: Process,
}

/// What keeps the outermost sandbox alive: dropped, or lost with its owner, it ends the sandbox.
#[derive(Debug)]
pub(crate) struct Lease {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Lease {
    /// The sandbox may outlive its owner.
    pub(crate) fn give_up(mut self) -> Result<(), Error> {
        let stdin = self.stdin.as_mut();
        let said = stdin.map_or(Ok(()), |stdin| stdin.write_all(b"keep\n"));
        said.map_err(Error::file("write to the holder of", Place::root()))
    }

    /// Ends it, without waiting for what is inside.
    pub(crate) fn end(mut self) {
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Sandbox {
    /// The outermost one. Its holder keeps the lock of the place for as long as it lives.
    pub(crate) fn outermost(name: &str, init: &str, lock: &Lock) -> Result<(Self, Lease), Error> {
        // Once: nodes start at the same time, and a shell reads its script as it goes.
        Place::write("holder.sh", HOLDER)?;
        furnish(name, init)?;
        let log = Place::log(&format!("{name}.log"));
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .map_err(Error::file("open", &log))?;
        let mut unshare = Command::new("setsid");
        unshare
            .args(command(name))
            .arg("lease")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(lock.copy()?)
            .stderr(log);
        let mut child = unshare.spawn().map_err(start_error(&unshare))?;
        let stdin = child.stdin.take();
        let lease = Lease { child, stdin };
        match Self::found(name) {
            Ok(sandbox) => Ok((sandbox, lease)),
            Err(error) => {
                lease.end();
                Err(error)
            }
        }
    }

    /// One inside this one, which ends with it.
    pub(crate) fn inner(&self, name: &str, init: &str) -> Result<Self, Error> {
        furnish(name, init)?;
        self.background(&format!("{name}.log"), &command(name))?;
        Self::found(name)
    }

    /// Waits until the holder has furnished its sandbox.
    fn found(name: &str) -> Result<Self, Error> {
        let ready = Place::file(&format!("{name}.ready"));
        let log = Place::log(&format!("{name}.log"));
        until(&format!("sandbox {name}"), FURNISH, || {
            if ready.exists() {
                Ok(())
            } else {
                Err(fs::read_to_string(&log).unwrap_or_default())
            }
        })?;
        Self::running(name).ok_or_else(|| {
            let said = said_by(&fs::read_to_string(&log).unwrap_or_default());
            Error::Invalid(format!("sandbox {name} ended at once{said}"))
        })
    }

    /// The sandbox of a name, if it is alive.
    pub(crate) fn running(name: &str) -> Option<Self> {
        let script = Place::file("holder.sh");
        let script = script.to_string_lossy();
        let holder = crate::processes::all().into_iter().find(|process| {
            let words: Vec<&str> = process.arguments.iter().map(String::as_str).collect();
            words.get(..3) == Some(&["sh", script.as_ref(), name])
        })?;
        Some(Self {
            name: name.to_owned(),
            holder,
        })
    }

    /// Ends everything inside.
    pub(crate) fn kill(&self) -> Result<(), Error> {
        self.holder.kill();
        until(&format!("the end of {}", self.name), 20, || {
            if self.holder.is_alive() {
                Err(String::new())
            } else {
                Ok(())
            }
        })
    }

    /// A command that runs inside, in all three namespaces, with the cluster's programs in its path.
    pub(crate) fn command<S: AsRef<str>>(&self, words: &[S]) -> Command {
        let mut command = Command::new("nsenter");
        command
            .arg("--target")
            .arg(self.holder.pid.to_string())
            .args(["--net", "--mount", "--pid", "--"])
            .args(words.iter().map(AsRef::as_ref))
            .env("PATH", path())
            // kubectl would keep what it learns of this cluster in the caller's home.
            .env("KUBECACHEDIR", Place::file("kubectl"));
        // There is no way out of the cluster, so a proxy of the machine's would only be in it.
        for name in [
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "http_proxy",
            "https_proxy",
            "all_proxy",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Runs to the end inside.
    pub(crate) fn call(&self, words: &[&str]) -> Result<String, Error> {
        call(&mut self.command(words))
    }

    /// A shell script inside that ends at the first failure.
    pub(crate) fn script(&self, script: &str) -> Result<String, Error> {
        self.call(&["sh", "-ec", script])
    }

    /// Starts something inside that stays; it becomes the holder's child, so nothing of it is left
    /// outside.
    pub(crate) fn background<S: AsRef<str>>(&self, log: &str, words: &[S]) -> Result<(), Error> {
        let log = Place::log(log).to_string_lossy().into_owned();
        let script = "log=$1; shift; setsid env -i PATH=\"$PATH\" HOME=/ \"$@\" >>\"$log\" 2>&1 </dev/null &";
        let mut all = vec!["sh", "-c", script, "start", &log];
        all.extend(words.iter().map(AsRef::as_ref));
        self.call(&all).map(drop)
    }
}

fn furnish(name: &str, init: &str) -> Result<(), Error> {
    Place::write(&format!("{name}.init"), init)?;
    fs::create_dir_all(Place::file("log")).map_err(Error::file("make", &Place::file("log")))?;
    let ready = Place::file(&format!("{name}.ready"));
    if ready.exists() {
        fs::remove_file(&ready).map_err(Error::file("remove", &ready))?;
    }
    Ok(())
}

fn command(name: &str) -> Vec<String> {
    let at = |file: &Path| file.to_string_lossy().into_owned();
    let mut words: Vec<String> = [
        "unshare",
        "-n",
        "-m",
        "-p",
        "-f",
        "--kill-child",
        "--mount-proc",
        "sh",
    ]
    .map(str::to_owned)
    .into();
    words.extend([
        at(&Place::file("holder.sh")),
        name.to_owned(),
        at(&Place::file(&format!("{name}.ready"))),
        at(&Place::file(&format!("{name}.init"))),
    ]);
    words
}

/// Programs of the cluster first, then the caller's, then root's, which a user's path may lack.
fn path() -> String {
    format!(
        "{}:{}:/usr/sbin:/usr/bin:/sbin:/bin",
        Place::bin().display(),
        environment::search_path()
    )
}
