//! The operator as a process of its own: started, listened to, signalled, waited for.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::apiserver::Server;

/// Far more than anything here takes, and less than a hung test run.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines as they come.
type Lines = Arc<Mutex<Vec<String>>>;

/// Waits until there is something.
async fn wait_for<T>(
    most: Duration,
    what: &str,
    lines: &Lines,
    mut look: impl FnMut() -> Option<T>,
) -> T {
    let looking = async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    let found = timeout(most, looking).await;
    found.unwrap_or_else(|_| panic!("waited for in vain: {what}; {:#?}", lines.lock().unwrap()))
}

/// The program with flags and variables, and with no others.
pub(crate) fn command(flags: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolsearch-operator"));
    command
        .env_clear()
        .args([
            "run",
            "--proxy-image",
            "registry.example/toolsearch:1",
            "--diagnostics",
            "127.0.0.1:0",
        ])
        .args(flags)
        .envs(variables.iter().copied());
    command
}

/// A running operator; killed with the test.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    lines: Lines,
    reader: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl Program {
    pub(crate) fn start(server: &Server, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kubeconfig");
        std::fs::write(&file, server.kubeconfig()).unwrap();
        let mut child = command(flags, variables)
            .env("KUBECONFIG", file)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stderr.take().unwrap());
        let lines = Lines::default();
        let heard = Arc::clone(&lines);
        let reader = std::thread::spawn(move || {
            for line in output.lines() {
                heard.lock().unwrap().push(line.unwrap());
            }
        });
        Self {
            child,
            lines,
            reader: Some(reader),
            _folder: folder,
        }
    }

    /// Everything that was logged so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// The first line with this in it, once it is there.
    pub(crate) async fn says(&self, part: &str) -> String {
        wait_for(PATIENCE, part, &self.lines, || {
            let lines = self.lines();
            lines.into_iter().find(|line| line.contains(part))
        })
        .await
    }

    /// Waits until of these kinds all that was asked for whole has been read: it is watched then.
    #[cfg(target_os = "linux")]
    pub(crate) async fn has_read(&self, server: &Server, plurals: &[&str]) {
        wait_for(PATIENCE, "what was listed", &self.lines, || {
            let asked = server.asked();
            let is_asked = |words: String| asked.contains(&words);
            let mut all = plurals.iter();
            all.all(|plural| {
                !is_asked(format!("GET {plural} ")) || is_asked(format!("WATCH {plural}"))
            })
            .then_some(())
        })
        .await;
    }

    /// Waits until it asks for something that begins so.
    pub(crate) async fn asks(&self, server: &Server, beginning: &str) {
        wait_for(PATIENCE, beginning, &self.lines, || {
            let asked = server.asked();
            let mut begun = asked.iter().filter(|one| one.starts_with(beginning));
            begun.next().map(|_| ())
        })
        .await;
    }

    /// The most memory that it ever held at once, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak(&self) -> usize {
        let file = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(file).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next());
        kilobytes.unwrap().parse::<usize>().unwrap() << 10
    }

    /// Tells it to end.
    pub(crate) fn terminate(&self) {
        let process = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(process, Signal::TERM).unwrap();
    }

    /// The exit code, and everything that was logged; `None` where a signal ended it.
    pub(crate) async fn ended(mut self, most: Option<Duration>) -> (Option<i32>, Vec<String>) {
        let most = most.unwrap_or(PATIENCE);
        let status = wait_for(most, "its end", &self.lines, || {
            self.child.try_wait().unwrap()
        })
        .await;
        self.reader.take().unwrap().join().unwrap();
        (status.code(), self.lines())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that has ended is gone already.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}
