//! Where does one JSON-RPC message end and the next begin in the body of an answer?
//!
//! Guarantees: however the body was cut into chunks, the same messages come out; no message and
//! no line larger than the limit is ever held. Never looks into a message, but for one case: an
//! event that the end of the stream cut short counts only if its JSON is whole.
//!
//! Grammar: WHATWG HTML, "Interpreting an event stream".

use std::collections::VecDeque;

use http::header::{CONTENT_TYPE, HeaderMap};
use serde::de::IgnoredAny;

use crate::upstream::flow::Flow;
use crate::upstream::resume::{Mark, Turn};

/// How a body is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// One message, up to the end.
    Json,
    /// One message an event.
    EventStream,
}

impl Body {
    /// The kind that these headers tell, if it is one.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let kind = kind.split(';').next()?.trim();
        if kind.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else if kind.eq_ignore_ascii_case("text/event-stream") {
            Some(Self::EventStream)
        } else {
            None
        }
    }
}

/// A message or a line outgrew the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overflow;

/// Bytes in, messages out.
pub(super) struct Framer {
    body: Body,
    limit: usize,
    /// The line under way; of a JSON body, all of it.
    line: Vec<u8>,
    /// The `data` lines of the event under way, joined.
    data: Vec<u8>,
    has_data: bool,
    /// Whether the event under way is of a type that carries messages.
    relevant: bool,
    /// The last line ended in CR: an LF right after it belongs to it.
    after_cr: bool,
    first_line: bool,
    ready: VecDeque<Vec<u8>>,
    mark: Mark,
}

impl Framer {
    /// `limit`: bytes of one message.
    pub(super) fn new(body: Body, limit: usize) -> Self {
        Self {
            body,
            limit,
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            relevant: true,
            after_cr: false,
            first_line: true,
            ready: VecDeque::new(),
            mark: Mark::default(),
        }
    }

    /// Takes the next bytes; whole messages then wait in [`Framer::next`].
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), Overflow> {
        match self.body {
            Body::Json => self.hold(chunk),
            Body::EventStream => self.lines(chunk),
        }
    }

    /// The next whole message.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        self.ready.pop_front()
    }

    /// The body has ended: what was left of it, if that is a message.
    pub(super) fn finish(&mut self) -> Option<Vec<u8>> {
        match self.body {
            Body::Json => {
                let body = std::mem::take(&mut self.line);
                let body = body.strip_prefix(BOM).map_or(body.clone(), <[u8]>::to_vec);
                (!is_blank(&body)).then_some(body)
            }
            Body::EventStream => {
                let line = std::mem::take(&mut self.line);
                if !line.is_empty() {
                    self.line_ended(&line);
                }
                let whole = serde_json::from_slice::<IgnoredAny>(&self.data).is_ok();
                (self.relevant && whole).then(|| std::mem::take(&mut self.data))
            }
        }
    }

    /// The stream has ended without the answer: where it may be taken up, if it may. What comes next
    /// is another stream, which goes on behind the last whole event of this one.
    pub(super) fn take_up(&mut self) -> Option<Turn> {
        let turn = self.mark.turn()?;
        *self = Self {
            mark: std::mem::take(&mut self.mark),
            ..Self::new(self.body, self.limit)
        };
        Some(turn)
    }

    /// Bytes held of messages that are not whole.
    pub(super) const fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// The message under way as far as it has come, if nothing is held but its beginning.
    pub(super) fn begun(&self) -> Option<Vec<u8>> {
        if !self.ready.is_empty() {
            return None;
        }
        let line = if self.first_line {
            self.line.strip_prefix(BOM).unwrap_or(&self.line)
        } else {
            &self.line
        };
        if self.body == Body::Json {
            return Some(line.to_vec());
        }
        // A field that is too short to be told, or is no data, is waited for.
        let value = line
            .strip_prefix(DATA)
            .filter(|value| self.relevant && !value.is_empty())?;
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let mut begun = self.data.clone();
        if self.has_data {
            begun.push(b'\n');
        }
        begun.extend_from_slice(value);
        Some(begun)
    }

    /// Reads on behind what [`Framer::begun`] gave.
    pub(super) const fn flow(&self) -> Flow {
        Flow::new(self.body)
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), Overflow> {
        if self.line.len() + self.data.len() + bytes.len() > self.limit {
            return Err(Overflow);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn lines(&mut self, mut chunk: &[u8]) -> Result<(), Overflow> {
        self.mark.heard();
        while !chunk.is_empty() {
            if std::mem::take(&mut self.after_cr) && chunk[0] == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let Some(end) = chunk.iter().position(|&byte| matches!(byte, b'\r' | b'\n')) else {
                return self.hold(chunk);
            };
            self.hold(&chunk[..end])?;
            let line = std::mem::take(&mut self.line);
            self.line_ended(&line);
            self.after_cr = chunk[end] == b'\r';
            chunk = &chunk[end + 1..];
        }
        Ok(())
    }

    fn line_ended(&mut self, line: &[u8]) {
        let line = if std::mem::take(&mut self.first_line) {
            line.strip_prefix(BOM).unwrap_or(line)
        } else {
            line
        };
        if line.is_empty() {
            return self.event_ended();
        }
        let colon = line.iter().position(|&byte| byte == b':');
        let (field, value) = colon.map_or((line, &line[line.len()..]), |at| {
            (&line[..at], &line[at + 1..])
        });
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => self.relevant = value.is_empty() || value == b"message",
            // Comments are an empty field; there is no end to what else may come.
            _ => self.mark.field(field, value),
        }
    }

    fn event_ended(&mut self) {
        let data = std::mem::take(&mut self.data);
        self.has_data = false;
        self.mark.event_ended();
        let relevant = std::mem::replace(&mut self.relevant, true);
        // An event with an id and empty data opens the streams of some servers.
        if relevant && !is_blank(&data) {
            self.ready.push_back(data);
        }
    }
}

