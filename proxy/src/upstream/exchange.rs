//! What comes of one POST? Sends it once, and reads until its answer is found.
//!
//! Guarantees: every wait has a limit and so has every buffer; the `result` comes back byte for
//! byte; what was sent is never sent again from here. Never reads past the answer of a stream.

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;
use http::header::HeaderValue;
use reqwest::Response;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;

use crate::caller::Caller;
use crate::protocol::ProgressSender;
use crate::upstream::breaker::Breaker;
use crate::upstream::config::Config;
use crate::upstream::error::{Error, Phase};
use crate::upstream::failure::{Failure, Refusal};
use crate::upstream::framing::{Body, Framer};
use crate::upstream::lane::Lane;
use crate::upstream::long::{Begun, Bounds, Long};
use crate::upstream::message::{self, Message};
use crate::upstream::metrics::Metrics;
use crate::upstream::patience::{Patience, Usual};
use crate::upstream::progress::Relay;
use crate::upstream::refused;
use crate::upstream::request::{self, MCP_SESSION_ID, Method, Outgoing};

/// The connection to the upstream. Cheap to clone.
#[derive(Clone)]
pub(super) struct Wire {
    inner: Arc<Inner>,
}

struct Inner {
    client: reqwest::Client,
    url: Url,
    usual: Usual,
    breaker: Breaker,
    metrics: Metrics,
    last_id: AtomicU64,
}

/// What has come of an answer that is yes.
pub(super) enum Arrival {
    /// All of it.
    Whole(Answer),
    /// Its beginning.
    Long(Box<Long>),
}

/// How large an answer may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Bytes of an answer that is held.
    pub(super) held: usize,
    /// Bytes of an answer that is given as it comes; `None`: all are held.
    pub(super) flowing: Option<usize>,
}

/// An answer that is yes.
pub(super) struct Answer {
    /// The `result` member.
    pub(super) result: Box<RawValue>,
    /// `Mcp-Session-Id`, marked sensitive.
    pub(super) session: Option<HeaderValue>,
}

/// What is listened for beside the answer.
#[derive(Clone, Copy)]
pub(super) struct Aside<'a> {
    /// Whose request it is: questions of the server are answered in the same name.
    pub(super) caller: &'a Caller,
    /// How it travels; `None` before there is a session.
    pub(super) lane: Option<&'a Lane>,
    /// Where progress goes.
    pub(super) progress: Option<&'a ProgressSender>,
}

impl Wire {
    pub(super) fn new(client: reqwest::Client, config: Config, metrics: Metrics) -> Self {
        let (failures, pause) = (config.breaker_failures, config.breaker_pause);
        Self {
            inner: Arc::new(Inner {
                breaker: Breaker::new(failures, pause, metrics.clone()),
                client,
                url: config.url,
                usual: Usual {
                    // The client's own clock covers the connection; this one must not run out first.
                    first_byte: config.connect_timeout + config.first_byte_timeout,
                    idle: config.idle_timeout,
                    total: config.total_timeout,
                },
                metrics,
                last_id: AtomicU64::new(0),
            }),
        }
    }

    /// A request id that was not used before.
    pub(super) fn next_id(&self) -> u64 {
        self.inner.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Where everything is counted.
    pub(super) fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }

    /// What is known about whether the upstream answers.
    pub(super) fn breaker(&self) -> &Breaker {
        &self.inner.breaker
    }

    /// Sends a request and waits for its answer of at most `limit` bytes.
    pub(super) async fn ask(
        &self,
        sent: Outgoing,
        limit: usize,
        aside: Aside<'_>,
    ) -> Result<Answer, Failure> {
        let room = Room {
            held: limit,
            flowing: None,
        };
        match self.receive(sent, room, aside, None).await? {
            Arrival::Whole(answer) => Ok(answer),
            Arrival::Long(_) => Err(Error::TooLarge { limit }.into()),
        }
    }

    /// Sends a request and waits for its answer, or for the beginning of one that is too large to
    /// be held where there is room for it to flow; `until`: a deadline instead of the usual limits.
    pub(super) async fn receive(
        &self,
        sent: Outgoing,
        room: Room,
        aside: Aside<'_>,
        until: Option<Instant>,
    ) -> Result<Arrival, Failure> {
        let timer = self.inner.metrics.start(sent.method);
        let patience = self.inner.usual.patience(until);
        let outcome = timeout_at(
            patience.deadline,
            self.exchange(sent, room, patience, aside),
        )
        .await
        .unwrap_or(Err(Failure::Error(Error::Timeout {
            phase: Phase::Total,
        })));
        match outcome {
            Ok(Arrival::Long(long)) => Ok(Arrival::Long(Box::new(long.with(timer)))),
            outcome => {
                timer.stop(outcome.as_ref().map_or_else(Failure::kind, |_| "ok"));
                outcome
            }
        }
    }

