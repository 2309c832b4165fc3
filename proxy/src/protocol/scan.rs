//! Where are the members of this JSON object, while its text is still on the way?
//!
//! Guarantees: holds no more than a key, a number and a bit a level, whatever the size of the text;
//! however the text was cut into pieces, the same events come out; brackets, commas, colons, numbers
//! and literals are those of JSON. Never looks at the characters of a string but for its end: who
//! passes strings on passes them on as they came.

use std::fmt;

use serde::de::IgnoredAny;

/// The text is no JSON object, or nested deeper than anything that is read by anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no JSON object")]
pub struct Broken;

/// Why the scan stopped where it did.
#[derive(Clone, PartialEq, Eq)]
pub enum Event {
    /// All bytes are read.
    More,
    /// The value of this member begins with the next byte.
    Value(String),
    /// The value has just ended.
    ValueEnd,
    /// The next byte closes the object.
    Closing,
    /// The object is closed.
    Done,
}

/// A scan under way.
#[derive(Default)]
pub struct Scan {
    /// The open brackets; whether each is an object's.
    open: Vec<bool>,
    next: Next,
    within: Within,
    /// The number or literal under way.
    scalar: Vec<u8>,
    /// The key of the member under way, where the member is the object's own.
    key: Vec<u8>,
    announced: bool,
}

/// By hand, so that nothing of the text is printed.
impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scan")
    }
}

/// By hand, so that no key is printed.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Event")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Next {
    #[default]
    Object,
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Within {
    #[default]
    Nothing,
    String {
        is_key: bool,
        escaped: bool,
    },
    Scalar,
}

const MOST_DEPTH: usize = 10_000;
/// Bytes of one number, and of one key of the object's own.
const MOST_HELD: usize = 64 * 1024;

impl Scan {
    /// Reads up to the next event: how many bytes were read, and what it is. To be called again
    /// with what is left.
    ///
    /// # Errors
    /// [`Broken`], after which nothing more can be read.
    pub fn step(&mut self, bytes: &[u8]) -> Result<(usize, Event), Broken> {
        let mut at = 0;
        while at < bytes.len() {
            let event = match self.within {
                Within::String { is_key, escaped } => {
                    let (read, event) = self.string(&bytes[at..], is_key, escaped)?;
                    at += read;
                    event
                }
                Within::Scalar => {
                    let (read, event) = self.scalar(&bytes[at..])?;
                    at += read;
                    event
                }
                Within::Nothing if is_blank(bytes[at]) => {
                    at += 1;
                    None
                }
                Within::Nothing => {
                    let (read, event) = self.sign(bytes[at])?;
                    at += read;
                    event
                }
            };
            if let Some(event) = event {
                return Ok((at, event));
            }
        }
        Ok((at, Event::More))
    }

    fn string(
        &mut self,
        bytes: &[u8],
        is_key: bool,
        escaped: bool,
    ) -> Result<(usize, Option<Event>), Broken> {
        let (read, ended, escaped) = if escaped {
            (1, false, false)
        } else {
            match memchr::memchr2(b'"', b'\\', bytes) {
                None => (bytes.len(), false, false),
                Some(at) => (at + 1, bytes[at] == b'"', bytes[at] == b'\\'),
            }
        };
        let own_key = is_key && self.open.len() == 1;
        if own_key {
            hold(&mut self.key, &bytes[..read])?;
        }
        if !ended {
            self.within = Within::String { is_key, escaped };
            return Ok((read, None));
        }
        self.within = Within::Nothing;
        if is_key {
            self.next = Next::Colon;
            return Ok((read, None));
        }
        Ok((read, self.value_ended()))
    }

    fn scalar(&mut self, bytes: &[u8]) -> Result<(usize, Option<Event>), Broken> {
        let ends = |byte: &u8| is_blank(*byte) || b",:]}[{\"".contains(byte);
        let end = bytes.iter().position(ends);
        hold(&mut self.scalar, &bytes[..end.unwrap_or(bytes.len())])?;
        let Some(end) = end else {
            return Ok((bytes.len(), None));
        };
        serde_json::from_slice::<IgnoredAny>(&self.scalar).map_err(|_| Broken)?;
        self.scalar.clear();
        self.within = Within::Nothing;
        Ok((end, self.value_ended()))
    }

