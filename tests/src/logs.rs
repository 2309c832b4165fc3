//! Everything that is logged, at every level, by every crate.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use toolsearch_telemetry::logging::{Format, subscriber};

/// A capture of the log of this whole process.
#[derive(Debug, Clone, Default)]
pub struct Logs {
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Logs {
    /// Starts capturing at the finest level; once a process.
    ///
    /// # Panics
    /// Another subscriber is installed.
    #[must_use]
    pub fn capture() -> Self {
        let logs = Self::default();
        let writer = logs.clone();
        let lines = subscriber(Format::Json, "trace", move || writer.clone()).expect("a filter");
        tracing::subscriber::set_global_default(lines).expect("the first subscriber");
        logs
    }

    /// Starts capturing what this thread logs, until the guard is dropped.
    ///
    /// # Panics
    /// Never: the filter is a level.
    #[must_use]
    pub fn of_this_thread() -> (Self, tracing::subscriber::DefaultGuard) {
        let logs = Self::default();
        let writer = logs.clone();
        let lines = subscriber(Format::Json, "info", move || writer.clone()).expect("a filter");
        (logs, tracing::subscriber::set_default(lines))
    }

    /// What was logged so far.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned()
    }
}

impl Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
