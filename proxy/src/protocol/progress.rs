//! Progress of one call on its way from the upstream to the caller.

use std::fmt;

use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// One `notifications/progress` without its token: numbers keep the text they came with.
///
/// `Debug` shows the value without the sentence.
#[derive(Clone)]
pub struct Progress {
    /// Strictly increasing within one call.
    pub progress: Box<RawValue>,
    /// The expected end value, where known.
    pub total: Option<Box<RawValue>>,
    /// A sentence for a person.
    pub message: Option<String>,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("progress", &self.progress.get())
            .finish_non_exhaustive()
    }
}

/// Where a call's progress goes; a full channel drops the notification, never the call.
pub type ProgressSender = mpsc::Sender<Progress>;
