//! Under which terms does a word stand in the index? Itself, and its stems marked as such.

use crate::text::{self, lithuanian, stem, stop};

/// The word as it is.
pub(super) fn surface(word: &str) -> String {
    word.to_owned()
}

/// Its English stem, in a space of its own.
pub(super) fn english(word: &str) -> Option<String> {
    stem::english(word).map(|stem| format!("\u{1}{stem}"))
}

/// Its Lithuanian stem, in a space of its own.
pub(super) fn lithuanian(word: &str) -> Option<String> {
    lithuanian::stem(word).map(|stem| format!("\u{2}{stem}"))
}

/// Every term of a word of a tool, each with a blank behind it: stop words have none.
pub(super) fn of_word(word: &str) -> Vec<String> {
    if stop::is_stop(word) {
        return Vec::new();
    }
    let terms = [english(word), lithuanian(word), Some(surface(word))];
    let terms = terms.into_iter().flatten();
    terms.map(|term| term + " ").collect()
}

/// The distinct words of a query in order; stop words only where there is nothing else.
pub(super) fn of_query(query: &str) -> Vec<String> {
    /// A query longer than this is a pasted text: its first words say what is wanted.
    const MOST: usize = 48;
    let words = text::words_and_joined(query);
    let telling: Vec<String> = words
        .iter()
        .filter(|word| !stop::is_stop(word))
        .cloned()
        .collect();
    let chosen = if telling.is_empty() { words } else { telling };
    let mut distinct: Vec<String> = Vec::new();
    for word in chosen {
        if !distinct.contains(&word) && distinct.len() < MOST {
            distinct.push(word);
        }
    }
    distinct
}
