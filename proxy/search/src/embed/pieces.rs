//! Which pieces do many texts consist of? As each alone, but what was split once is remembered.

use std::collections::HashMap;

use crate::embed::tokens::Tokens;
use crate::embed::words::stretches;

/// The pieces of many texts. Grows with the distinct words seen: made for one list, then dropped.
pub(crate) struct Pieces<'a> {
    tokens: &'a Tokens,
    /// `None` for what the tokenizer refuses.
    seen: HashMap<Box<str>, Option<Box<[u32]>>>,
}

impl<'a> Pieces<'a> {
    pub(super) fn of(tokens: &'a Tokens) -> Self {
        let seen = HashMap::new();
        Self { tokens, seen }
    }

    /// Ids in the text's order, without unknown ones.
    pub(crate) fn of_text(&mut self, text: &str) -> Vec<u32> {
        let tokens = self.tokens;
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
