//! Which forms belong together? The stem of an English word; see also `lithuanian`.

use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};

thread_local! {
    static ENGLISH: RefCell<Stemmer> = RefCell::new(Stemmer::create(Algorithm::English));
}

/// The stem of a folded word as the Snowball stemmer for English gives it; `None` for what is no
/// word of Latin letters.
pub(crate) fn english(word: &str) -> Option<String> {
    let latin = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    latin.then(|| ENGLISH.with_borrow(|stemmer| stemmer.stem(word).into_owned()))
}
