//! A body is the same messages however it was cut, and they are what the standard says.

use crate::pieces::{Draw, ways};
use crate::upstream;

const BOM: &[u8] = b"\xEF\xBB\xBF";
/// Places at which the rest of a message begins to flow.
const FLOWS: usize = 8;

/// Panics where it is not so.
pub fn hold(body: &[u8]) {
    let mut draw = Draw::of(body);
    for limit in [usize::MAX, 1 + draw.below(200)] {
        for is_stream in [false, true] {
            let whole = upstream::messages(is_stream, &[body], limit);
            for pieces in ways(body) {
                let messages = upstream::messages(is_stream, &pieces, limit);
                assert_eq!(messages, whole, "stream: {is_stream}, limit: {limit}");
            }
            let longest = whole.iter().flatten().map(Vec::len).max();
            assert!(longest.unwrap_or_default() <= limit);
        }
    }
    let whole = upstream::messages(true, &[body], usize::MAX).unwrap_or_default();
    assert_eq!(whole, standard(body), "what the standard says");
    for _ in 0..FLOWS {
        flows(body, draw.below(body.len() + 1));
    }
}

/// A message that flows from anywhere within it is the message that is held.
fn flows(body: &[u8], at: usize) {
    let (held, rest) = body.split_at(at);
    let before = ended(held);
    for pieces in ways(rest) {
        let Some(message) = upstream::flowed(held, &pieces) else {
            continue;
        };
        // What is blank is no message; nothing of it would begin to flow.
        if message.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let whole = upstream::messages(true, &[body], usize::MAX).unwrap_or_default();
        assert_eq!(whole.get(before), Some(&message), "held up to {at}");
    }
}

/// Messages that have ended, of a stream that goes on.
fn ended(held: &[u8]) -> usize {
    // An end that cuts a message short must not make one of it.
    let unending = [held, b"x: \ndata: {"].concat();
    let all = upstream::messages(true, &[&unending], usize::MAX);
    all.unwrap_or_default().len()
}

/// The stream read once more, in the standard's own steps (WHATWG HTML, "Interpreting an event
/// stream"): lines first, then fields, then events.
fn standard(body: &[u8]) -> Vec<Vec<u8>> {
    let body = body.strip_prefix(BOM).unwrap_or(body);
    let (mut messages, mut data, mut kind) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines(body) {
        let end = line.iter().position(|byte| *byte == b':');
        let (field, value) = line.split_at(end.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"" if end.is_none() => {
                data.pop();
                let data = std::mem::take(&mut data);
                let is_message = kind.is_empty() || kind == b"message";
                kind.clear();
                if is_message && !data.iter().all(u8::is_ascii_whitespace) {
                    messages.push(data);
                }
            }
            b"data" => {
                data.extend_from_slice(value);
                data.push(b'\n');
            }
            b"event" => kind = value.to_vec(),
            _ => (),
        }
    }
    // Beyond the standard: an event without its end counts where its JSON is whole.
    data.pop();
    let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(&data).is_ok();
    if is_whole && (kind.is_empty() || kind == b"message") {
        messages.push(data);
    }
    messages
}

/// Lines end in CR, LF or both; what follows the last end is one where it is not empty.
fn lines(body: &[u8]) -> Vec<Vec<u8>> {
    let (mut lines, mut line, mut bytes) = (Vec::new(), Vec::new(), body.iter().peekable());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' | b'\n' => {
                if *byte == b'\r' {
                    bytes.next_if(|next| **next == b'\n');
                }
                lines.push(std::mem::take(&mut line));
            }
            byte => line.push(*byte),
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}
