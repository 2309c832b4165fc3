//! Where does the stream of a legacy server go on that ended before its answer, and when is it to be
//! asked for?
//!
//! A server that gave its events ids keeps them for a client that comes back: it may end a stream
//! to save the connection, or lose it. The request is then not sent again, it is listened to
//! again. Guarantees: only what a whole event named is asked for; every turn waits, so that no
//! server is asked without pause; turns that bring nothing end.
//!
//! Source: MCP 2025-11-25, Transports, "Resumability and Redelivery" and "Sending Messages to the
//! Server"; WHATWG HTML, "Interpreting an event stream". 2026-07-28 has removed it.

use std::time::Duration;

use http::HeaderValue;

/// The wait before a turn where the server asked for none.
const USUAL: Duration = Duration::from_secs(1);

/// The shortest wait; a server may ask for none at all.
const SHORTEST: Duration = Duration::from_millis(100);

/// Turns in a row that bring not a byte.
const MOST_FRUITLESS: usize = 5;

/// Bytes of an event's id.
const MOST_ID: usize = 1024;

/// How far a stream has been heard.
#[derive(Debug, Default)]
pub(super) struct Mark {
    /// The id of the event under way.
    under_way: Option<HeaderValue>,
    /// The id of the last whole event; nothing where there was none, or an empty one.
    last: Option<HeaderValue>,
    wait: Option<Duration>,
    heard: bool,
    fruitless: usize,
}

/// One turn of asking.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// `Last-Event-ID`.
    pub(super) after: HeaderValue,
    /// How long to wait before.
    pub(super) wait: Duration,
}

impl Mark {
    /// Something has come, be it a comment.
    pub(super) const fn heard(&mut self) {
        self.heard = true;
    }

    /// A field of the event under way.
    pub(super) fn field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            // What cannot be a header, or is no id by the grammar (NUL), names no place.
            b"id" if value.len() <= MOST_ID => self.under_way = HeaderValue::from_bytes(value).ok(),
            b"id" => self.under_way = None,
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let number = std::str::from_utf8(value).ok();
                let number = number.and_then(|number| number.parse().ok());
                self.wait = number.map(Duration::from_millis).or(self.wait);
            }
            _ => {}
        }
    }

    /// The event under way is whole.
    pub(super) fn event_ended(&mut self) {
        self.last.clone_from(&self.under_way);
    }

    /// The stream has ended: when and where it may be taken up, if it may.
    pub(super) fn turn(&mut self) -> Option<Turn> {
        self.fruitless = if std::mem::take(&mut self.heard) {
            0
        } else {
            self.fruitless + 1
        };
        self.under_way.clone_from(&self.last);
        let after = self.last.clone().filter(|last| !last.is_empty())?;
        (self.fruitless < MOST_FRUITLESS).then(|| Turn {
            after,
            wait: self.wait.unwrap_or(USUAL).max(SHORTEST),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MOST_FRUITLESS, Mark, SHORTEST, Turn, USUAL};

    fn turn(after: &'static str, wait: Duration) -> Option<Turn> {
        let after = http::HeaderValue::from_static(after);
        Some(Turn { after, wait })
    }

    #[test]
    fn only_a_whole_event_names_a_place() {
        let mut mark = Mark::default();
        mark.heard();
        assert_eq!(mark.turn(), None);
        mark.field(b"id", b"a");
        assert_eq!(mark.turn(), None);
        mark.field(b"id", b"a");
        mark.event_ended();
        mark.field(b"id", b"b");
        assert_eq!(mark.turn(), turn("a", USUAL));
        // An event without an id keeps the last one; an empty one takes it back.
        mark.event_ended();
        assert_eq!(mark.turn(), turn("a", USUAL));
        mark.field(b"id", b"");
        mark.event_ended();
        assert_eq!(mark.turn(), None);
        for id in [&b"a\0b"[..], &[b'x'; 2000]] {
            mark.field(b"id", id);
            mark.event_ended();
            assert_eq!(mark.turn(), None);
        }
    }

    #[test]
    fn the_server_says_how_long_to_wait_but_not_too_briefly() {
        let mut mark = Mark::default();
        mark.field(b"id", b"1");
        mark.event_ended();
        for (retry, wait) in [
            ("2500", Duration::from_millis(2500)),
            ("soon", Duration::from_millis(2500)),
            ("-1", Duration::from_millis(2500)),
            ("0", SHORTEST),
        ] {
            mark.field(b"retry", retry.as_bytes());
            mark.heard();
            assert_eq!(mark.turn(), turn("1", wait), "{retry}");
        }
    }

    #[test]
    fn turns_that_bring_nothing_end() {
        let mut mark = Mark::default();
        mark.field(b"id", b"1");
        mark.event_ended();
        for _ in 0..3 {
            mark.heard();
            let turns = std::iter::from_fn(|| mark.turn()).count();
            assert_eq!(turns, MOST_FRUITLESS);
        }
    }
}
