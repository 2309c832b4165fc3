//! How does a request get through: in which era, in which session, and after which second chance?
//!
//! Guarantees: a request that may have been carried out is sent again only if it is repeatable,
//! and once; one that the upstream demonstrably refused before looking at it (a lost session, a
//! version, an era) is sent again once for each of those reasons. A challenge is never retried.

use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use crate::caller::Caller;
use crate::protocol::ProgressSender;
use crate::upstream::breaker::Breaker;
use crate::upstream::cancel::Cancel;
use crate::upstream::chance::Chance;
use crate::upstream::config::{Config, Protocol};
use crate::upstream::era::{self, Belief, Era, Verdict};
use crate::upstream::error::{Error, Phase};
use crate::upstream::exchange::{Answer, Arrival, Aside, Room, Wire};
use crate::upstream::failure::Failure;
use crate::upstream::lane::Lane;
use crate::upstream::long::Long;
use crate::upstream::metrics::Metrics;
use crate::upstream::request::{Content, Method, compose};
use crate::upstream::session::Sessions;

/// The way to the upstream.
pub(super) struct Link {
    wire: Wire,
    pinned: Protocol,
    era: Era,
    sessions: Sessions,
}

/// One request of a caller's.
pub(super) struct Ask<'a> {
    pub(super) method: Method,
    pub(super) content: Content<'a>,
    /// Bytes of the answer.
    pub(super) room: Room,
    /// Whether a lost answer may be asked for again, once.
    pub(super) repeatable: bool,
    /// Where progress goes.
    pub(super) progress: Option<&'a ProgressSender>,
    /// When the answer has to be there, instead of the usual limits; the handshake and second
    /// chances included.
    pub(super) until: Option<Instant>,
}

/// A result: all of it, or its beginning.
#[derive(Debug)]
pub enum Received {
    /// The `result` member, byte for byte.
    Whole(Box<RawValue>),
    /// One that is too large to be held, as it comes.
    Long(Box<Long>),
}

/// What the handshake of an era brought.
pub(super) struct Greeting {
    /// The upstream's `instructions`.
    pub(super) instructions: Option<Arc<str>>,
    /// Whether the upstream answered something just now, with this caller's credential.
    pub(super) asked: bool,
    lane: Lane,
}

/// Bytes of an answer to `server/discover` or `ping`.
const MAX_HANDSHAKE: usize = 4 * 1024 * 1024;

impl Link {
    pub(super) fn new(client: reqwest::Client, config: Config, metrics: Metrics) -> Self {
        let (pinned, era_ttl, max_sessions) =
            (config.protocol, config.era_ttl, config.max_sessions);
        let wire = Wire::new(client, config, metrics);
        Self {
            pinned,
            era: Era::new(era_ttl, wire.metrics().clone()),
            sessions: Sessions::new(wire.clone(), max_sessions, era_ttl),
            wire,
        }
    }

    /// Asks, and gives the request its second chances.
    pub(super) async fn ask(&self, caller: &Caller, ask: &Ask<'_>) -> Result<Box<RawValue>, Error> {
        match self.receive(caller, ask).await? {
            Received::Whole(result) => Ok(result),
            Received::Long(_) => Err(Error::TooLarge {
                limit: ask.room.held,
            }),
        }
    }

    /// As [`Link::ask`], for who can also take a result as it comes.
    pub(super) async fn receive(&self, caller: &Caller, ask: &Ask<'_>) -> Result<Received, Error> {
        let mut lane = in_time(ask.until, self.resolve(caller, false)).await?.lane;
        let mut spent = Vec::new();
        loop {
            let failure = match self.send(caller, &lane, ask).await {
                Ok(Arrival::Whole(answer)) => return Ok(Received::Whole(answer.result)),
                Ok(Arrival::Long(long)) => return Ok(Received::Long(long)),
                Err(failure) => failure,
            };
            let chance = match Chance::after(&failure, &lane, ask.repeatable) {
                Some(chance) if !spent.contains(&chance) => chance,
                _ => return Err(failure.into()),
            };
            // It may have been carried out, which would be denied after this.
            if chance == Chance::Lost && is_over(ask.until) {
                return Err(failure.into());
            }
            spent.push(chance);
            let Some(next) = in_time(ask.until, self.take(chance, caller, &lane)).await? else {
                return Err(failure.into());
            };
            self.wire.metrics().retried(chance.name());
            lane = next;
        }
    }

