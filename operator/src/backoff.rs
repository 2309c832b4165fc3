//! How long until a failed resource is tried again? Longer each time, each resource for itself.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Attempts by resource.
#[derive(Debug, Default)]
pub(crate) struct Backoff(Mutex<HashMap<String, u32>>);

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(300);

impl Backoff {
    /// It failed once more.
    pub(crate) fn failed(&self, uid: &str) -> Duration {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = attempts.entry(uid.to_owned()).or_default();
        let pause = FIRST.saturating_mul(1 << (*attempt).min(16)).min(LONGEST);
        *attempt = attempt.saturating_add(1);
        jitter(pause)
    }

    /// It went well, or it is gone.
    pub(crate) fn forget(&self, uid: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(uid);
    }

    /// Drops resources that are gone.
    pub(crate) fn retain(&self, uids: &BTreeSet<String>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|uid, _| uids.contains(uid));
    }
}

/// Up to a quarter more, so that many do not come back at once.
#[must_use]
pub(crate) fn jitter(pause: Duration) -> Duration {
    let share = getrandom::u32().unwrap_or_default();
    pause + pause.mul_f64(f64::from(share) / f64::from(u32::MAX) / 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r11_each_resource_waits_longer_each_time_and_starts_anew_after_success() {
        let backoff = Backoff::default();
        let pauses: Vec<Duration> = (0..12).map(|_| backoff.failed("a")).collect();
        assert!(pauses[0] >= FIRST && pauses[0] <= FIRST.mul_f64(1.25));
        assert!(pauses[3] >= FIRST * 8 && pauses[3] <= (FIRST * 8).mul_f64(1.25));
        assert!(pauses[11] >= LONGEST && pauses[11] <= LONGEST.mul_f64(1.25));
        assert!(backoff.failed("b") < Duration::from_secs(1));
        backoff.forget("a");
        assert!(backoff.failed("a") < Duration::from_secs(1));
    }

    #[test]
    fn r11_a_resource_that_is_gone_is_forgotten() {
        let backoff = Backoff::default();
        for uid in ["a", "b"] {
            for _ in 0..8 {
                backoff.failed(uid);
            }
        }
        backoff.retain(&["b".to_owned()].into());
        assert!(backoff.failed("a") < Duration::from_secs(1));
        assert!(backoff.failed("b") > Duration::from_secs(60));
    }
}
