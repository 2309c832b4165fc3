//! Does this character's script put blanks between words?

/// How words are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// By blanks and punctuation.
    Spaced,
    /// Not at all, or not reliably.
    Unspaced,
}

/// The script of a character; `None` for what is between words.
pub(crate) fn of(character: char) -> Option<Script> {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric().then_some(Script::Spaced);
    }
    let unspaced = matches!(u32::from(character),
        0x0E00..=0x0EFF // Thai, Lao
        | 0x1000..=0x109F // Burmese
        | 0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7FF // Hangul
        | 0x1780..=0x17FF // Khmer
        | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F // Kana
        | 0x3005..=0x3007 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF // Han
    );
    let mark = unicode_normalization::char::is_combining_mark(character);
    if unspaced && (character.is_alphanumeric() || mark) {
        return Some(Script::Unspaced);
    }
    // Vowel signs and points belong to the word they stand in.
    (character.is_alphanumeric() || mark).then_some(Script::Spaced)
}
