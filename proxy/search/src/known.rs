//! How much of this query is written in the words of these tools? Function words included: they
//! tell a question in the catalog's language about unknown things from one in another language,
//! in which a shared word is an accident as often as not.

use std::collections::{HashMap, HashSet};

use crate::corpus::Corpus;
use crate::text::{self, lithuanian, stem};

/// Every word that some tool has, folded, and its stems.
#[derive(Debug)]
pub(crate) struct Known {
    /// By word, the number of tools that have it.
    words: HashMap<Box<str>, u32>,
    stems: HashSet<Box<str>>,
}

impl Known {
    pub(crate) fn new(corpus: &Corpus<'_>) -> Self {
        let mut having = vec![0_u32; corpus.words().len()];
        let mut last = vec![usize::MAX; having.len()];
        for (position, fields) in corpus.documents().enumerate() {
            let stretches = fields.into_iter().flatten();
            let parts = stretches.flat_map(|&stretch| corpus.parts(stretch));
            for word in parts
                .filter(|part| !part.joined)
                .map(|part| part.word as usize)
            {
                if std::mem::replace(&mut last[word], position) != position {
                    having[word] += 1;
                }
            }
        }
        let words = corpus.words().iter().cloned().zip(having);
        let words: HashMap<_, _> = words.filter(|&(_, having)| having > 0).collect();
        let stems = words.keys().flat_map(|word| stems(word));
        let stems = stems.map(String::into_boxed_str).collect();
        Self { words, stems }
    }

    /// Tools that have a folded word.
    pub(crate) fn having(&self, word: &str) -> u32 {
        self.words.get(word).copied().unwrap_or_default()
    }

    /// The share of the query's words that are known, in [0, 1]; numbers are no words.
    pub(crate) fn share(&self, query: &str) -> f32 {
        let words = text::words(query);
        let words = words
            .iter()
            .filter(|word| !word.chars().all(char::is_numeric));
        let (mut all, mut known) = (0_u32, 0_u32);
        for word in words {
            all += 1;
            known += u32::from(self.has(word));
        }
        if all == 0 {
            1.0
        } else {
            known as f32 / all as f32
        }
    }

    fn has(&self, word: &str) -> bool {
        let stem = || stems(word).any(|stem| self.stems.contains(stem.as_str()));
        self.words.contains_key(word) || stem()
    }
}

/// The stems of a word, each language's in a space of its own.
fn stems(word: &str) -> impl Iterator<Item = String> {
    let english = stem::english(word).map(|stem| format!("e{stem}"));
    let lithuanian = lithuanian::stem(word).map(|stem| format!("l{stem}"));
    english.into_iter().chain(lithuanian)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Corpus, Known};
    use crate::document::Document;

    #[test]
    fn function_words_tell_the_language() {
        let tools = [Document::new(
            "send_invoice",
            "",
            "Sends an invoice to the customer.",
            &json!({}),
        )];
        let known = Known::new(&Corpus::read(&tools));
        assert_eq!(known.share("send the invoice to Zanzibar"), 0.8);
        assert_eq!(known.share("išsiųsk sąskaitą klientui"), 0.0);
        assert_eq!(known.share("sending customers invoices"), 1.0);
        assert_eq!((known.having("invoice"), known.having("sent")), (1, 0));
        assert_eq!((known.share("42"), known.share("")), (1.0, 1.0));
    }
}