    /// One sign outside of strings and numbers; none is read where an event comes before it.
    fn sign(&mut self, byte: u8) -> Result<(usize, Option<Event>), Broken> {
        let is_own = self.open.len() == 1;
        match (self.next, byte) {
            (Next::Object, b'{') => self.opened(true)?,
            (Next::KeyOrEnd | Next::CommaOrEnd, b'}') if self.open.last() == Some(&true) => {
                return Ok(self.closed());
            }
            (Next::ValueOrEnd | Next::CommaOrEnd, b']') if self.open.last() == Some(&false) => {
                return Ok(self.closed());
            }
            (Next::Key | Next::KeyOrEnd, b'"') => {
                if is_own {
                    self.key.clear();
                    self.key.push(b'"');
                }
                self.within = Within::String {
                    is_key: true,
                    escaped: false,
                };
            }
            (Next::Colon, b':') => self.next = Next::Value,
            (Next::CommaOrEnd, b',') => {
                self.next = if self.open.last() == Some(&true) {
                    Next::Key
                } else {
                    Next::Value
                };
            }
            (Next::Value | Next::ValueOrEnd, _) if is_own && !self.announced => {
                self.announced = true;
                let key = serde_json::from_slice(&self.key).map_err(|_| Broken)?;
                return Ok((0, Some(Event::Value(key))));
            }
            (Next::Value | Next::ValueOrEnd, b'{') => self.opened(true)?,
            (Next::Value | Next::ValueOrEnd, b'[') => self.opened(false)?,
            (Next::Value | Next::ValueOrEnd, b'"') => {
                self.within = Within::String {
                    is_key: false,
                    escaped: false,
                };
            }
            (Next::Value | Next::ValueOrEnd, b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.scalar.push(byte);
                self.within = Within::Scalar;
            }
            _ => return Err(Broken),
        }
        Ok((1, None))
    }

    fn opened(&mut self, is_object: bool) -> Result<(), Broken> {
        if self.open.len() == MOST_DEPTH {
            return Err(Broken);
        }
        self.open.push(is_object);
        self.next = if is_object {
            Next::KeyOrEnd
        } else {
            Next::ValueOrEnd
        };
        Ok(())
    }

    fn closed(&mut self) -> (usize, Option<Event>) {
        if self.open.len() == 1 && !self.announced {
            self.announced = true;
            return (0, Some(Event::Closing));
        }
        self.open.pop();
        if self.open.is_empty() {
            self.next = Next::Nothing;
            return (1, Some(Event::Done));
        }
        (1, self.value_ended())
    }

    fn value_ended(&mut self) -> Option<Event> {
        self.next = Next::CommaOrEnd;
        let is_own = self.open.len() == 1;
        if is_own {
            self.announced = false;
        }
        is_own.then_some(Event::ValueEnd)
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn hold(held: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Broken> {
    if held.len() + bytes.len() > MOST_HELD {
        return Err(Broken);
    }
    held.extend_from_slice(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Broken, Event, Scan};

    /// What the events say, a line each, with the text between them.
    fn scan(pieces: &[&[u8]]) -> Result<String, Broken> {
        let (mut scan, mut said) = (Scan::default(), String::new());
        for mut piece in pieces.iter().copied() {
            while !piece.is_empty() {
                let (read, event) = scan.step(piece)?;
                said.push_str(&String::from_utf8_lossy(&piece[..read]));
                piece = &piece[read..];
                match event {
                    Event::More => (),
                    Event::Value(key) => said.push_str(&format!("<{key}>")),
                    Event::ValueEnd => said.push('#'),
                    Event::Closing => said.push('^'),
                    Event::Done => said.push('$'),
                }
            }
        }
        Ok(said)
    }

    #[test]
    fn own_members_are_found_and_those_within_are_not() {
        for (text, expected) in [
            ("{}", "{^}$"),
            (
                r#"{"a":1, "b" : {"c":[{}, 2]}}"#,
                r##"{"a":<a>1#, "b" : <b>{"c":[{}, 2]}#^}$"##,
            ),
            (
                r#" {"\u0061":"]}\"", "b":[ ]} "#,
                r##" {"\u0061":<a>"]}\""#, "b":<b>[ ]#^}$ "##,
            ),
            (r#"{"n":-1.50e400 }"#, r##"{"n":<n>-1.50e400# ^}$"##),
        ] {
            assert_eq!(scan(&[text.as_bytes()]).as_deref(), Ok(expected));
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(scan(&bytes).as_deref(), Ok(expected), "byte by byte");
        }
    }

    #[test]
    fn what_is_no_object_is_broken() {
        for text in [
            "[]",
            "7",
            r#"{"a":1]"#,
            r#"{"a":[}]}"#,
            r#"{"a" 1}"#,
            r#"{"a":1,}"#,
            r#"{"a":[1,]}"#,
            r#"{"a":nul}"#,
            r#"{"a":01}"#,
            r#"{,}"#,
            r#"{"a":1}{"#,
            r#"{"a":x}"#,
        ] {
            assert_eq!(scan(&[text.as_bytes()]), Err(Broken), "{text}");
        }
        let deep = format!(r#"{{"a":{}"#, "[".repeat(20_000));
        assert_eq!(scan(&[deep.as_bytes()]), Err(Broken));
    }

    proptest! {
        /// What the parser takes, the scan takes, and the other way round.
        #[test]
        fn it_takes_what_is_json(text in r#"\{("a":)?[\[\]{},:0-9"truenl .e-]{0,12}\}"#) {
            let is_object = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            let scanned = scan(&[text.as_bytes()]);
            prop_assert_eq!(scanned.is_ok_and(|said| said.contains('$')), is_object, "{}", text);
        }
    }
}
