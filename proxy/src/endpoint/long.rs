//! What form does a result take for this caller that is too large to be held? The same as one that
//! is held, member by member, as they pass.
//!
//! Guarantees: all members that the caller's revision knows pass byte for byte; holds no more than
//! one of the small members. What turns out to be no result for this caller ends as broken, never
//! as a shorter one.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::endpoint::legacy;
use crate::endpoint::metrics::{InFlight, Metrics};
use crate::endpoint::share::Share;
use crate::protocol::{self, Event, Revision, Scan};
use crate::tools;

/// The result broke off: nothing of it may be taken for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the result broke off")]
pub struct Broken;

/// A result on its way to a caller.
#[derive(Debug)]
pub struct Long {
    result: Box<crate::upstream::Long>,
    shape: Shape,
    counted: Option<Counted>,
    /// What the call holds until its end.
    held: Option<(InFlight, Option<Share>)>,
}

/// Whether a client of this revision can be given a result member by member: the oldest know fewer
/// kinds of content, and each block would have to be looked into.
pub(super) fn can_shape(revision: Revision) -> bool {
    revision > Revision::V2025_03_26
}

impl Long {
    pub(super) fn new(result: tools::Long, revision: Revision, counted: Counted) -> Self {
        Self {
            result: result.result,
            shape: Shape::new(revision, result.note),
            counted: Some(counted),
            held: None,
        }
    }

    pub(super) fn holding(mut self, in_flight: InFlight, share: Option<Share>) -> Self {
        self.held = Some((in_flight, share));
        self
    }

    /// The next bytes; `None` at the end of a result that was whole.
    ///
    /// # Errors
    /// [`Broken`]: what was given so far is worth nothing.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Broken> {
        loop {
            let (outcome, next) = match self.result.next().await {
                Ok(Some(bytes)) => {
                    let mut given = Vec::with_capacity(bytes.len());
                    match self.shape.read(&bytes, &mut given) {
                        Ok(()) if given.is_empty() => continue,
                        Ok(()) => return Ok(Some(Bytes::from(given))),
                        Err(_) => ("malformed", Err(Broken)),
                    }
                }
                Ok(None) => (self.shape.outcome(), Ok(None)),
                Err(error) => (error.kind(), Err(Broken)),
            };
            if let Some(counted) = self.counted.take() {
                counted.stop(outcome);
            }
            return next;
        }
    }
}

/// The clock of one call; one that is dropped before its end is not counted.
#[derive(Debug)]
pub(super) struct Counted {
    metrics: Arc<Metrics>,
    tool: &'static str,
    started: Instant,
}

impl Counted {
    pub(super) fn start(metrics: Arc<Metrics>, tool: &'static str) -> Self {
        let started = Instant::now();
        Self {
            metrics,
            tool,
            started,
        }
    }

    /// The call has ended; `outcome` is a static name.
    pub(super) fn stop(self, outcome: &'static str) {
        let Self {
            metrics,
            tool,
            started,
            ..
        } = self;
        metrics.called(tool, outcome, started.elapsed());
        tracing::info!(
            tool,
            outcome,
            milliseconds = started.elapsed().as_millis(),
            "answered a call"
        );
    }
}

/// Bytes of a member that is held to be looked at.
const MOST_HELD: usize = 1024 * 1024;

#[derive(Debug)]
enum Member {
    /// Between values: what stands before the next one.
    None,
    Passed,
    Dropped,
    /// Held, to be judged at its end.
    Held(&'static str),
}

struct Shape {
    modern: bool,
    note: Option<String>,
    scan: Scan,
    member: Member,
    /// Comma, key and colon before a value; or a value that is held.
    lead: Vec<u8>,
    value: Vec<u8>,
    opened: bool,
    /// Whether a member has passed.
    any: bool,
    has_meta: bool,
    kind: Option<Kind>,
    is_error: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Complete,
    InputRequired,
}

/// By hand, so that nothing of the result is printed.
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shape")
    }
}

impl Shape {
    fn new(revision: Revision, note: Option<String>) -> Self {
        Self {
            modern: revision.is_modern(),
            note,
            scan: Scan::default(),
            member: Member::None,
            lead: Vec::new(),
            value: Vec::new(),
            opened: false,
            any: false,
            has_meta: false,
            kind: None,
            is_error: false,
        }
    }

