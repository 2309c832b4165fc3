//! How is the table of words made? Every word of every field once, with its postings.

use std::collections::BTreeMap;

use crate::bm25f;
use crate::document::Document;
use crate::embed::Embedder;
use crate::expansion::nearest::Table;
use crate::expansion::words::each_word;
use crate::text::stop;

/// The words of one list with their vectors, and where they stand.
pub(crate) struct Expansion {
    pub(super) embedder: Embedder,
    pub(super) words: Vec<Box<str>>,
    pub(super) table: Table,
    /// Where the postings of each word begin; one more than words.
    pub(super) starts: Vec<u32>,
    pub(super) postings: Vec<(u32, f32)>,
    pub(super) documents: usize,
}

impl std::fmt::Debug for Expansion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Expansion")
            .field("words", &self.words.len())
            .finish_non_exhaustive()
    }
}

/// One word while the table is made.
struct Seen {
    pieces: Vec<u32>,
    /// (document, field, how often), in order.
    places: Vec<(u32, u8, f32)>,
    /// Whether it stands outside of parameters' descriptions and values, which name things that
    /// are not what a tool is for.
    tells: bool,
}

impl Seen {
    /// One more place, counted with the last where that is the same.
    fn add(&mut self, place: (u32, u8, f32)) {
        match self.places.last_mut() {
            Some(last) if (last.0, last.1) == (place.0, place.1) => last.2 += 1.0,
            _ => self.places.push(place),
        }
    }
}

/// The last field whose words are given vectors: name, title, description, parameter names.
const LAST_TELLING: usize = 3;

impl Expansion {
    pub(crate) fn build(documents: &[Document], embedder: &Embedder) -> Self {
        let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
        let mut lengths = vec![[0.0_f32; 6]; documents.len()];
        for (position, document) in documents.iter().enumerate() {
            let position_in_postings = u32::try_from(position).unwrap_or(u32::MAX);
            for (field, texts) in document.fields().into_iter().enumerate() {
                for text in texts {
                    each_word(embedder, text, &mut |word| {
                        if stop::is_stop(&word.key) {
                            return;
                        }
                        lengths[position][field] += 1.0;
                        let place = (position_in_postings, field as u8, 1.0);
                        if let Some(held) = seen.get_mut(&word.key) {
                            held.tells |= field <= LAST_TELLING;
                            held.add(place);
                        } else {
                            let new = Seen {
                                pieces: word.pieces(embedder),
                                places: vec![place],
                                tells: field <= LAST_TELLING,
                            };
                            seen.insert(word.key, new);
                        }
                    });
                }
            }
        }
        seen.retain(|_, seen| seen.tells);
        let mean = means(&lengths);
        let vectors = seen
            .values()
            .map(|seen| embedder.direction_of(&seen.pieces));
        let table = Table::of(embedder.dimensions(), vectors);
        let (mut words, mut starts, mut postings) = (Vec::new(), vec![0], Vec::new());
        for (word, Seen { places, .. }) in seen {
            words.push(word.into_boxed_str());
            let begin = postings.len();
            for (document, field, count) in places {
                let field = usize::from(field);
                let length = lengths[document as usize][field];
                let frequency = bm25f::weighted(field, count, length, mean[field]);
                match postings[begin..].last_mut() {
                    Some((last, sum)) if *last == document => *sum += frequency,
                    _ => postings.push((document, frequency)),
                }
            }
            starts.push(u32::try_from(postings.len()).unwrap_or(u32::MAX));
        }
        Self {
            embedder: embedder.clone(),
            words,
            table,
            starts,
            postings,
            documents: documents.len(),
        }
    }
}

/// The mean length of each field, in words; never 0.
fn means(lengths: &[[f32; 6]]) -> [f32; 6] {
    let count = lengths.len().max(1) as f32;
    std::array::from_fn(|field| {
        let sum: f32 = lengths.iter().map(|lengths| lengths[field]).sum();
        if sum > 0.0 { sum / count } else { 1.0 }
    })
}