    /// Sends what has no answer.
    pub(super) async fn tell(&self, sent: Outgoing) -> Result<(), Failure> {
        let timer = self.inner.metrics.start(sent.method);
        let id = sent.id;
        let patience = self.inner.usual.patience(None);
        let outcome = match self.send(sent, patience).await {
            Ok(response) if response.status().is_success() => Ok(()),
            Ok(response) => Err(refused::read(response, id, patience.explained_by()).await),
            Err(error) => Err(error.into()),
        };
        timer.stop(outcome.as_ref().map_or_else(Failure::kind, |()| "ok"));
        outcome
    }

    async fn exchange(
        &self,
        sent: Outgoing,
        room: Room,
        patience: Patience,
        aside: Aside<'_>,
    ) -> Result<Arrival, Failure> {
        let id = sent.id;
        let response = self.send(sent, patience).await?;
        match response.status().as_u16() {
            202 | 204 => return Err(NO_ANSWER.into()),
            200..=299 => {}
            _ => return Err(refused::read(response, id, patience.explained_by()).await),
        }
        let session = response.headers().get(MCP_SESSION_ID).cloned();
        let session = session.map(|mut id| {
            id.set_sensitive(true);
            id
        });
        let body = Body::of(response.headers()).ok_or(Error::Malformed {
            what: "a content type of JSON or an event stream",
        })?;
        let most = room.flowing.map_or(room.held, |most| most.max(room.held));
        let announced = response.content_length().unwrap_or(0);
        if body == Body::Json && announced > most as u64 {
            return Err(Error::TooLarge { limit: most }.into());
        }
        let reading = Reading {
            wire: self,
            id,
            aside,
            framer: Framer::new(body, room.held),
            relay: Relay::default(),
            flowing: room.flowing.map(|bytes| Bounds {
                bytes,
                idle: patience.idle,
                deadline: patience.deadline,
            }),
            patience,
            tried: HELD,
        };
        match reading.run(response, body, room.held).await? {
            Arrived::Whole(result) => Ok(Arrival::Whole(Answer { result, session })),
            Arrived::Long(long) => Ok(Arrival::Long(long)),
        }
    }

    async fn send(&self, sent: Outgoing, patience: Patience) -> Result<Response, Error> {
        let (method, client, url) = (sent.method, &self.inner.client, self.inner.url.clone());
        let request = match method {
            Method::Delete => client.delete(url),
            Method::Resume => client.get(url),
            _ => client.post(url).body(sent.body),
        };
        let request = request.headers(sent.headers);
        let listening = self.inner.breaker.listen(method);
        let (until, phase) = patience.within(patience.first_byte, Phase::FirstByte);
        let outcome = match timeout_at(until, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(classify(&error)),
            Err(_) => Err(Error::Timeout { phase }),
        };
        // The head alone tells: what follows may take as long as a tool takes.
        listening.heard(outcome.as_ref().map(|head| head.status().as_u16()));
        outcome
    }
}

/// Bytes of an answer that are held before it flows. Most answers are smaller, and can be judged
/// whole.
const HELD: usize = 1024 * 1024;

/// Questions of the server that are answered within one stream.
const MAX_REPLIES: usize = 16;

/// How long a stream may take to end after its answer, so that its connection can be used again.
const STREAM_END: Duration = Duration::from_secs(1);

const NO_ANSWER: Error = Error::Malformed {
    what: "a JSON-RPC answer to the request",
};

/// What an error of the HTTP client means. Its own text is dropped: it names the URL.
fn classify(error: &reqwest::Error) -> Error {
    if !error.is_connect() {
        Error::Lost
    } else if error.is_timeout() {
        Error::Timeout {
            phase: Phase::Connect,
        }
    } else if is_tls(error) {
        Error::Tls
    } else {
        Error::Unreachable
    }
}

fn is_tls(error: &(dyn StdError + 'static)) -> bool {
    // An I/O error hides the error it wraps from the chain, and wraps another of its kind here.
    let wrapped = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    if let Some(inner) = wrapped {
        return is_tls(inner);
    }
    error.is::<rustls::Error>() || error.source().is_some_and(is_tls)
}

/// The reading of one answer.
struct Reading<'a> {
    wire: &'a Wire,
    id: u64,
    aside: Aside<'a>,
    framer: Framer,
    relay: Relay,
    /// The bounds of an answer that may flow.
    flowing: Option<Bounds>,
    patience: Patience,
    /// Bytes held before it is tried whether the answer may flow.
    tried: usize,
}

enum Arrived {
    Whole(Box<RawValue>),
    Long(Box<Long>),
}

