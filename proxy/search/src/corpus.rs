//! Which words stand where? The texts of one list of tools, each read once for all who count
//! words; what a stretch of letters comes to is worked out once, however often it stands.

use std::collections::HashMap;

use crate::document::{Document, FIELDS};
use crate::text::{self, Stretch};

/// The texts of one list. Made to build an index from, then dropped.
pub(crate) struct Corpus<'a> {
    /// Each distinct stretch, in the order of first occurrence.
    stretches: Vec<Stretch<'a>>,
    /// By stretch, the words in it.
    parts: Vec<Box<[Part]>>,
    /// Each distinct word, folded, in the order of first occurrence.
    words: Vec<Box<str>>,
    /// Stretches of all documents, one after the other.
    text: Vec<u32>,
    /// By document and field, where in the text it ends.
    ends: Vec<[usize; FIELDS.len()]>,
}

/// A word within a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) word: u32,
    /// Whether it is the joined form of a name that was taken apart.
    pub(crate) joined: bool,
}

impl<'a> Corpus<'a> {
    pub(crate) fn read(documents: &'a [Document]) -> Self {
        let mut corpus = Self {
            stretches: Vec::new(),
            parts: Vec::new(),
            words: Vec::new(),
            text: Vec::new(),
            ends: Vec::with_capacity(documents.len()),
        };
        let mut stretches: HashMap<&str, u32> = HashMap::new();
        let mut words: HashMap<Box<str>, u32> = HashMap::new();
        for document in documents {
            let ends = document.fields().map(|texts| {
                for text in texts {
                    text::each_stretch(text, &mut |stretch| {
                        let number = *stretches
                            .entry(stretch.written)
                            .or_insert_with(|| corpus.add(stretch, &mut words));
                        corpus.text.push(number);
                    });
                }
                corpus.text.len()
            });
            corpus.ends.push(ends);
        }
        corpus
    }

    fn add(&mut self, stretch: Stretch<'a>, words: &mut HashMap<Box<str>, u32>) -> u32 {
        let mut parts = Vec::new();
        stretch.each_word(&mut |word, joined| {
            let word = words.get(&*word).copied().unwrap_or_else(|| {
                let number = number(self.words.len());
                self.words.push(word.clone().into_boxed_str());
                words.insert(word.into_boxed_str(), number);
                number
            });
            parts.push(Part { word, joined });
        });
        self.stretches.push(stretch);
        self.parts.push(parts.into_boxed_slice());
        number(self.stretches.len() - 1)
    }

    /// Every distinct word, folded; its number is its place.
    pub(crate) fn words(&self) -> &[Box<str>] {
        &self.words
    }

    /// Every distinct stretch; its number is its place.
    pub(crate) fn stretches(&self) -> &[Stretch<'a>] {
        &self.stretches
    }

    /// The words of a stretch.
    pub(crate) fn parts(&self, stretch: u32) -> &[Part] {
        &self.parts[stretch as usize]
    }

    /// Documents.
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// The stretches of each field of each document, in the list's order.
    pub(crate) fn documents(&self) -> impl Iterator<Item = [&[u32]; FIELDS.len()]> {
        let mut begin = 0;
        self.ends.iter().map(move |ends| {
            ends.map(|end| {
                let field = &self.text[begin..end];
                begin = end;
                field
            })
        })
    }
}

/// Lists are far too short to have more words than this holds.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Corpus, Document};

    #[test]
    fn a_text_is_its_stretches_in_order() {
        let documents = [
            Document::new("getUser_id", "", "the user, the id", &json!({})),
            Document::new("", "", "課題を user", &json!({"properties": {"id": {}}})),
        ];
        let corpus = Corpus::read(&documents);
        let mut read = Vec::new();
        for fields in corpus.documents() {
            for (field, stretches) in fields.into_iter().enumerate() {
                for &stretch in stretches {
                    for part in corpus.parts(stretch) {
                        let word = &corpus.words()[part.word as usize];
                        read.push(format!(
                            "{field}{word}{}",
                            if part.joined { "+" } else { "" }
                        ));
                    }
                }
            }
        }
        let expected = "0get 0user 0getuser+ 0id 2the 2user 2the 2id 2課題 2題を 2user 3id";
        assert_eq!(read.join(" "), expected);
        assert_eq!((corpus.len(), corpus.stretches().len()), (2, 5));
    }
}
