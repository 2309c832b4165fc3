//! A proxy in a process of its own: nothing else is in its memory, and it can be killed.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use crate::client::Client;

/// Such a process, killed (SIGKILL) when dropped.
#[derive(Debug)]
pub struct Alone {
    /// Where clients connect.
    pub address: SocketAddr,
    process: Child,
}

impl Alone {
    /// Starts `program`, which is `toolsearch-alone`, as [`Running::start`](crate::Running::start)
    /// would start a proxy here.
    ///
    /// # Panics
    /// The flags are wrong, or the proxy does not start.
    pub async fn start(program: &str, upstream: &str, flags: &[&str]) -> Self {
        let mut process = Command::new(program)
            .arg(upstream)
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let out = process.stdout.take().expect("a pipe");
        let said = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            let read = BufReader::new(out).read_line(&mut line);
            read.map(|_| line)
        });
        let said = said.await.expect("no panic").expect("text");
        Self {
            address: said.trim().parse().expect("it says where it listens"),
            process,
        }
    }

    /// A client of this proxy.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(&format!("http://{}/mcp", self.address))
    }

    /// The most memory that it ever held, in KiB (`VmHWM` of proc(5), so on Linux alone).
    ///
    /// # Panics
    /// The process has ended.
    #[must_use]
    pub fn peak_kib(&self) -> u64 {
        let status = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(status).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.expect("a peak").trim().trim_end_matches(" kB");
        kib.parse().expect("a number")
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // It may have ended already.
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}
