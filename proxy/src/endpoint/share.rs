//! How much may one caller have under way at once? Counted by credential, so that one who floods
//! waits for itself and not the others for it.
//!
//! Guarantees: nothing is remembered of a caller that has nothing under way. Never counts callers
//! without a credential: they cannot be told apart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::caller::{Caller, CallerKey};

/// What each caller has under way of one kind of work.
#[derive(Debug, Clone)]
pub(super) struct Shares {
    most: usize,
    held: Arc<Mutex<HashMap<CallerKey, usize>>>,
}

/// One piece of work under way, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    of: Option<(Shares, CallerKey)>,
}

/// The caller has as much under way as it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exceeded {
    /// How much that is.
    pub(super) most: usize,
}

impl Shares {
    pub(super) fn new(most: usize) -> Self {
        let held = Arc::default();
        Self { most, held }
    }

    /// Begins one piece of work.
    pub(super) fn take(&self, caller: &Caller) -> Result<Share, Exceeded> {
        if caller.authorization().is_none() {
            return Ok(Share { of: None });
        }
        let mut held = self.held();
        let count = held.entry(caller.key()).or_default();
        if *count >= self.most {
            return Err(Exceeded { most: self.most });
        }
        *count += 1;
        let of = Some((self.clone(), caller.key()));
        Ok(Share { of })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<CallerKey, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let Some((shares, key)) = &self.of else {
            return;
        };
        let mut held = shares.held();
        if let Some(count) = held.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                held.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::{Exceeded, Shares};
    use crate::caller::Callers;

    #[test]
    fn each_caller_has_its_own_share() {
        let (shares, callers) = (Shares::new(2), Callers::new().unwrap());
        let [one, two] =
            ["one", "two"].map(|token| callers.identify(Some(HeaderValue::from_static(token))));
        let first = shares.take(&one).unwrap();
        let _second = shares.take(&one).unwrap();
        assert_eq!(shares.take(&one).unwrap_err(), Exceeded { most: 2 });
        assert!(shares.take(&two).is_ok());
        drop(first);
        assert!(shares.take(&one).is_ok());
        let nobody = callers.identify(None);
        let many: Vec<_> = (0..10).map(|_| shares.take(&nobody)).collect();
        assert!(many.iter().all(Result::is_ok));
    }

    #[test]
    fn nothing_is_left_of_a_thousand_callers() {
        let (shares, callers) = (Shares::new(1), Callers::new().unwrap());
        let taken: Vec<_> = (0..1000)
            .map(|at| callers.identify(HeaderValue::from_str(&format!("Bearer {at}")).ok()))
            .map(|caller| shares.take(&caller).unwrap())
            .collect();
        assert_eq!(shares.held().len(), 1000);
        drop(taken);
        assert!(shares.held().is_empty());
    }
}
