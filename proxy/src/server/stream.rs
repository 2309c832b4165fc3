//! When does an answer become a stream? At the first progress, or when the call runs long: until
//! then any status can still be chosen. Progress that has come with the result is told before it.
//!
//! The stream owns the call: a client that goes away drops it, which cancels the call.

use std::future::ready;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{StreamExt, iter, unfold};
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use crate::endpoint::{Broken, Failure, Reply};
use crate::protocol::{Id, Progress};
use crate::server::flow::{self, Frames};
use crate::server::headers::Accepts;
use crate::server::respond::{self, Body};
use crate::server::state::State;

/// A call under way.
pub(super) type Calling = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send>>;

/// Everything about one request that its answer needs.
pub(super) struct Exchange {
    pub(super) id: Id,
    pub(super) calling: Calling,
    pub(super) progress: mpsc::Receiver<Progress>,
    /// The caller's own token; `None`: no progress was asked for.
    pub(super) token: Option<Box<RawValue>>,
    pub(super) accepts: Accepts,
    pub(super) state: watch::Receiver<State>,
}

/// A call that takes longer is answered by a stream, which keeps the connection alive.
const LONG: Duration = Duration::from_secs(15);
const KEEP_ALIVE: Duration = Duration::from_secs(15);

enum Event {
    Done(Result<Reply, Failure>),
    Progress(Progress),
    Quiet,
}

/// Waits for the answer, or for a reason to begin a stream.
pub(super) async fn respond(mut exchange: Exchange) -> Response<Body> {
    loop {
        match exchange.next(LONG).await {
            Event::Done(answer) => return exchange.whole(answer),
            event @ (Event::Progress(_) | Event::Quiet) if exchange.accepts.stream => {
                return stream(exchange, event);
            }
            // A client that takes JSON alone waits, and hears of no progress.
            Event::Progress(_) | Event::Quiet => (),
        }
    }
}

impl Exchange {
    /// What happens next, at the latest after `patience`.
    async fn next(&mut self, patience: Duration) -> Event {
        tokio::select! {
            biased;
            answer = &mut self.calling => match self.progress.try_recv() {
                // Both were read at once: the result waits for its turn. A failure needs its status more.
                Ok(progress) if answer.is_ok() => {
                    self.calling = Box::pin(ready(answer));
                    Event::Progress(progress)
                }
                _ => Event::Done(answer),
            },
            Some(progress) = self.progress.recv() => Event::Progress(progress),
            _ending = self.state.wait_for(|state| *state >= State::Ending) => {
                Event::Done(Err(Failure::shutting_down(&self.id)))
            }
            () = sleep(patience) => Event::Quiet,
        }
    }

    fn whole(&self, answer: Result<Reply, Failure>) -> Response<Body> {
        match answer {
            Ok(Reply::Long(long)) => {
                let kind = if self.accepts.json {
                    flow::Kind::Json
                } else {
                    flow::Kind::Event
                };
                let pieces = flow::pieces(&self.id, long, kind, self.state.clone());
                let body = StreamBody::new(pieces.map(|piece| piece.map(Frame::data)));
                match kind {
                    flow::Kind::Json => respond::flowing_json(body.boxed_unsync()),
                    flow::Kind::Event => event_stream(body.boxed_unsync()),
                }
            }
            Ok(Reply::Whole(result)) if self.accepts.json => {
                respond::json(StatusCode::OK, respond::success(&self.id, &result))
            }
            Ok(Reply::Whole(result)) => {
                let event = event(&respond::success(&self.id, &result));
                let body = StreamBody::new(iter([Ok::<_, Broken>(Frame::data(event))]));
                event_stream(body.boxed_unsync())
            }
            Err(failure) => respond::failure(&failure),
        }
    }

    /// What follows from it, and whether that is the last.
    fn render(&self, happened: Event) -> (Frames, bool) {
        let (bytes, last) = match happened {
            Event::Done(Ok(Reply::Long(long))) => {
                let state = self.state.clone();
                return (flow::pieces(&self.id, long, flow::Kind::Event, state), true);
            }
            Event::Done(Ok(Reply::Whole(result))) => {
                (event(&respond::success(&self.id, &result)), true)
            }
            // The status has left already: the error travels inside.
            Event::Done(Err(failure)) => (event(&respond::error(&failure)), true),
            Event::Progress(progress) => (self.notification(&progress), false),
            Event::Quiet => (Bytes::from_static(b": still working\n\n"), false),
        };
        (iter([Ok(bytes)]).boxed(), last)
    }

    fn notification(&self, progress: &Progress) -> Bytes {
        let Some(token) = &self.token else {
            return Bytes::new();
        };
        let total = progress.total.as_ref().map_or(String::new(), |total| {
            format!(r#","total":{}"#, total.get())
        });
        let message = progress.message.as_ref();
        let message = message.map_or(String::new(), |text| {
            format!(r#","message":{}"#, serde_json::Value::from(text.as_str()))
        });
        event(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{}{total}{message}}}}}"#,
            token.get(),
            progress.progress.get()
        ))
    }
}

fn stream(exchange: Exchange, first: Event) -> Response<Body> {
    let (head, ended) = exchange.render(first);
    let rest = unfold((exchange, ended), |(mut exchange, ended)| async move {
        if ended {
            return None;
        }
        let happened = exchange.next(KEEP_ALIVE).await;
        let (bytes, last) = exchange.render(happened);
        Some((bytes, (exchange, last)))
    });
    let pieces = iter([head]).chain(rest).flatten();
    let frames = pieces.map(|piece| piece.map(Frame::data));
    event_stream(StreamBody::new(frames).boxed_unsync())
}

/// Every line of the message gets its own field; ours have one, but an upstream's raw JSON may
/// have been written over several.
fn event(message: &str) -> Bytes {
    let mut event = String::with_capacity(message.len() + 16);
    for line in message.split(['\n', '\r']) {
        event.push_str("data: ");
        event.push_str(line);
        event.push('\n');
    }
    event.push('\n');
    Bytes::from(event)
}

fn event_stream(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
