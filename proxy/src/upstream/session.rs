//! Which callers have a session with a legacy upstream, and who opens one?
//!
//! A session belongs to the credential that opened it; losing one costs an `initialize`. Keeps the
//! id, the revision and the instructions, never the credential. Guarantees: one `initialize` at a
//! time for each caller, whose outcome, good or bad, everyone who waits for it gets; it goes on
//! when they stop waiting. Bounded: the session longest unused goes first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, join_all};
use http::HeaderValue;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use crate::caller::{Caller, CallerKey};
use crate::protocol::Revision;
use crate::upstream::error::Error;
use crate::upstream::exchange::{Answer, Aside, Wire};
use crate::upstream::failure::Failure;
use crate::upstream::lane::{Lane, Session};
use crate::upstream::request::{Content, Method, compose, farewell};

/// The sessions of one upstream.
pub(super) struct Sessions {
    wire: Wire,
    max: usize,
    /// How long an upstream that keeps no sessions is believed to stay so.
    stateless_ttl: Duration,
    known: Arc<Known>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    slots: HashMap<CallerKey, Slot>,
    /// The upstream gave no session id: the version it negotiated serves everyone until then.
    stateless: Option<(Revision, Instant)>,
    last_serial: u64,
}

type Opening = Shared<BoxFuture<'static, Result<Arc<Session>, Failure>>>;

struct Slot {
    opening: Opening,
    serial: u64,
    used: Instant,
}

/// A session, and whether the upstream was asked for it just now.
pub(super) struct Opened {
    pub(super) session: Arc<Session>,
    pub(super) fresh: bool,
}

/// After this long unused a session is let go; most servers have forgotten it by then.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// How long the end of the process waits for goodbyes.
const GOODBYES: Duration = Duration::from_secs(2);

/// Bytes of an answer to `initialize`.
const MAX_HANDSHAKE: usize = 4 * 1024 * 1024;

/// Bytes of a session id.
const MAX_ID: usize = 4096;

impl Sessions {
    pub(super) fn new(wire: Wire, max: usize, stateless_ttl: Duration) -> Self {
        Self {
            wire,
            max: max.max(1),
            stateless_ttl,
            known: Arc::default(),
            state: Mutex::default(),
        }
    }

    /// This caller's session. `handshake`: an `initialize` is wanted even where the upstream keeps
    /// no sessions, because of what it tells this caller.
    pub(super) async fn get(&self, caller: &Caller, handshake: bool) -> Result<Opened, Failure> {
        if !handshake && let Some(session) = self.stateless() {
            return Ok(Opened {
                session,
                fresh: false,
            });
        }
        let (opening, serial, fresh) = self.join(caller);
        let outcome = opening.await;
        self.conclude(caller.key(), serial, &outcome);
        outcome.map(|session| Opened { session, fresh })
    }

    /// The upstream no longer knows this session. Does nothing when it was replaced meanwhile.
    pub(super) fn forget(&self, key: CallerKey, lost: &Arc<Session>) {
        let mut state = self.lock();
        if lost.id.is_none() {
            state.stateless = None;
        }
        let is_lost = |slot: &Slot| matches!(slot.opening.peek(), Some(Ok(session)) if Arc::ptr_eq(session, lost));
        if state.slots.get(&key).is_some_and(is_lost) {
            state.slots.remove(&key);
        }
        self.wire.metrics().sessions(state.slots.len());
    }

    /// Ends every session, best effort and briefly.
    pub(super) async fn close(&self) {
        let slots = std::mem::take(&mut self.lock().slots);
        self.wire.metrics().sessions(0);
        let goodbyes = slots.values().filter_map(|slot| self.goodbye(slot));
        // The upstream forgets them by itself, should it not answer.
        drop(timeout(GOODBYES, join_all(goodbyes)).await);
    }

    fn stateless(&self) -> Option<Arc<Session>> {
        let (revision, until) = self.lock().stateless?;
        (Instant::now() < until).then(|| {
            Arc::new(Session {
                id: None,
                revision,
                instructions: None,
            })
        })
    }

    /// The opening under way or done, or a new one.
    fn join(&self, caller: &Caller) -> (Opening, u64, bool) {
        let mut state = self.lock();
        if let Some(slot) = state.slots.get_mut(&caller.key())
            && !matches!(slot.opening.peek(), Some(Err(_)))
        {
            slot.used = Instant::now();
            return (slot.opening.clone(), slot.serial, false);
        }
        self.make_room(&mut state);
        state.last_serial += 1;
        let slot = Slot {
            opening: spawn_opening(self.wire.clone(), caller.clone(), Arc::clone(&self.known)),
            serial: state.last_serial,
            used: Instant::now(),
        };
        let joined = (slot.opening.clone(), slot.serial, true);
        state.slots.insert(caller.key(), slot);
        self.wire.metrics().sessions(state.slots.len());
        joined
    }

