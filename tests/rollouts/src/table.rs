//! Which checks passed? A line each, at once and again at the end.

use std::fmt;
use std::time::Instant;

/// Results so far.
#[derive(Debug)]
pub(crate) struct Table {
    only: Option<String>,
    rows: Vec<(String, bool, String)>,
}

impl Table {
    pub(crate) const fn new(only: Option<String>) -> Self {
        Self {
            only,
            rows: Vec::new(),
        }
    }

    /// Runs one check, where it is asked for.
    pub(crate) fn check(&mut self, name: &str, check: impl FnOnce() -> anyhow::Result<String>) {
        if self.only.as_ref().is_some_and(|only| !name.contains(only)) {
            return;
        }
        let began = Instant::now();
        let ended = check();
        let seconds = began.elapsed().as_secs();
        let (good, words) = match ended {
            Ok(words) => (true, words),
            Err(error) => (false, format!("{error:#}")),
        };
        println!(
            "{} {name} ({seconds} s) {words}",
            if good { "ok    " } else { "FAILED" }
        );
        self.rows.push((name.to_owned(), good, words));
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed() > 0
    }

    pub(crate) fn passed(&self) -> usize {
        self.rows.iter().filter(|(_, good, _)| *good).count()
    }

    pub(crate) fn failed(&self) -> usize {
        self.rows.len() - self.passed()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, _, words) in self.rows.iter().filter(|(_, good, _)| !good) {
            writeln!(f, "FAILED {name}: {words}")?;
        }
        Ok(())
    }
}