impl Reading<'_> {
    async fn run(
        mut self,
        mut response: Response,
        body: Body,
        limit: usize,
    ) -> Result<Arrived, Failure> {
        let too_large = |_| Error::TooLarge { limit };
        let mut replies = 0;
        loop {
            let chunk = timeout(self.patience.idle, response.chunk())
                .await
                .map_err(|_| Error::Timeout { phase: Phase::Idle })?;
            let (ended, broken) = match chunk {
                Ok(Some(chunk)) => {
                    self.framer.push(&chunk).map_err(too_large)?;
                    (false, false)
                }
                Ok(None) => (true, false),
                Err(_) => (true, true),
            };
            while let Some(frame) = self.next(ended) {
                match self.hear(&frame, &mut replies) {
                    Ok(None) => {}
                    Ok(Some(outcome)) => {
                        if !ended {
                            tokio::spawn(let_end(response));
                        }
                        return outcome.map(Arrived::Whole).map_err(Failure::Refused);
                    }
                    Err(_) if broken => return Err(Error::Lost.into()),
                    Err(error) => return Err(error.into()),
                }
            }
            if ended {
                if let Some(next) = self.take_up().await {
                    response = next;
                    continue;
                }
                // A whole JSON body without our answer is an answer that means nothing.
                let lost = broken || body == Body::EventStream;
                return Err(if lost { Error::Lost } else { NO_ANSWER }.into());
            }
            if let Some((begun, bounds)) = self.begun(body) {
                let long = Long::new(response, begun, bounds);
                return Ok(Arrived::Long(Box::new(long)));
            }
        }
    }

    /// Lets the answer flow once much of it is held; what is no beginning of one is held on, and
    /// not looked at again before it has doubled.
    fn begun(&mut self, body: Body) -> Option<(Begun, Bounds)> {
        let bounds = self.flowing.filter(|_| self.framer.held() > self.tried)?;
        self.tried *= 2;
        Some((Begun::read(body, &self.framer, self.id)?, bounds))
    }

    /// The stream in which a legacy server goes on, where this one ended before the answer. None
    /// where it cannot be had: the answer is lost then, whatever the server said to that.
    async fn take_up(&mut self) -> Option<Response> {
        let lane = self
            .aside
            .lane
            .filter(|lane| matches!(lane, Lane::Legacy(_)))?;
        loop {
            let turn = self.framer.take_up()?;
            if Instant::now() + turn.wait >= self.patience.deadline {
                return None;
            }
            sleep(turn.wait).await;
            let sent = request::resume(lane, self.aside.caller, turn.after);
            let timer = self.wire.inner.metrics.start(sent.method);
            let outcome = self.wire.send(sent, self.patience).await;
            timer.stop(outcome.as_ref().map_or_else(Error::kind, |_| "ok"));
            // A server that is just coming back cannot be reached: it gets another turn.
            let Ok(response) = outcome else { continue };
            let goes_on = response.status() == StatusCode::OK
                && Body::of(response.headers()) == Some(Body::EventStream);
            return goes_on.then_some(response);
        }
    }

    fn next(&mut self, ended: bool) -> Option<Vec<u8>> {
        self.framer
            .next()
            .or_else(|| ended.then(|| self.framer.finish()).flatten())
    }

    /// Takes one frame; the answer, if it is in there.
    fn hear(
        &mut self,
        frame: &[u8],
        replies: &mut usize,
    ) -> Result<Option<Result<Box<RawValue>, Refusal>>, Error> {
        let messages = message::read(frame, self.id).map_err(|_| Error::Malformed {
            what: "a JSON-RPC message",
        })?;
        for message in messages {
            match message {
                Message::Result(result) => return Ok(Some(Ok(result.to_owned()))),
                Message::Error(error) => {
                    return Ok(Some(Err(Refusal {
                        status: 200,
                        retry_after: None,
                        error: Some(error),
                        names_session: false,
                    })));
                }
                Message::Progress(progress) => self.relay.pass(self.aside.progress, progress),
                Message::Request(id, ping) => self.reply(id, ping, replies),
                Message::Notification => {}
                Message::Foreign => self.wire.inner.metrics.ignored(),
            }
        }
        Ok(None)
    }

    /// Answers a question of a legacy server, beside the stream; modern ones must not ask.
    fn reply(&self, id: &RawValue, ping: bool, replies: &mut usize) {
        let Some(lane @ Lane::Legacy(_)) = self.aside.lane else {
            return;
        };
        *replies += 1;
        if *replies > MAX_REPLIES {
            return;
        }
        let reply = request::reply(lane, self.aside.caller, id, ping);
        let wire = self.wire.clone();
        tokio::spawn(async move {
            // The server waits for this or it does not; our own answer comes either way.
            drop(wire.tell(reply).await);
        });
    }
}

async fn let_end(mut response: Response) {
    let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
    // A stream that goes on is closed instead.
    drop(timeout(STREAM_END, rest).await);
}
