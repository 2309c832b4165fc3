//! How many tokens can this text be at most? A bound from the text's pieces, without a tokenizer.
//!
//! Byte-level tokenizers such as o200k first cut a text into pieces (a word with the one sign
//! before it, up to three digits, a run of signs) and then spell each piece with tokens of a byte
//! or more. So a piece has no more tokens than bytes, whatever it holds; a piece that is known
//! (`tokens/known.txt`) has one, or two where another sign stands before a known word. The tests
//! hold every known piece, and any text, against the real tokenizer. On tool definitions the bound
//! is 2 to 2.5 times the count; on text that no list knows (base64, CJK) up to four times.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Runs of signs that are one token; words that are one token, also after a blank, and at most two
/// after any other sign. A line each, sorted.
static KNOWN: LazyLock<HashSet<&'static [u8]>> = LazyLock::new(|| {
    include_str!("tokens/known.txt")
        .lines()
        .map(str::as_bytes)
        .collect()
});

/// No fewer than the o200k tokens of this text; never more than its bytes.
pub(super) fn at_most(text: &str) -> usize {
    within(text, usize::MAX).unwrap_or(usize::MAX)
}

/// The same bound where it is no more than `most`; reads no further than it takes to know that.
pub(super) fn within(text: &str, most: usize) -> Option<usize> {
    let (end, sum) = read(text, most);
    (end == text.len()).then_some(sum)
}

/// Bytes of the longest beginning that ends between two pieces and has at most so many tokens.
pub(super) fn reach(text: &str, most: usize) -> usize {
    text.floor_char_boundary(read(text, most).0)
}

/// Adds up pieces while their sum is no more than `most`: where it ends, and the sum.
fn read(text: &str, most: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let (mut at, mut sum) = (0, 0);
    while at < bytes.len() {
        let end = piece(bytes, at);
        let next = sum + cost(bytes, at, end);
        if next > most {
            break;
        }
        (at, sum) = (end, next);
    }
    (at, sum)
}

/// Where the piece that starts here ends.
fn piece(bytes: &[u8], start: usize) -> usize {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b'\n');
    let run = |from: usize, belongs: fn(&u8) -> bool| {
        from + bytes[from..]
            .iter()
            .take_while(|byte| belongs(byte))
            .count()
    };
    let (first, second) = (byte(start), byte(start + 1));
    if is_foreign(first) {
        return start + 1;
    }
    if first.is_ascii_digit() {
        return run(start, u8::is_ascii_digit).min(start + 3);
    }
    let has_prefix = !first.is_ascii_alphanumeric() && !matches!(first, b'\r' | b'\n');
    if first.is_ascii_alphabetic() || (has_prefix && second.is_ascii_alphabetic()) {
        let capitals = run(start + usize::from(has_prefix), u8::is_ascii_uppercase);
        return run(capitals, u8::is_ascii_lowercase);
    }
    if first.is_ascii_punctuation() || (first == b' ' && second.is_ascii_punctuation()) {
        return run(start + 1, u8::is_ascii_punctuation);
    }
    start + 1
}

/// The most tokens of one piece. Where the tokenizer could cut otherwise than [`piece`] (beside
/// a character that is not ASCII, or at an apostrophe within a word), its bytes.
fn cost(bytes: &[u8], start: usize, end: usize) -> usize {
    let piece = &bytes[start..end];
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(end).copied();
    let is_apostrophe = |byte: Option<u8>| byte == Some(b'\'');
    let is_unsure = before.is_some_and(is_foreign)
        || after.is_some_and(is_foreign)
        || (piece[0] == b'\'' && before.is_some_and(|byte| byte.is_ascii_alphabetic()))
        || (piece[piece.len() - 1].is_ascii_alphabetic() && is_apostrophe(after))
        || (piece[piece.len() - 1].is_ascii_punctuation() && matches!(after, Some(b'\r' | b'\n')));
    if is_unsure {
        return piece.len();
    }
    if piece[0].is_ascii_digit() || KNOWN.contains(piece) {
        return 1;
    }
    let (sign, word) = piece.split_at(usize::from(!piece[0].is_ascii_alphabetic()));
    let is_known = is_word(word) && KNOWN.contains(word);
    match sign {
        b" " if is_known => 1,
        [b'!'..=b'~'] if is_known => 2,
        _ => piece.len(),
    }
}

fn is_word(piece: &[u8]) -> bool {
    piece.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Not ASCII, or a control character: the tokenizer's classes are not looked into here.
const fn is_foreign(byte: u8) -> bool {
    !byte.is_ascii() || (byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// The beginning of a text in at most so many bytes, without control characters; for what a
/// caller sent and hears again.
pub(super) fn clip(text: &str, most: usize) -> String {
    let plain = |character: char| {
        if character.is_control() {
            ' '
        } else {
            character
        }
    };
    if text.len() <= most {
        return text.chars().map(plain).collect();
    }
    let end = text.floor_char_boundary(most.saturating_sub('…'.len_utf8()));
    text[..end].chars().map(plain).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
