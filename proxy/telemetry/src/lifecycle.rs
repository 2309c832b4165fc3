//! Where in its life is this process? Starting, ready, draining.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// The phases, in the order they are passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Not everything is loaded.
    Starting,
    /// Listening, and everything loaded.
    Ready,
    /// Told to stop: still serving, and telling load balancers to look elsewhere.
    Draining,
    /// Told to stop a second time: no more waiting.
    Hurrying,
}

/// The phase of this process. Cheap to clone; never goes backwards.
#[derive(Debug, Clone)]
pub struct Lifecycle {
    phase: watch::Sender<Phase>,
    stuck: Arc<AtomicBool>,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self {
            phase: watch::Sender::new(Phase::Starting),
            stuck: Arc::default(),
        }
    }
}

impl Lifecycle {
    /// Moves on; a phase that was passed already is not gone back to.
    pub fn advance(&self, to: Phase) {
        self.phase.send_if_modified(|phase| {
            let onward = to > *phase;
            *phase = (*phase).max(to);
            onward
        });
    }

    /// The phase now.
    #[must_use]
    pub fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Says whether the process can still do its work; one that cannot is started anew.
    pub fn set_alive(&self, alive: bool) {
        self.stuck.store(!alive, Ordering::Relaxed);
    }

    /// Whether it can.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !self.stuck.load(Ordering::Relaxed)
    }

    /// Waits until this phase or a later one.
    pub async fn reached(&self, wanted: Phase) {
        let mut phase = self.phase.subscribe();
        // The sender lives in `self`, so the channel cannot be closed while this waits.
        let _closed = phase.wait_for(|phase| *phase >= wanted).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{Lifecycle, Phase};

    #[tokio::test]
    async fn phases_only_go_forward() {
        let lifecycle = Lifecycle::default();
        lifecycle.advance(Phase::Draining);
        lifecycle.advance(Phase::Ready);
        assert_eq!(lifecycle.phase(), Phase::Draining);
        lifecycle.reached(Phase::Ready).await;
    }
}
