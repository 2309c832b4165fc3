//! What do two spellings of one word share? Case, width, diacritics and points taken away.

use unicode_normalization::UnicodeNormalization;

/// Lower case, compatibility forms and diacritics folded; idempotent.
///
/// Marks that make another letter for a reader (vowel signs of Indic scripts, the voicing marks of
/// kana) stay; those that people leave out when typing go.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = once(text);
    // Lower case of a folded letter may fold further, in a few odd letters.
    for _ in 0..4 {
        let again = once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    folded
}

fn once(text: &str) -> String {
    let lower = text
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(|character| !is_dropped(*character));
    let mut spelled = String::with_capacity(text.len());
    for character in lower.nfkd().filter(|character| !is_dropped(*character)) {
        match plain(character) {
            Some(letters) => spelled.push_str(letters),
            None => spelled.push(character),
        }
    }
    spelled.nfc().collect()
}

/// Diacritics of Latin, Greek and Cyrillic; points of Hebrew; vowel marks and the stretching mark
/// of Arabic.
const fn is_dropped(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}'
        | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}'
        | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}'..='\u{6e8}'
        | '\u{6ea}'..='\u{6ed}' | '\u{200c}' | '\u{200d}')
}

/// Letters that no decomposition takes apart.
const fn plain(character: char) -> Option<&'static str> {
    Some(match character {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        'ħ' => "h",
        'ŋ' => "n",
        // Forms of one Arabic or Persian letter, which keyboards mix.
        'ى' | 'ی' => "ي",
        'ک' => "ك",
        'ة' => "ه",
        // The final form of sigma.
        'ς' => "σ",
        _ => return None,
    })
}
