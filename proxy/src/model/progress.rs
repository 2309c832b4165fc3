//! What does a person see of a download? One moving line on a terminal, a few lines elsewhere.
//!
//! The last line is one JSON object for a termination message. Lines that cannot be written are
//! lost: a closed standard error is no reason to stop.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use toolsearch_settings::size_text;

use crate::model::failure::Failure;
use crate::model::manifest::Entry;
use crate::model::mistakes::Mistakes;
use crate::model::options::Options;
use crate::model::outcome::Outcome;

/// Tells how it goes.
pub struct Reporter {
    out: Box<dyn Write + Send>,
    terminal: bool,
    report: Option<PathBuf>,
    current: Option<Current>,
}

struct Current {
    path: String,
    size: Option<u64>,
    quarter: u64,
    drawn: Instant,
}

const REDRAW: Duration = Duration::from_millis(200);

impl Reporter {
    /// Writes to `out`; `terminal` says whether a line there can be drawn over.
    #[must_use]
    pub const fn new(out: Box<dyn Write + Send>, terminal: bool) -> Self {
        Self {
            out,
            terminal,
            report: None,
            current: None,
        }
    }

    /// Writes the last line into this file too, as a container's termination message.
    #[must_use]
    pub fn reporting_to(mut self, file: Option<PathBuf>) -> Self {
        self.report = file;
        self
    }

    /// The line for machines.
    fn object(&mut self, object: &Value) {
        let text = object.to_string();
        self.line(&text);
        if let Some(file) = &self.report {
            // The exit code and the log say the same: a file that cannot be written loses nothing.
            let _ = std::fs::write(file, text);
        }
    }

    /// A file begins, or goes on.
    pub(crate) fn begin(&mut self, entry: &Entry, from: u64) {
        self.current = Some(Current {
            path: entry.path.clone(),
            size: entry.size,
            quarter: quarter(from, entry.size),
            drawn: Instant::now(),
        });
        let size = entry
            .size
            .map_or_else(String::new, |size| format!(", {}", rounded(size)));
        let from = if from > 0 {
            format!(", going on after {}", rounded(from))
        } else {
            String::new()
        };
        self.line(&format!("{}{size}{from}", entry.path));
    }

    /// So many bytes of the file are there.
    pub(crate) fn advanced(&mut self, bytes: u64) {
        let Some(current) = &mut self.current else {
            return;
        };
        let text = match current.size {
            Some(size) => format!("{} of {}", rounded(bytes), rounded(size)),
            None => rounded(bytes),
        };
        let text = format!("{}: {text}", current.path);
        if self.terminal {
            if current.drawn.elapsed() >= REDRAW {
                current.drawn = Instant::now();
                self.write(format_args!("\r{text}\u{1b}[K"));
            }
        } else if quarter(bytes, current.size) > current.quarter {
            current.quarter = quarter(bytes, current.size);
            self.line(&text);
        }
    }

    /// An attempt failed, and another will be made.
    pub(crate) fn pausing(&mut self, failure: &Failure, pause: Duration) {
        let seconds = pause.as_secs_f32();
        self.line(&format!("{failure}; trying again in {seconds:.1} s"));
    }

    /// The file is verified.
    pub(crate) fn finished(&mut self, entry: &Entry, bytes: u64) {
        self.current = None;
        self.line(&format!("{}: {} verified", entry.path, rounded(bytes)));
    }

    /// The last words: a line for people and one for machines.
    pub(crate) fn end(&mut self, options: &Options, done: &Result<Outcome, Failure>) {
        let folder = options.folder.display().to_string();
        match done {
            Ok(outcome) => {
                let reason = outcome.kind();
                let manifest = format!("sha256:{}", options.manifest.digest());
                let object = json!({ "reason": reason, "folder": folder, "manifest": manifest });
                self.line(&format!("the model in {folder} is complete and verified"));
                self.object(&object);
            }
            Err(failure) => {
                let object = json!({ "reason": failure.kind(), "message": chain(failure) });
                self.line(&format!("failed: {}", chain(failure)));
                self.object(&object);
            }
        }
    }

    /// The command line is wrong. Returns the exit code.
    pub(crate) fn usage(&mut self, mistakes: &Mistakes) -> u8 {
        self.line(&mistakes.to_string());
        let object = json!({ "reason": "Usage", "message": "the command line is wrong" });
        self.object(&object);
        Mistakes::EXIT_CODE
    }

    /// The process is told to stop. Returns the exit code.
    pub(crate) fn interrupted(&mut self) -> u8 {
        let message = "stopped; run it again to go on where it was";
        self.line(message);
        self.object(&json!({ "reason": "Interrupted", "message": message }));
        130
    }

    fn line(&mut self, text: &str) {
        let clear = if self.terminal { "\r\u{1b}[K" } else { "" };
        self.write(format_args!("{clear}{text}\n"));
    }

    fn write(&mut self, text: fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(text).and_then(|()| self.out.flush());
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporter")
            .field("terminal", &self.terminal)
            .finish_non_exhaustive()
    }
}

fn quarter(bytes: u64, size: Option<u64>) -> u64 {
    // Small files are there before anyone could read about their quarters.
    match size {
        Some(size) if size >= 16 << 20 => bytes * 4 / size,
        _ => 0,
    }
}

fn rounded(bytes: u64) -> String {
    let mebibytes = bytes >> 20;
    if mebibytes > 0 {
        return format!("{mebibytes} MiB");
    }
    size_text(usize::try_from(bytes).unwrap_or(usize::MAX))
}

fn chain(failure: &Failure) -> String {
    let mut text = failure.to_string();
    let mut cause = std::error::Error::source(failure);
    while let Some(each) = cause {
        text.push_str(&format!(": {each}"));
        cause = each.source();
    }
    text
}