    fn outcome(&self) -> &'static str {
        let outcome = match self.kind {
            Some(Kind::InputRequired) => tools::Outcome::InputRequired,
            _ if self.is_error => tools::Outcome::ToolError,
            _ => tools::Outcome::Ok,
        };
        outcome.kind()
    }

    fn read(&mut self, mut bytes: &[u8], given: &mut Vec<u8>) -> Result<(), protocol::Broken> {
        while !bytes.is_empty() {
            let (read, event) = self.scan.step(bytes)?;
            self.take(&bytes[..read], given)?;
            bytes = &bytes[read..];
            match event {
                Event::More => (),
                Event::Value(key) => {
                    self.begin(&key, bytes.first().copied().unwrap_or_default(), given);
                }
                Event::ValueEnd => self.end(given)?,
                Event::Closing => self.close(given),
                Event::Done => given.append(&mut self.lead),
            }
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8], given: &mut Vec<u8>) -> Result<(), protocol::Broken> {
        let held = match self.member {
            Member::Passed => {
                given.extend_from_slice(bytes);
                return Ok(());
            }
            Member::Dropped => return Ok(()),
            Member::None => &mut self.lead,
            Member::Held(_) => &mut self.value,
        };
        held.extend_from_slice(bytes);
        if held.len() > MOST_HELD {
            return Err(protocol::Broken);
        }
        Ok(())
    }

    fn begin(&mut self, key: &str, first: u8, given: &mut Vec<u8>) {
        self.open(given);
        let held = ["resultType", "isError", "_meta"];
        self.member = match held.into_iter().find(|held| *held == key) {
            Some(held) => Member::Held(held),
            None if !self.modern && legacy::is_unknown(key, first) => Member::Dropped,
            None => {
                self.pass_lead(given);
                Member::Passed
            }
        };
        self.value.clear();
    }

    /// The opening brace, which is the beginning of the first lead, passes whatever comes of the
    /// first member.
    fn open(&mut self, given: &mut Vec<u8>) {
        if self.opened {
            return;
        }
        self.opened = true;
        let brace = self.lead.iter().position(|&byte| byte == b'{');
        let brace = brace.map_or(0, |at| at + 1);
        given.extend(self.lead.drain(..brace));
    }

    fn pass_lead(&mut self, given: &mut Vec<u8>) {
        let comma = self.lead.iter().position(|&byte| byte == b',');
        if let Some(comma) = comma.filter(|&at| self.lead[..at].iter().all(u8::is_ascii_whitespace))
            && !self.any
        {
            // The members before it were left out.
            self.lead.remove(comma);
        }
        self.any = true;
        given.append(&mut self.lead);
    }

    fn end(&mut self, given: &mut Vec<u8>) -> Result<(), protocol::Broken> {
        if let Member::Held(key) = std::mem::replace(&mut self.member, Member::None) {
            let passes = match key {
                "resultType" => self.heed_kind()?,
                "isError" => {
                    self.is_error |= self.value == b"true";
                    true
                }
                _ => self.shape_meta()?,
            };
            if passes {
                self.pass_lead(given);
                given.append(&mut self.value);
            }
        }
        self.lead.clear();
        self.value.clear();
        Ok(())
    }

    /// A kind that cannot be followed from here, and a question to a client that cannot be asked,
    /// must not pass.
    fn heed_kind(&mut self) -> Result<bool, protocol::Broken> {
        self.kind = Some(match &self.value[..] {
            br#""complete""# | b"null" => Kind::Complete,
            br#""input_required""# if self.modern => Kind::InputRequired,
            _ => return Err(protocol::Broken),
        });
        Ok(self.modern)
    }

    fn shape_meta(&mut self) -> Result<bool, protocol::Broken> {
        self.has_meta = true;
        if !self.modern {
            let value = std::mem::take(&mut self.value);
            let value: &RawValue = serde_json::from_slice(&value).map_err(|_| protocol::Broken)?;
            let Some(known) = legacy::meta(value) else {
                self.has_meta = false;
                return Ok(false);
            };
            self.value = known.get().as_bytes().to_vec();
        }
        if self.value.first() == Some(&b'{')
            && self.kind != Some(Kind::InputRequired)
            && let Some(note) = self.note.take()
        {
            let is_empty = self.value[1..].trim_ascii_start().starts_with(b"}");
            let comma = if is_empty { "" } else { "," };
            self.value
                .splice(1..1, format!("{note}{comma}").into_bytes());
        }
        Ok(true)
    }

    /// What a result that is held would have got in front stands at the end: only here is it known
    /// that it was not there.
    fn close(&mut self, given: &mut Vec<u8>) {
        self.open(given);
        let note = self
            .note
            .take()
            .filter(|_| !self.has_meta && self.kind != Some(Kind::InputRequired));
        let kind = self.modern && self.kind.is_none();
        let added = [
            kind.then(|| r#""resultType":"complete""#.to_owned()),
            note.map(|note| format!(r#""_meta":{{{note}}}"#)),
        ];
        for member in added.into_iter().flatten() {
            if std::mem::replace(&mut self.any, true) {
                given.push(b',');
            }
            given.extend_from_slice(member.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use crate::protocol::Revision;

    fn shaped(result: &str, revision: Revision, note: Option<&str>, size: usize) -> Option<String> {
        let mut shape = Shape::new(revision, note.map(ToOwned::to_owned));
        let mut given = Vec::new();
        for piece in result.as_bytes().chunks(size) {
            shape.read(piece, &mut given).ok()?;
        }
        String::from_utf8(given).ok()
    }

    #[track_caller]
    fn check(result: &str, revision: Revision, note: Option<&str>, expected: Option<&str>) {
        for size in [1, 3, 1000] {
            let shaped = shaped(result, revision, note, size);
            assert_eq!(shaped.as_deref(), expected, "{result} by {size}");
        }
    }

    #[test]
    fn a_modern_client_gets_every_byte_and_what_was_missing() {
        let whole = r#"{ "resultType" : "complete", "content":[{"n": 1.10}] ,"isError": true, "_meta":{"a":1} }"#;
        check(whole, Revision::LATEST, None, Some(whole));
        check(
            r#"{"content":[] }"#,
            Revision::LATEST,
            None,
            Some(r#"{"content":[],"resultType":"complete" }"#),
        );
        check(
            "{}",
            Revision::LATEST,
            None,
            Some(r#"{"resultType":"complete"}"#),
        );
        let asks = r#"{"content":[],"resultType":"input_required"}"#;
        check(asks, Revision::LATEST, Some(r#""m":1"#), Some(asks));
        check(
            r#"{"content":[],"resultType":"task"}"#,
            Revision::LATEST,
            None,
            None,
        );
    }

    #[test]
    fn the_note_stands_in_meta() {
        let note = Some(r#""m":1"#);
        for (result, expected) in [
            (
                r#"{"resultType":"complete","_meta":{ "b":2},"content":[]}"#,
                r#"{"resultType":"complete","_meta":{"m":1, "b":2},"content":[]}"#,
            ),
            (
                r#"{"_meta":{},"resultType":"complete"}"#,
                r#"{"_meta":{"m":1},"resultType":"complete"}"#,
            ),
            (
                r#"{"a":1}"#,
                r#"{"a":1,"resultType":"complete","_meta":{"m":1}}"#,
            ),
            (
                r#"{"_meta":7,"resultType":"complete"}"#,
                r#"{"_meta":7,"resultType":"complete"}"#,
            ),
        ] {
            check(result, Revision::LATEST, note, Some(expected));
        }
    }

    #[test]
    fn an_older_client_gets_what_it_knows() {
        let legacy = Revision::V2025_11_25;
        for (result, expected) in [
            (
                r#"{"resultType":"complete", "content":[{"resultType":1}] , "ttlMs":[1] , "structuredContent":[1],"z": 1e400}"#,
                r#"{ "content":[{"resultType":1}], "z": 1e400}"#,
            ),
            (
                r#"{"structuredContent":{"a":1},"_meta":{"io.modelcontextprotocol/serverInfo":{}}}"#,
                r#"{"structuredContent":{"a":1}}"#,
            ),
            (r#"{"cacheScope":"x"}"#, "{}"),
        ] {
            // A blank before a comma that goes may go with it.
            let squeeze = |text: &str| text.replace(' ', "");
            let shaped = shaped(result, legacy, None, 1000).unwrap();
            assert_eq!(squeeze(&shaped), squeeze(expected));
        }
        check(r#"{"resultType":"input_required"}"#, legacy, None, None);
        check(
            r#"{"resultType":"complete"}"#,
            legacy,
            Some(r#""m":1"#),
            Some(r#"{"_meta":{"m":1}}"#),
        );
    }
}
