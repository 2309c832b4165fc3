//! Whose turn is it? Rollouts that no user asked for start one after the other, with a pause, so
//! that a new version of the operator never restarts everything at once.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Lets one rollout start each pause.
#[derive(Debug)]
pub(crate) struct Turnstile {
    pause: Duration,
    last: Mutex<Option<Instant>>,
}

impl Turnstile {
    /// With this pause between two.
    #[must_use]
    pub(crate) const fn new(pause: Duration) -> Self {
        Self {
            pause,
            last: Mutex::new(None),
        }
    }

    /// Whether this one may start now.
    pub(crate) fn admit(&self) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let free = last.is_none_or(|last| now.duration_since(last) >= self.pause);
        if free {
            *last = Some(now);
        }
        free
    }

    /// How long to wait before asking again.
    #[must_use]
    pub(crate) const fn pause(&self) -> Duration {
        self.pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn r20_one_rollout_starts_each_pause() {
        let turnstile = Turnstile::new(Duration::from_secs(10));
        assert!(turnstile.admit());
        assert!(!turnstile.admit());
        tokio::time::advance(Duration::from_secs(10)).await;
        assert!(turnstile.admit());
        assert!(!turnstile.admit());
    }
}
