//! Does the upstream answer at all? What was heard of it, and what follows for the next request.
//!
//! Pure: told what happened and when, never reads a clock. Guarantees: opens only after a run in
//! which nothing was answered; closes at the first answer, whoever got it; of those who come once
//! the pause is over, one at a time may ask. Why these signs: `docs/decisions/0013-breaker.md`.

use std::time::Duration;

use tokio::time::Instant;

use crate::upstream::error::{Error, Phase};
use crate::upstream::request::Method;

/// What one exchange says about the upstream as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// It answered.
    Alive,
    /// It did not answer something that no tool takes part in.
    Silent,
    /// A tool, or a list of tools, got no answer: it may be the upstream, or a server behind it.
    Doubtful,
}

impl Sign {
    /// Reads the beginning of an answer: its status, or why there is none. `None`: it says nothing,
    /// since it is about who asks and how often.
    pub(super) const fn of(method: Method, head: Result<u16, &Error>) -> Option<Self> {
        match head {
            Ok(401 | 403 | 407 | 429) => None,
            Ok(502..=504) => Self::of_silence(method),
            Ok(_) => Some(Self::Alive),
            Err(
                Error::Unreachable
                | Error::Tls
                | Error::Timeout {
                    phase: Phase::Connect,
                },
            ) => Some(Self::Silent),
            Err(_) => Self::of_silence(method),
        }
    }

    const fn of_silence(method: Method) -> Option<Self> {
        match method {
            Method::Discover | Method::Initialize | Method::Ping => Some(Self::Silent),
            Method::List | Method::Call => Some(Self::Doubtful),
            Method::Initialized
            | Method::Cancelled
            | Method::Reply
            | Method::Resume
            | Method::Delete => None,
        }
    }
}

/// What a request may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Be sent.
    Go,
    /// First ask the upstream something that no tool takes part in.
    Ask,
    /// Nothing; after this long somebody asks again.
    Wait(Duration),
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Requests are refused from now on.
    Opened,
    /// They are sent again.
    Closed,
}

/// The breaker of one upstream.
#[derive(Debug)]
pub(super) struct Circuit {
    /// So many in a run are too many.
    most: usize,
    pause: Duration,
    silences: usize,
    doubts: usize,
    /// Set while it is open: when the upstream may be asked again.
    ask_at: Option<Instant>,
    asking: bool,
}

/// How long to wait for the one who asks.
const MOMENT: Duration = Duration::from_secs(1);

impl Circuit {
    /// A closed one; `most`: at least 1.
    pub(super) const fn new(most: usize, pause: Duration) -> Self {
        Self {
            most,
            pause,
            silences: 0,
            doubts: 0,
            ask_at: None,
            asking: false,
        }
    }

    /// What the next request may do. Who is told to ask says so when it is done.
    pub(super) fn next(&mut self, now: Instant) -> Turn {
        let asks = match self.ask_at {
            None => self.doubts >= self.most && !self.asking,
            Some(at) if now < at => return Turn::Wait(at - now),
            Some(_) if self.asking => return Turn::Wait(MOMENT),
            Some(_) => true,
        };
        if !asks {
            return Turn::Go;
        }
        self.asking = true;
        Turn::Ask
    }

    /// Who asked is done, or has given up.
    pub(super) const fn asked(&mut self) {
        self.asking = false;
    }

    /// How long to wait, where it is open.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        self.ask_at
            .map(|at| at.saturating_duration_since(now).max(MOMENT))
    }

    /// Takes note of a sign.
    pub(super) fn hear(&mut self, sign: Sign, now: Instant) -> Option<Change> {
        match sign {
            Sign::Alive => {
                (self.silences, self.doubts) = (0, 0);
                return self.ask_at.take().map(|_| Change::Closed);
            }
            Sign::Doubtful => {
                self.doubts = self.doubts.saturating_add(1);
                return None;
            }
            Sign::Silent => self.silences = self.silences.saturating_add(1),
        }
        if let Some(at) = &mut self.ask_at {
            // Requests that were sent before it opened fail late, and do not make it longer.
            if self.asking {
                *at = (*at).max(now + self.pause);
            }
            return None;
        }
        let opens = self.silences >= self.most || self.doubts >= self.most;
        opens.then(|| {
            self.ask_at = Some(now + self.pause);
            Change::Opened
        })
    }
}

#[cfg(test)]
mod tests;
