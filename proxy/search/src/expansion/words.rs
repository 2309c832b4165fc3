//! Which words does the model see in a text? Words as they are written, and single pieces in
//! scripts that do not say where a word ends.

use crate::embed::Embedder;
use crate::text::{self, Run, fold};

/// A word as the model sees it.
pub(super) struct Word {
    /// Folded; a piece of a script without blanks by its number.
    pub(super) key: String,
    form: Form,
}

enum Form {
    Written(String),
    Piece(u32),
}

impl Word {
    /// As [`Word::pieces`], and what was meant by a word that the model does not know whole.
    pub(super) fn meant(&self, embedder: &Embedder) -> Vec<u32> {
        let mut pieces = self.pieces(embedder);
        if let Form::Written(written) = &self.form {
            pieces.extend(embedder.meant(written));
        }
        pieces
    }

    /// Its pieces; none where the model does not know it. Costs far more than the key.
    pub(super) fn pieces(&self, embedder: &Embedder) -> Vec<u32> {
        match &self.form {
            // As within a sentence: lower case, whatever the model makes of capitals.
            Form::Written(written) => embedder.pieces(&written.to_lowercase()),
            Form::Piece(piece) => vec![*piece],
        }
    }
}

/// Calls back for each word; numbers mean nothing.
pub(super) fn each_word(embedder: &Embedder, text: &str, found: &mut dyn FnMut(Word)) {
    text::each_run(text, &mut |run| match run {
        Run::Word(written) => {
            let key = fold::fold(written);
            if is_word(&key) {
                let form = Form::Written(written.to_owned());
                found(Word { key, form });
            }
        }
        Run::Unspaced(written) => {
            for piece in embedder.pieces(written) {
                found(Word {
                    key: format!("#{piece}"),
                    form: Form::Piece(piece),
                });
            }
        }
    });
}

fn is_word(folded: &str) -> bool {
    folded.chars().nth(1).is_some() && !folded.chars().all(char::is_numeric)
}
