//! Which words does the model see in a text? Words as they are written, and single pieces in
//! scripts that do not say where a word ends.

use crate::embed::{Embedder, Pieces};
use crate::text::{self, Run, Stretch, fold};

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
        self.split(|written| embedder.pieces(written))
    }

    /// As [`Word::pieces`], of many words.
    pub(super) fn pieces_of(&self, pieces: &mut Pieces<'_>) -> Vec<u32> {
        self.split(|written| pieces.of_text(written))
    }

    fn split(&self, split: impl FnOnce(&str) -> Vec<u32>) -> Vec<u32> {
        match &self.form {
            // As within a sentence: lower case, whatever the model makes of capitals.
            Form::Written(written) => split(&written.to_lowercase()),
            Form::Piece(piece) => vec![*piece],
        }
    }
}

/// Calls back for each word; numbers mean nothing.
pub(super) fn each_word(embedder: &Embedder, text: &str, found: &mut dyn FnMut(Word)) {
    text::each_run(text, &mut |run| words_of(embedder, run, found));
}

/// As [`each_word`], of one stretch.
pub(super) fn each_word_of(embedder: &Embedder, stretch: Stretch<'_>, found: &mut dyn FnMut(Word)) {
    stretch.each_run(&mut |run| words_of(embedder, run, found));
}

fn words_of(embedder: &Embedder, run: Run<'_>, found: &mut dyn FnMut(Word)) {
    match run {
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
    }
}

fn is_word(folded: &str) -> bool {
    folded.chars().nth(1).is_some() && !folded.chars().all(char::is_numeric)
}
