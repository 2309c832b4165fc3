//! How does the rest of one message go on, when its beginning is already on its way to the caller?
//!
//! Guarantees: gives the message's bytes as they come and holds no more of them than the name of a
//! field; a line that is no data is held up to a bound. Never gives a byte of the next message.

use bytes::Bytes;

use crate::upstream::framing::Body;

/// The event turned out to be none that carries a message, or a line outgrew its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Astray;

/// The body of an answer, from the middle of a message on.
pub(super) struct Flow {
    body: Body,
    /// The line under way, where it is not known to be data.
    line: Vec<u8>,
    in_data: bool,
    /// The line under way is data, and its first sign is still to come: a blank there is none of it.
    at_value: bool,
    after_cr: bool,
    over: bool,
}

const DATA: &[u8] = b"data:";
/// Bytes of a line that is no data.
const MOST_LINE: usize = 64 * 1024;

impl Flow {
    /// From the middle of a `data` line of this kind of body.
    pub(super) const fn new(body: Body) -> Self {
        Self {
            body,
            line: Vec::new(),
            in_data: true,
            at_value: false,
            after_cr: false,
            over: false,
        }
    }

    /// Whether the message has ended; of a JSON body only its end tells.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// The message's bytes in this chunk.
    pub(super) fn push(&mut self, chunk: Bytes) -> Result<Bytes, Astray> {
        if self.body == Body::Json {
            return Ok(chunk);
        }
        let (mut rest, mut given) = (&chunk[..], Vec::with_capacity(chunk.len()));
        while !rest.is_empty() && !self.over {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = memchr::memchr2(b'\r', b'\n', rest);
            self.part(&rest[..end.unwrap_or(rest.len())], &mut given)?;
            let Some(end) = end else { break };
            self.line_ended(&mut given)?;
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
        }
        Ok(Bytes::from(given))
    }

    fn part(&mut self, mut part: &[u8], given: &mut Vec<u8>) -> Result<(), Astray> {
        if !self.in_data {
            let wanted = DATA.len().saturating_sub(self.line.len());
            let name;
            (name, part) = part.split_at(wanted.min(part.len()));
            self.line.extend_from_slice(name);
            if self.line != DATA {
                if self.line.len() + part.len() > MOST_LINE {
                    return Err(Astray);
                }
                self.line.extend_from_slice(part);
                return Ok(());
            }
            // Lines of data are joined by a line feed.
            given.push(b'\n');
            (self.in_data, self.at_value) = (true, true);
        }
        if self.at_value && !part.is_empty() {
            self.at_value = false;
            part = part.strip_prefix(b" ").unwrap_or(part);
        }
        given.extend_from_slice(part);
        Ok(())
    }

    fn line_ended(&mut self, given: &mut Vec<u8>) -> Result<(), Astray> {
        if std::mem::take(&mut self.in_data) {
            self.at_value = false;
            self.line.clear();
            return Ok(());
        }
        let line = std::mem::take(&mut self.line);
        self.over = line.is_empty();
        if line == DATA[..DATA.len() - 1] {
            // A field without a colon is an empty one.
            given.push(b'\n');
        }
        let kind = line.strip_prefix(b"event:");
        let kind = kind.map(|kind| kind.strip_prefix(b" ").unwrap_or(kind));
        match kind {
            None | Some(b"" | b"message") => Ok(()),
            Some(_) => Err(Astray),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Astray;
    use crate::upstream::framing::{Body, Framer};

    /// What comes of a stream that is framed up to `cut` and flows from there, in pieces.
    fn flowed(stream: &[u8], cut: usize, size: usize) -> Option<Result<(Vec<u8>, bool), Astray>> {
        let mut framer = Framer::new(Body::EventStream, 1000);
        framer.push(&stream[..cut]).unwrap();
        let (mut all, mut flow) = (framer.begun()?, framer.flow());
        for piece in stream[cut..].chunks(size) {
            match flow.push(Bytes::copy_from_slice(piece)) {
                Ok(bytes) => all.extend_from_slice(&bytes),
                Err(astray) => return Some(Err(astray)),
            }
        }
        Some(Ok((all, flow.is_over())))
    }

    #[test]
    fn wherever_the_flow_begins_it_is_the_framers_message() {
        for (stream, expected) in [
            ("data: {\"a\": 1}\n\ndata: x\n\n", "{\"a\": 1}"),
            (
                "data:{\r\ndata:  \"a\":1\r\n: note\r\ndata: }\r\n\r\n",
                "{\n \"a\":1\n}",
            ),
            (
                "\u{feff}data: {\rid: 7\rdata: }\revent: message\r\r",
                "{\n}",
            ),
            ("data: {\ndata\ndata: }\ndatas\n\n", "{\n\n}"),
        ] {
            let mut begun = 0;
            for cut in 0..stream.len() {
                for size in [1, 3, 100] {
                    let Some(flowed) = flowed(stream.as_bytes(), cut, size) else {
                        continue;
                    };
                    // What lies behind the first message is not ours to read.
                    if cut >= stream.find("x").unwrap_or(stream.len()) {
                        continue;
                    }
                    begun += 1;
                    assert_eq!(
                        flowed,
                        Ok((expected.as_bytes().to_vec(), true)),
                        "{cut} {size}"
                    );
                }
            }
            assert!(begun > 10, "{begun}");
        }
    }

    #[test]
    fn an_event_of_another_kind_goes_astray() {
        let stream = b"data: {}\nevent: ping\n\n";
        assert_eq!(flowed(stream, 8, 100), Some(Err(Astray)));
    }
}
