//! Which pieces do many texts consist of? As each alone, but what was split once is remembered.

use std::collections::HashMap;

use crate::embed::Embedder;
use crate::embed::words::stretches;

/// The pieces of many texts. Grows with the distinct words seen: made for one list, then dropped.
pub(crate) struct Pieces<'a> {
    embedder: &'a Embedder,
    /// `None` for what the tokenizer refuses.
    seen: HashMap<Box<str>, Option<Box<[u32]>>>,
}

impl<'a> Pieces<'a> {
    pub(crate) fn of(embedder: &'a Embedder) -> Self {
        let seen = HashMap::new();
        Self { embedder, seen }
    }

    pub(crate) const fn embedder(&self) -> &'a Embedder {
        self.embedder
    }

    /// As [`Embedder::pieces`].
    pub(crate) fn of_text(&mut self, text: &str) -> Vec<u32> {
        let tokens = &self.embedder.model.tokens;
        if !tokens.words_apart() {
            return tokens.ids(text);
        }
        let mut ids = Vec::new();
        for stretch in stretches(tokens.cut(text)) {
            let seen = match self.seen.get(stretch) {
                Some(seen) => seen,
                None => {
                    let all = tokens.all(stretch).map(Vec::into_boxed_slice);
                    self.seen.entry(stretch.into()).or_insert(all)
                }
            };
            let Some(seen) = seen else { return Vec::new() };
            ids.extend_from_slice(seen);
        }
        tokens.finished(ids)
    }
}
