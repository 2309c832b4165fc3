//! How well does each tool match, word by word in meaning?

use std::collections::HashSet;

use crate::bm25f::{Frequencies, Matches};
use crate::expansion::build::Expansion;
use crate::expansion::words::{Word, each_word};
use crate::text::stop;

/// A query word, and a word of the catalog near to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Near {
    pub(crate) asked: String,
    pub(crate) found: String,
    /// Their cosine.
    pub(crate) similarity: f32,
}

impl Expansion {
    /// Scores every document.
    pub(crate) fn score(&self, query: &str) -> Matches {
        let mut matches = Matches::none(self.documents);
        let mut frequencies = Frequencies::of(self.documents);
        for word in self.asked(query) {
            for (near, weight) in self
                .table
                .nearest(&self.embedder.direction_of_one(&word.meant(&self.embedder)))
            {
                for &(document, frequency) in self.postings(near) {
                    frequencies.add(document, weight * frequency);
                }
            }
            // A word without a counterpart says nothing about how well the others are met.
            if !frequencies.is_empty() {
                matches.add(&mut frequencies, 1.0);
            }
        }
        matches
    }

    /// For each query word the nearest word of a document, if it has one.
    pub(crate) fn matched(&self, query: &str, position: usize) -> Vec<Near> {
        let asked = self.asked(query).into_iter();
        asked
            .filter_map(|word| {
                let vector = self.embedder.direction_of_one(&word.meant(&self.embedder));
                let has = |near: usize| {
                    let mut postings = self.postings(near).iter();
                    postings.any(|&(document, _)| document as usize == position)
                };
                let nearest = self.table.nearest(&vector).into_iter();
                let near = nearest
                    .filter(|&(near, _)| has(near))
                    .max_by(|a, b| a.1.total_cmp(&b.1))?
                    .0;
                Some(Near {
                    asked: word.key,
                    found: self.words[near].to_string(),
                    similarity: self.table.similarity(&vector, near),
                })
            })
            .collect()
    }

    fn postings(&self, word: usize) -> &[(u32, f32)] {
        &self.postings[self.starts[word] as usize..self.starts[word + 1] as usize]
    }

    /// The distinct words of a query; stop words only where there is nothing else.
    fn asked(&self, query: &str) -> Vec<Word> {
        /// A query longer than this is a pasted text: its first words say what is wanted.
        const MOST: usize = 48;
        let mut words = Vec::new();
        each_word(&self.embedder, query, &mut |word| words.push(word));
        let telling = words.iter().any(|word| !stop::is_stop(&word.key));
        let mut seen = HashSet::new();
        words.retain(|word| {
            (!telling || !stop::is_stop(&word.key)) && seen.insert(word.key.clone())
        });
        words.truncate(MOST);
        words
    }
}