    /// The handshake that tells `instructions`: `server/discover`, or `initialize` unless this
    /// caller has a session.
    pub(super) async fn greet(&self, caller: &Caller) -> Result<Greeting, Error> {
        self.resolve(caller, true).await
    }

    /// The cheapest question.
    pub(super) async fn probe(&self, caller: &Caller) -> Result<(), Error> {
        if self.greet(caller).await?.asked {
            return Ok(());
        }
        let ping = Ask {
            method: Method::Ping,
            content: Content::default(),
            room: Room {
                held: MAX_HANDSHAKE,
                flowing: None,
            },
            repeatable: true,
            progress: None,
            until: None,
        };
        self.ask(caller, &ping).await.map(drop)
    }

    /// What is known about whether the upstream answers.
    pub(super) fn breaker(&self) -> &Breaker {
        self.wire.breaker()
    }

    /// Ends the sessions.
    pub(super) async fn close(&self) {
        self.sessions.close().await;
    }

    async fn send(&self, caller: &Caller, lane: &Lane, ask: &Ask<'_>) -> Result<Arrival, Failure> {
        if is_over(ask.until) {
            return Err(TOO_LATE.into());
        }
        let id = self.wire.next_id();
        let sent = compose(Some(lane), caller, ask.method, &ask.content, id)?;
        let cancels = ask.method == Method::Call && matches!(lane, Lane::Legacy(_));
        let guard = cancels.then(|| Cancel::new(&self.wire, lane, caller, id));
        let aside = Aside {
            caller,
            lane: Some(lane),
            progress: ask.progress,
        };
        match self.wire.receive(sent, ask.room, aside, ask.until).await {
            Ok(Arrival::Long(long)) => Ok(Arrival::Long(Box::new(long.cancelled_by(guard)))),
            outcome => {
                if let Some(guard) = guard {
                    guard.heed(match &outcome {
                        Err(Failure::Error(error)) => Some(error),
                        _ => None,
                    });
                }
                outcome
            }
        }
    }

    async fn take(
        &self,
        chance: Chance,
        caller: &Caller,
        lane: &Lane,
    ) -> Result<Option<Lane>, Error> {
        match chance {
            Chance::Lost | Chance::Unreachable => return Ok(Some(lane.clone())),
            Chance::Session => {
                if let Lane::Legacy(session) = lane {
                    self.sessions.forget(caller.key(), session);
                }
            }
            Chance::Era if self.pinned != Protocol::Auto => return Ok(None),
            Chance::Era | Chance::Version => self.era.forget(),
        }
        let next = self.resolve(caller, false).await;
        if chance == Chance::Era {
            return match next {
                Ok(next) if !next.lane.same_era(lane) => Ok(Some(next.lane)),
                // The same era stands, or none does: then the refusal meant what it said.
                Ok(_) | Err(Error::NoCommonVersion) => Ok(None),
                Err(error) => Err(error),
            };
        }
        next.map(|next| Some(next.lane))
    }

    /// Finds the lane. `handshake`: the answer to a handshake is wanted too.
    async fn resolve(&self, caller: &Caller, handshake: bool) -> Result<Greeting, Error> {
        let belief = match self.pinned {
            Protocol::Auto => self.era.belief(),
            Protocol::Modern if handshake => return self.pinned_modern(caller).await,
            Protocol::Modern => Belief::Fresh { modern: true },
            Protocol::Legacy => {
                let greeting = self.legacy(caller, handshake).await;
                return greeting.map_err(Error::from);
            }
        };
        match belief {
            Belief::Fresh { modern: true } if !handshake => Ok(Greeting::modern(None, false)),
            Belief::Fresh { modern: false } => self.believed_legacy(caller, handshake).await,
            Belief::Stale { modern } if !(modern && handshake) => {
                match self.discover(caller).await {
                    Ok(verdict) => self.follow(verdict, caller, handshake).await,
                    Err(error) if is_challenge(&error) => Err(error),
                    // An outage says nothing: the request itself will meet it, or not.
                    Err(_) if modern => Ok(Greeting::modern(None, false)),
                    Err(_) => self.believed_legacy(caller, handshake).await,
                }
            }
            Belief::Unknown | Belief::Fresh { modern: true } | Belief::Stale { .. } => {
                let verdict = self.discover(caller).await?;
                self.follow(verdict, caller, handshake).await
            }
        }
    }

