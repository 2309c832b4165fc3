//! How does a result go on that is too large to be held? Its bytes as they come, and at the end
//! whether it was whole.
//!
//! Guarantees: holds one chunk; gives exactly the bytes of the `result`; says that it is whole only
//! after the message around it was seen to its end, with the id of the request. The same limits of
//! size and time hold as for a result that is held. Dropped before its end, it cancels the call.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::protocol::{Event, Scan};
use crate::upstream::cancel::Cancel;
use crate::upstream::error::{Error, Phase};
use crate::upstream::flow::Flow;
use crate::upstream::framing::{Body, Framer};
use crate::upstream::message;
use crate::upstream::metrics::Timer;

/// A result on its way.
pub struct Long {
    response: Response,
    body: Body,
    flow: Flow,
    answer: Answer,
    given: Option<Vec<u8>>,
    read: usize,
    bounds: Bounds,
    timer: Option<Timer>,
    cancel: Option<Cancel>,
}

/// What has come of a result when it begins to flow.
pub(super) struct Begun {
    body: Body,
    flow: Flow,
    answer: Answer,
    given: Vec<u8>,
    read: usize,
}

impl Begun {
    /// The result that is under way in this body, if what has come of it is the beginning of an
    /// answer to the request `id`.
    pub(super) fn read(body: Body, framer: &Framer, id: u64) -> Option<Self> {
        let begun = framer.begun()?;
        let (mut answer, mut given) = (Answer::new(id), Vec::new());
        answer.read(&begun, &mut given).ok()?;
        (answer.stage != Stage::Before).then(|| Self {
            body,
            flow: framer.flow(),
            answer,
            given,
            read: begun.len(),
        })
    }
}

/// How much may come, and until when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Bytes of the whole message.
    pub(super) bytes: usize,
    pub(super) idle: Duration,
    pub(super) deadline: Instant,
}

impl fmt::Debug for Long {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Long")
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

impl Long {
    /// Reads on in this response.
    pub(super) fn new(response: Response, begun: Begun, bounds: Bounds) -> Self {
        Self {
            response,
            body: begun.body,
            flow: begun.flow,
            answer: begun.answer,
            read: begun.read,
            given: Some(begun.given),
            bounds,
            timer: None,
            cancel: None,
        }
    }

    /// Counts the time until the end, and who is told when nobody waits any more.
    pub(super) fn with(mut self, timer: Timer) -> Self {
        self.timer = Some(timer);
        self
    }

    pub(super) fn cancelled_by(mut self, cancel: Option<Cancel>) -> Self {
        self.cancel = cancel;
        self
    }

    /// The next bytes of the result; `None` at its end, when all of it has come and was an answer.
    ///
    /// # Errors
    /// What broke it. Nothing of it may then be taken for a result.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let next = self.advance().await;
        let kind = match &next {
            Ok(Some(_)) => return next,
            Ok(None) => "ok",
            Err(error) => error.kind(),
        };
        if let Some(timer) = self.timer.take() {
            timer.stop(kind);
        }
        if let Some(cancel) = self.cancel.take() {
            cancel.heed(next.as_ref().err());
        }
        next
    }

    async fn advance(&mut self) -> Result<Option<Bytes>, Error> {
        if let Some(given) = self.given.take().filter(|given| !given.is_empty()) {
            return Ok(Some(Bytes::from(given)));
        }
        loop {
            if self.flow.is_over() {
                return self.answer.ended().map(|()| None);
            }
            let Some(chunk) = self.chunk().await? else {
                return match self.answer.ended() {
                    Err(_) if self.body == Body::EventStream => Err(Error::Lost),
                    ended => ended.map(|()| None),
                };
            };
            self.read += chunk.len();
            if self.read > self.bounds.bytes {
                let limit = self.bounds.bytes;
                return Err(Error::TooLarge { limit });
            }
            let message = self.flow.push(chunk).map_err(|_| NO_ANSWER)?;
            let mut given = Vec::with_capacity(message.len());
            self.answer.read(&message, &mut given)?;
            if !given.is_empty() {
                return Ok(Some(Bytes::from(given)));
            }
        }
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let idle = Instant::now() + self.bounds.idle;
        let (until, phase) = if idle < self.bounds.deadline {
            (idle, Phase::Idle)
        } else {
            (self.bounds.deadline, Phase::Total)
        };
        match timeout_at(until, self.response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            Ok(Err(_broken)) => Err(Error::Lost),
            Err(_elapsed) => Err(Error::Timeout { phase }),
        }
    }
}

const NO_ANSWER: Error = Error::Malformed {
    what: "a JSON-RPC answer to the request",
};

/// Where in the message the reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Within,
    After,
}

/// The message around the result.
struct Answer {
    id: u64,
    scan: Scan,
    stage: Stage,
    /// The id under way, while it is.
    naming: Option<Vec<u8>>,
    named: bool,
    done: bool,
    /// The first bytes of a character that a chunk cut.
    cut: Vec<u8>,
}

/// Bytes of an id.
const MOST_ID: usize = 256;