    fn make_room(&self, state: &mut State) {
        let now = Instant::now();
        let expired = state.slots.extract_if(|_, slot| slot.used + IDLE < now);
        for (_, slot) in expired {
            self.let_go(&slot);
        }
        while state.slots.len() >= self.max {
            let oldest = state.slots.iter().min_by_key(|(_, slot)| slot.used);
            let Some(key) = oldest.map(|(key, _)| *key) else {
                return;
            };
            if let Some(slot) = state.slots.remove(&key) {
                self.let_go(&slot);
            }
        }
    }

    /// Keeps what an opening brought, or drops it.
    fn conclude(&self, key: CallerKey, serial: u64, outcome: &Result<Arc<Session>, Failure>) {
        let keeps = outcome.as_ref().is_ok_and(|session| session.id.is_some());
        if keeps {
            return;
        }
        let mut state = self.lock();
        if let Ok(session) = outcome {
            let until = Instant::now() + self.stateless_ttl;
            state.stateless = Some((session.revision, until));
        }
        if state
            .slots
            .get(&key)
            .is_some_and(|slot| slot.serial == serial)
        {
            state.slots.remove(&key);
        }
        self.wire.metrics().sessions(state.slots.len());
    }

    fn let_go(&self, slot: &Slot) {
        if let Some(goodbye) = self.goodbye(slot) {
            tokio::spawn(goodbye);
        }
    }

    fn goodbye(&self, slot: &Slot) -> Option<impl Future<Output = ()> + Send + use<>> {
        let session = slot.opening.peek()?.as_ref().ok()?;
        let sent = farewell(session.id.as_ref()?, session.revision);
        let wire = self.wire.clone();
        Some(async move { drop(wire.tell(sent).await) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn spawn_opening(wire: Wire, caller: Caller, known: Arc<Known>) -> Opening {
    tokio::spawn(async move { open(&wire, &caller, &known).await })
        .map(|joined| joined.unwrap_or(Err(Failure::Error(Error::Lost))))
        .boxed()
        .shared()
}

async fn open(wire: &Wire, caller: &Caller, known: &Known) -> Result<Arc<Session>, Failure> {
    let mut outcome = initialize(wire, caller).await;
    if outcome.as_ref().is_err_and(Failure::is_loss) {
        // At worst this leaves a session behind that nobody uses.
        wire.metrics().retried("lost");
        outcome = initialize(wire, caller).await;
    }
    let session = Arc::new(read(&outcome?, known)?);
    let lane = Lane::Legacy(Arc::clone(&session));
    let content = Content::default();
    let sent = compose(Some(&lane), caller, Method::Initialized, &content, 0)?;
    // Servers that insist on this say so at the next request; the rest do not care.
    drop(wire.tell(sent).await);
    Ok(session)
}

async fn initialize(wire: &Wire, caller: &Caller) -> Result<Answer, Failure> {
    let content = Content::default();
    let sent = compose(None, caller, Method::Initialize, &content, wire.next_id())?;
    let aside = Aside {
        caller,
        lane: None,
        progress: None,
    };
    wire.ask(sent, MAX_HANDSHAKE, aside).await
}

/// The last instructions seen: where all callers get the same, they are held once.
#[derive(Default)]
struct Known(Mutex<Option<Arc<str>>>);

impl Known {
    fn share(&self, instructions: String) -> Arc<str> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(last) if **last == *instructions => Arc::clone(last),
            _ => {
                let new: Arc<str> = Arc::from(instructions);
                *last = Some(Arc::clone(&new));
                new
            }
        }
    }
}

fn read(answer: &Answer, known: &Known) -> Result<Session, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Initialized {
        protocol_version: String,
        #[serde(default)]
        instructions: Option<String>,
    }
    let initialized: Initialized =
        serde_json::from_str(answer.result.get()).map_err(|_| Error::Malformed {
            what: "an answer to initialize",
        })?;
    let revision = Revision::parse(&initialized.protocol_version)
        .filter(|revision| !revision.is_modern())
        .ok_or(Error::NoCommonVersion)?;
    if answer.session.as_ref().is_some_and(|id| !is_visible(id)) {
        return Err(Error::Malformed {
            what: "a session id of visible ASCII",
        });
    }
    Ok(Session {
        id: answer.session.clone(),
        revision,
        instructions: initialized.instructions.map(|text| known.share(text)),
    })
}

fn is_visible(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    (1..=MAX_ID).contains(&bytes.len()) && bytes.iter().all(|byte| (0x21..=0x7e).contains(byte))
}
