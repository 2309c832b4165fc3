//! How long is something waited for?

#![expect(
    clippy::disallowed_types,
    reason = "what is waited for are other programs: there is no runtime here whose clock could be paused"
)]

use std::time::{Duration, Instant};

use crate::error::Error;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks again and again until `look` says yes; `Err` of a look is what is reported in the end.
pub(crate) fn until(
    what: &str,
    seconds: u64,
    mut look: impl FnMut() -> Result<(), String>,
) -> Result<(), Error> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        match look() {
            Ok(()) => return Ok(()),
            Err(said) if Instant::now() >= end => {
                return Err(Error::Timeout {
                    what: what.to_owned(),
                    seconds,
                    said: crate::call::said_by(&said),
                });
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Runs since it was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
