//! Which words does the model see in a text? Words as they are written, and single pieces in
//! scripts that do not say where a word ends.

use crate::embed::Embedder;
use crate::text::{self, Run, fold};

/// A word as the model sees it.
pub(super) struct Word {
    /// Folded; a piece of a script without blanks by its number.
    pub(super) key: String,
    pub(super) pieces: Vec<u32>,
}

/// Calls back for each word that the model knows; numbers mean nothing.
pub(super) fn each_word(embedder: &Embedder, text: &str, found: &mut dyn FnMut(Word)) {
    text::each_run(text, &mut |run| match run {
        Run::Word(written) => {
            let key = fold::fold(written);
            if is_word(&key) {
                // As within a sentence: lower case, whatever the model makes of capitals.
                let pieces = embedder.pieces(&written.to_lowercase());
                if !pieces.is_empty() {
                    found(Word { key, pieces });
                }
            }
        }
        Run::Unspaced(written) => {
            for piece in embedder.pieces(written) {
                found(Word {
                    key: format!("#{piece}"),
                    pieces: vec![piece],
                });
            }
        }
    });
}

fn is_word(folded: &str) -> bool {
    folded.chars().nth(1).is_some() && !folded.chars().all(char::is_numeric)
}
