//! What did the last whole look at a resource find? While nothing that is watched has changed, only
//! what no watch tells of is asked for again: contents of Secrets and `ConfigMap`s, the upstream.
//! At rest a resource without references costs the API server nothing.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use toolsearch_crds::v1alpha1::ToolSearchProxyStatus;

use crate::backoff::jitter;
use crate::reach::Reach;
use crate::references::Found;

/// How soon to look again at what is not as it should be, the first time.
const SOON: Duration = Duration::from_secs(10);
/// How soon at the latest, when it stays so.
const LATE: Duration = Duration::from_secs(60);
/// How soon to look again at what nothing tells of, where all is well.
const POLL: Duration = Duration::from_secs(30);

/// A whole look.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Look {
    /// The generation that was acted on.
    pub generation: Option<i64>,
    /// The status that was written, or was there.
    pub status: ToolSearchProxyStatus,
    /// What was found of the references.
    pub found: Found,
    /// The address of the pod that was asked.
    pub address: Option<String>,
    /// What it said.
    pub reach: Reach,
}

#[derive(Debug)]
struct Kept {
    look: Look,
    /// When to look at everything again, whatever is watched.
    until: Instant,
}

#[derive(Debug, Default)]
struct State {
    kept: HashMap<String, Kept>,
    /// Looks in a row that found the same, by resource.
    same: HashMap<String, u32>,
}

/// By resource.
#[derive(Debug, Default)]
pub(crate) struct Looks(Mutex<State>);

impl Looks {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Entries are only ever replaced whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last look, as long as it may stand for another.
    pub(crate) fn last(&self, uid: &str) -> Option<Look> {
        let state = self.lock();
        let kept = state.kept.get(uid)?;
        (Instant::now() < kept.until).then(|| kept.look.clone())
    }

    /// Nothing is known any more, until the look that begins now has ended well.
    pub(crate) fn begin(&self, uid: &str) {
        self.lock().kept.remove(uid);
    }

    /// This was found, and stands for the time of a resync, a little more for some than for others.
    pub(crate) fn keep(&self, uid: &str, look: Look, resync: Duration) {
        let until = Instant::now() + jitter(resync);
        self.lock()
            .kept
            .insert(uid.to_owned(), Kept { look, until });
    }

    /// When to look again: soon at what is wrong, less and less often while it stays the same.
    pub(crate) fn next(&self, uid: &str, is_well: bool, is_same: bool) -> Duration {
        let mut state = self.lock();
        let same = state.same.entry(uid.to_owned()).or_default();
        *same = if is_same { same.saturating_add(1) } else { 0 };
        if is_well {
            return POLL;
        }
        SOON.saturating_mul(1 << (*same).min(8)).min(LATE)
    }

    /// Drops what belongs to resources that are gone.
    pub(crate) fn retain(&self, uids: &BTreeSet<String>) {
        let mut state = self.lock();
        state.kept.retain(|uid, _| uids.contains(uid));
        state.same.retain(|uid, _| uids.contains(uid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_wrong_is_looked_at_less_and_less() {
        let looks = Looks::default();
        let seconds: Vec<u64> = [false, true, true, true, true, false]
            .map(|same| looks.next("a", false, same).as_secs())
            .into();
        assert_eq!(seconds, [10, 20, 40, 60, 60, 10]);
        assert_eq!(looks.next("a", true, true), POLL);
    }
}