const BOM: &[u8] = b"\xEF\xBB\xBF";
const DATA: &[u8] = b"data:";

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: Body, chunks: &[&[u8]], limit: usize) -> Result<Vec<String>, Overflow> {
        let mut framer = Framer::new(body, limit);
        let mut messages = Vec::new();
        for chunk in chunks {
            framer.push(chunk)?;
            messages.extend(std::iter::from_fn(|| framer.next()));
        }
        messages.extend(framer.finish());
        Ok(messages
            .into_iter()
            .map(|message| String::from_utf8(message).unwrap())
            .collect())
    }

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        let messages = frame(Body::EventStream, &[stream.as_bytes()], 1000).unwrap();
        assert_eq!(messages, expected, "{stream:?}");
    }

    #[test]
    fn events_become_messages() {
        check("data: {}\n\n", &["{}"]);
        check("data:{}\r\n\r\n", &["{}"]);
        check("data: {}\r\r", &["{}"]);
        check("data: {}\r\n\rdata: 2\n\r\n", &["{}", "2"]);
        check("\u{feff}data: 1\n\n", &["1"]);
        check(
            "event: message\nid: 7\nretry: 5\ndata: 1\n\ndata: 2\n\n",
            &["1", "2"],
        );
        check("data: {\ndata: \"a\":1}\n\n", &["{\n\"a\":1}"]);
        check("data:  x\n\n", &[" x"]);
    }

    #[test]
    fn what_carries_no_message_is_passed_over() {
        check(": ping\n\n:\n\ndata: 1\n\n", &["1"]);
        check("id: 1\ndata:\n\ndata: 1\n\n", &["1"]);
        check("data\n\ndata:\ndata:\n\n", &[]);
        check("event: endpoint\ndata: /x\n\ndata: 1\n\n", &["1"]);
        check("event: ping\n\ndata: 1\n\n", &["1"]);
        check("data: 1\n\n\n\n\n", &["1"]);
        check("dataset: 1\nDATA: 2\n\n", &[]);
        check("", &[]);
    }

    #[test]
    fn an_event_cut_by_the_end_counts_only_if_whole() {
        check("data: {\"a\":1}", &["{\"a\":1}"]);
        check("data: {\"a\":1}\n", &["{\"a\":1}"]);
        check("data: {\"a\":", &[]);
        check("event: ping\ndata: {}", &[]);
    }

    #[test]
    fn a_json_body_is_one_message() {
        let check = |chunks: &[&[u8]], expected: &[&str]| {
            assert_eq!(frame(Body::Json, chunks, 1000).unwrap(), expected);
        };
        check(&[b"{\"a\"", b":1}\n"], &["{\"a\":1}\n"]);
        check(&[b"\xEF\xBB", b"\xBF{}"], &["{}"]);
        check(&[b" \n"], &[]);
        check(&[], &[]);
    }

    #[test]
    fn nothing_beyond_the_limit_is_held() {
        let chunk: &[u8] = b"0123456789";
        let json = frame(Body::Json, &[chunk, chunk], 15);
        assert_eq!(json, Err(Overflow));
        let line = frame(Body::EventStream, &[b"data: ", chunk], 15);
        assert_eq!(line, Err(Overflow));
        let lines = frame(Body::EventStream, &[b"data: 012345\ndata: 0123456"], 15);
        assert_eq!(lines, Err(Overflow));
        let small = frame(Body::EventStream, &[&b"data: 1\n\n"[..]; 50], 15);
        assert_eq!(small.unwrap().len(), 50);
    }

    mod properties {
        use proptest::prelude::*;

        use super::*;

        fn pieces() -> impl Strategy<Value = Vec<u8>> {
            let piece = prop::sample::select(vec![
                "data: ",
                "data:",
                "data",
                "event: ping",
                "event: message",
                "id: 1",
                ": c",
                "{}",
                "{\"a\":\"ž\"}",
                "1",
                "\r",
                "\n",
                "\r\n",
                "\n\n",
                "\r\n\r\n",
                " ",
                ":",
                "\u{feff}",
            ]);
            prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat().into_bytes())
        }

        proptest! {
            #[test]
            fn every_split_frames_the_same(
                stream in pieces(),
                cuts in prop::collection::vec(0_usize..200, 0..8),
                body in prop::sample::select(vec![Body::Json, Body::EventStream]),
            ) {
                let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
                cuts.extend([0, stream.len()]);
                cuts.sort_unstable();
                let chunks: Vec<_> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
                let bytes: Vec<_> = stream.chunks(1).collect();
                let whole = frame(body, &[&stream], 10_000);
                prop_assert_eq!(&frame(body, &chunks, 10_000), &whole);
                prop_assert_eq!(&frame(body, &bytes, 10_000), &whole);
            }
        }
    }
}
