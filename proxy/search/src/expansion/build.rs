//! How is the table of words made? Every word of every field once, with its postings.

use std::collections::HashMap;

use crate::bm25f;
use crate::corpus::Corpus;
use crate::embed::{Embedder, Pieces};
use crate::expansion::nearest::Table;
use crate::expansion::words::each_word_of;
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
    key: Box<str>,
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
    pub(crate) fn build(corpus: &Corpus<'_>, embedder: &Embedder, pieces: &mut Pieces<'_>) -> Self {
        let (mut seen, by_stretch) = words(corpus, embedder, pieces);
        let mut lengths = vec![[0.0_f32; 6]; corpus.len()];
        for (position, fields) in corpus.documents().enumerate() {
            let document = u32::try_from(position).unwrap_or(u32::MAX);
            for (field, stretches) in fields.into_iter().enumerate() {
                let words = stretches.iter().map(|&at| &by_stretch[at as usize]);
                for &word in words.flatten() {
                    lengths[position][field] += 1.0;
                    let seen = &mut seen[word as usize];
                    seen.tells |= field <= LAST_TELLING;
                    seen.add((document, field as u8, 1.0));
                }
            }
        }
        seen.retain(|seen| seen.tells);
        seen.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let mean = means(&lengths);
        let vectors = seen
            .iter()
            .map(|seen| embedder.direction_of_one(&seen.pieces));
        let table = Table::of(embedder.dimensions(), vectors);
        let (mut words, mut starts, mut postings) = (Vec::new(), vec![0], Vec::new());
        for Seen { key, places, .. } in seen {
            words.push(key);
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
            documents: corpus.len(),
        }
    }
}

/// Every distinct word that carries weight, and by stretch which it has. A word is what the model
/// makes of it where it stands first.
fn words(
    corpus: &Corpus<'_>,
    embedder: &Embedder,
    pieces: &mut Pieces<'_>,
) -> (Vec<Seen>, Vec<Box<[u32]>>) {
    let mut seen = Vec::new();
    let mut numbers: HashMap<Box<str>, u32> = HashMap::new();
    let by_stretch = corpus.stretches().iter().map(|&stretch| {
        let mut found = Vec::new();
        each_word_of(embedder, stretch, &mut |word| found.push(word));
        found.retain(|word| !stop::is_stop(&word.key));
        let found = found.into_iter().map(|word| {
            *numbers.entry(word.key.as_str().into()).or_insert_with(|| {
                let new = Seen {
                    pieces: word.pieces_of(pieces),
                    key: word.key.as_str().into(),
                    places: Vec::new(),
                    tells: false,
                };
                seen.push(new);
                u32::try_from(seen.len() - 1).unwrap_or(u32::MAX)
            })
        });
        found.collect()
    });
    let by_stretch = by_stretch.collect();
    (seen, by_stretch)
}

/// The mean length of each field, in words; never 0.
fn means(lengths: &[[f32; 6]]) -> [f32; 6] {
    let count = lengths.len().max(1) as f32;
    std::array::from_fn(|field| {
        let sum: f32 = lengths.iter().map(|lengths| lengths[field]).sum();
        if sum > 0.0 { sum / count } else { 1.0 }
    })
}
