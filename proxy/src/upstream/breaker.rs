//! May this request be sent, or is the upstream known not to answer? The circuit with its clock,
//! its metrics and its lines in the log; one an upstream, shared by all callers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::upstream::circuit::{Change, Circuit, Sign, Turn};
use crate::upstream::error::Error;
use crate::upstream::metrics::Metrics;
use crate::upstream::request::Method;

/// The breaker; one that is off lets everything through.
pub(super) struct Breaker {
    circuit: Option<Mutex<Circuit>>,
    metrics: Metrics,
}

/// Leave to ask; given back when it is dropped, whatever came of it.
pub(super) struct Asking<'a> {
    breaker: &'a Breaker,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if let Some(mut circuit) = self.breaker.lock() {
            circuit.asked();
        }
    }
}

/// The wait for the head of one answer.
pub(super) struct Listening<'a> {
    breaker: &'a Breaker,
    method: Method,
    since: Instant,
    heard: bool,
}

/// Whoever gives up after this long has met something slow; sooner, it says nothing.
const LONG: Duration = Duration::from_secs(10);

impl Listening<'_> {
    /// The status of the answer, or why there is none.
    pub(super) fn heard(mut self, head: Result<u16, &Error>) {
        self.heard = true;
        if let Some(sign) = Sign::of(self.method, head) {
            self.breaker.hear(sign);
        }
    }
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        // Many clients give up sooner than our own limits of time do.
        if !self.heard && self.since.elapsed() >= LONG {
            self.breaker.hear(Sign::Doubtful);
        }
    }
}

impl Breaker {
    /// `failures` in a run open it; none: it is off.
    pub(super) fn new(failures: usize, pause: Duration, metrics: Metrics) -> Self {
        let circuit = (failures > 0).then(|| Mutex::new(Circuit::new(failures, pause)));
        Self { circuit, metrics }
    }

    /// Lets a request pass, perhaps only after it has asked.
    ///
    /// # Errors
    /// [`Error::NotAnswering`]: it must not be sent.
    pub(super) fn admit(&self) -> Result<Option<Asking<'_>>, Error> {
        let turn = self
            .lock()
            .map_or(Turn::Go, |mut circuit| circuit.next(Instant::now()));
        match turn {
            Turn::Go => Ok(None),
            Turn::Ask => Ok(Some(Asking { breaker: self })),
            Turn::Wait(wait) => Err(self.refusal(wait)),
        }
    }

    /// Whether a request may pass now that the upstream was asked; else the refusal.
    pub(super) fn refused(&self) -> Option<Error> {
        let wait = self.lock()?.wait(Instant::now())?;
        Some(self.refusal(wait))
    }

    /// Waits for an answer from now on.
    pub(super) fn listen(&self, method: Method) -> Listening<'_> {
        Listening {
            breaker: self,
            method,
            since: Instant::now(),
            heard: false,
        }
    }

    /// Takes note of a sign.
    pub(super) fn hear(&self, sign: Sign) {
        let change = self
            .lock()
            .and_then(|mut circuit| circuit.hear(sign, Instant::now()));
        match change {
            None => (),
            Some(Change::Opened) => {
                self.metrics.breaker(true);
                tracing::warn!(
                    "the upstream does not answer: requests to it are refused until it does"
                );
            }
            Some(Change::Closed) => {
                self.metrics.breaker(false);
                tracing::info!("the upstream answers again");
            }
        }
    }

    fn refusal(&self, wait: Duration) -> Error {
        self.metrics.not_sent();
        Error::NotAnswering { retry_in: wait }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Circuit>> {
        let circuit = self.circuit.as_ref()?;
        Some(circuit.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_that_are_given_up_after_long_make_the_next_one_ask() {
        let metrics = Metrics::register(&prometheus::Registry::new()).unwrap();
        let breaker = Breaker::new(2, Duration::from_secs(5), metrics);
        let asks = || breaker.admit().is_ok_and(|asking| asking.is_some());
        for (seconds, expected) in [(1, false), (1, false), (9, false), (10, false), (60, true)] {
            let listening = breaker.listen(Method::Call);
            tokio::time::advance(Duration::from_secs(seconds)).await;
            drop(listening);
            assert_eq!(asks(), expected, "{seconds}");
        }
        breaker.listen(Method::Call).heard(Ok(200));
        assert!(!asks());
        for _ in 0..2 {
            breaker.listen(Method::Ping).heard(Err(&Error::Unreachable));
        }
        let refused = breaker.admit().err();
        assert_eq!(refused.and_then(|error| error.retry_seconds()), Some(5));
    }
}