impl Answer {
    fn new(id: u64) -> Self {
        Self {
            id,
            scan: Scan::default(),
            stage: Stage::Before,
            naming: None,
            named: false,
            done: false,
            cut: Vec::new(),
        }
    }

    /// Reads on; what of it belongs to the result goes into `given`.
    fn read(&mut self, mut bytes: &[u8], given: &mut Vec<u8>) -> Result<(), Error> {
        self.check(bytes)?;
        while !bytes.is_empty() {
            if self.done {
                let blank = bytes.iter().all(u8::is_ascii_whitespace);
                return if blank { Ok(()) } else { Err(NO_ANSWER) };
            }
            let (read, event) = self.scan.step(bytes).map_err(|_| NO_ANSWER)?;
            if self.stage == Stage::Within {
                given.extend_from_slice(&bytes[..read]);
            }
            if let Some(id) = &mut self.naming {
                id.extend_from_slice(&bytes[..read]);
                if id.len() > MOST_ID {
                    return Err(NO_ANSWER);
                }
            }
            bytes = &bytes[read..];
            match event {
                Event::More | Event::Closing => (),
                Event::Value(key) => self.value(&key, bytes.first().copied())?,
                Event::ValueEnd => self.value_ended()?,
                Event::Done => self.done = true,
            }
        }
        Ok(())
    }

    fn value(&mut self, key: &str, first: Option<u8>) -> Result<(), Error> {
        match key {
            "result" if self.stage == Stage::Before && first == Some(b'{') => {
                self.stage = Stage::Within;
            }
            "id" if !self.named => self.naming = Some(Vec::new()),
            "result" | "id" | "method" | "error" => return Err(NO_ANSWER),
            _ => (),
        }
        Ok(())
    }

    fn value_ended(&mut self) -> Result<(), Error> {
        if self.stage == Stage::Within {
            self.stage = Stage::After;
        }
        let Some(id) = self.naming.take() else {
            return Ok(());
        };
        let id = String::from_utf8(id).unwrap_or_default();
        self.named = message::is_id(&id, self.id);
        if self.named { Ok(()) } else { Err(NO_ANSWER) }
    }

    fn ended(&self) -> Result<(), Error> {
        let whole = self.done && self.named && self.stage == Stage::After && self.cut.is_empty();
        if whole { Ok(()) } else { Err(NO_ANSWER) }
    }

    /// JSON is UTF-8, also across chunks.
    fn check(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut rest = bytes;
        while !self.cut.is_empty() && !rest.is_empty() {
            self.cut.push(rest[0]);
            rest = &rest[1..];
            match std::str::from_utf8(&self.cut) {
                Ok(_) => self.cut.clear(),
                Err(error) if error.error_len().is_none() => (),
                Err(_) => return Err(NO_ANSWER),
            }
        }
        match std::str::from_utf8(rest) {
            Ok(_) => Ok(()),
            Err(error) if error.error_len().is_none() => {
                self.cut = rest[error.valid_up_to()..].to_vec();
                Ok(())
            }
            Err(_) => Err(NO_ANSWER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    /// The result in a message that comes in pieces of this size, if it is an answer to 7.
    fn result(message: &str, size: usize) -> Option<String> {
        let (mut answer, mut given) = (Answer::new(7), Vec::new());
        for piece in message.as_bytes().chunks(size) {
            answer.read(piece, &mut given).ok()?;
        }
        answer.ended().ok()?;
        String::from_utf8(given).ok()
    }

    #[track_caller]
    fn check(message: &str, expected: Option<&str>) {
        for size in [1, 2, 5, 1000] {
            assert_eq!(
                result(message, size).as_deref(),
                expected,
                "{message} by {size}"
            );
        }
    }

    #[test]
    fn the_result_is_given_byte_for_byte() {
        let result = r#"{ "content":[{"n": 1.10,"t":"ž😀\""}], "id":8 }"#;
        check(
            &format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#),
            Some(result),
        );
        check(
            &format!(r#"{{"result": {result} ,"id":"7"}} "#),
            Some(result),
        );
        check(
            &format!(r#"{{"result":{result},"x":{{"id":1}},"id":7.0}}"#),
            Some(result),
        );
    }

    #[test]
    fn what_is_no_whole_answer_to_the_request_is_none() {
        for message in [
            r#"{"id":8,"result":{}}"#,
            r#"{"result":{},"id":8}"#,
            r#"{"result":{}}"#,
            r#"{"id":7}"#,
            r#"{"id":7,"result":{}"#,
            r#"{"id":7,"result":{}}}"#,
            r#"{"id":7,"result":[]}"#,
            r#"{"id":7,"result":{},"error":{}}"#,
            r#"{"id":7,"method":"x","result":{}}"#,
            r#"{"id":7,"result":{},"result":{}}"#,
            r#"[{"id":7,"result":{}}]"#,
            r#"{"id":7,"result":{"a":]}}"#,
        ] {
            check(message, None);
        }
        let mut bytes = br#"{"id":7,"result":{"a":"?"}}"#.to_vec();
        let at = bytes.iter().position(|&byte| byte == b'?').unwrap();
        bytes[at] = 0xFF;
        assert!(Answer::new(7).read(&bytes, &mut Vec::new()).is_err());
    }
}