    async fn follow(
        &self,
        verdict: Verdict,
        caller: &Caller,
        handshake: bool,
    ) -> Result<Greeting, Error> {
        let instructions = match verdict {
            Verdict::Modern(instructions) => instructions,
            // Asked twice, and both times told to speak the version that was spoken.
            Verdict::Again => None,
            Verdict::Legacy => {
                return match self.legacy(caller, handshake).await {
                    Ok(greeting) => {
                        self.era.settle(false);
                        Ok(greeting)
                    }
                    Err(failure) => {
                        self.era.forget();
                        Err(unsupported(failure))
                    }
                };
            }
        };
        self.era.settle(true);
        Ok(Greeting::modern(instructions, true))
    }

    async fn pinned_modern(&self, caller: &Caller) -> Result<Greeting, Error> {
        match self.discover_once(caller).await {
            Ok(answer) => match era::judge(Ok(answer)) {
                Ok(Verdict::Modern(instructions)) => Ok(Greeting::modern(instructions, true)),
                _ => Ok(Greeting::modern(None, true)),
            },
            // The operator knows better than a server that does not know the method.
            Err(Failure::Refused(refusal)) if refusal.status < 500 => {
                Ok(Greeting::modern(None, true))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// A legacy lane on the word of an earlier verdict, which a refused handshake calls in question.
    async fn believed_legacy(&self, caller: &Caller, handshake: bool) -> Result<Greeting, Error> {
        let failure = match self.legacy(caller, handshake).await {
            Ok(greeting) => return Ok(greeting),
            Err(failure @ Failure::Refused(_)) => failure,
            Err(failure) => return Err(failure.into()),
        };
        self.era.forget();
        match self.discover(caller).await? {
            Verdict::Legacy => Err(unsupported(failure)),
            verdict => self.follow(verdict, caller, handshake).await,
        }
    }

    async fn legacy(&self, caller: &Caller, handshake: bool) -> Result<Greeting, Failure> {
        let opened = self.sessions.get(caller, handshake).await?;
        Ok(Greeting {
            instructions: opened.session.instructions.clone(),
            asked: opened.fresh,
            lane: Lane::Legacy(opened.session),
        })
    }

    async fn discover(&self, caller: &Caller) -> Result<Verdict, Error> {
        let mut outcome = self.discover_once(caller).await;
        if outcome.as_ref().is_err_and(Failure::is_loss) {
            self.wire.metrics().retried("lost");
            outcome = self.discover_once(caller).await;
        }
        match era::judge(outcome)? {
            Verdict::Again => era::judge(self.discover_once(caller).await),
            verdict => Ok(verdict),
        }
    }

    async fn discover_once(&self, caller: &Caller) -> Result<Answer, Failure> {
        let (lane, content) = (Lane::Modern, Content::default());
        let id = self.wire.next_id();
        let sent = compose(Some(&lane), caller, Method::Discover, &content, id)?;
        let aside = Aside {
            caller,
            lane: Some(&lane),
            progress: None,
        };
        self.wire.ask(sent, MAX_HANDSHAKE, aside).await
    }
}

impl Greeting {
    const fn modern(instructions: Option<Arc<str>>, asked: bool) -> Self {
        Self {
            instructions,
            asked,
            lane: Lane::Modern,
        }
    }
}

/// There was no time left to send it.
const TOO_LATE: Error = Error::Timeout {
    phase: Phase::Before,
};

fn is_over(until: Option<Instant>) -> bool {
    until.is_some_and(|until| until <= Instant::now())
}

/// What goes before a request, within the request's own time where it has one.
async fn in_time<T>(
    until: Option<Instant>,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    match until {
        Some(until) => timeout_at(until, work).await.unwrap_or(Err(TOO_LATE)),
        None => work.await,
    }
}

const fn is_challenge(error: &Error) -> bool {
    matches!(error, Error::Unauthorized { .. } | Error::Forbidden { .. })
}

/// What a refused `initialize` means where `server/discover` was refused as well.
fn unsupported(failure: Failure) -> Error {
    match failure {
        Failure::Refused(refusal) if matches!(refusal.status, 404 | 405) => Error::NoCommonVersion,
        failure => failure.into(),
    }
}
