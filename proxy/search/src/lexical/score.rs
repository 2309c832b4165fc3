//! How well does each tool match? Postings walked word by word, fields summed before saturation.

use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

use crate::lexical::build::{FIELDS, Lexical};
use crate::lexical::terms;

/// Weight of each field, in the order of [`FIELDS`].
const FIELD_WEIGHTS: [f32; 6] = [2.0, 1.5, 1.0, 0.5, 0.3, 0.3];
/// How soon a word's repetition stops to count.
const K1: f32 = 1.2;
/// How much a long field is held against it.
const B: f32 = 0.5;
/// The share of a word as it stands, beside its stem.
const SURFACE: f32 = 0.3;
/// What a Lithuanian stem counts, beside a word or English stem that some tool has.
const LITHUANIAN: f32 = 0.8;
/// What a corrected word counts.
const CORRECTED: f32 = 0.5;

/// What one query found.
#[derive(Debug)]
pub(crate) struct Matches {
    /// BM25F of each document, in order; 0 where no word matches.
    pub(crate) scores: Vec<f32>,
    /// The sum over the query's words of the most that any document could get for each.
    pub(crate) best: f32,
}

/// The frequencies of one query word over all documents.
struct Frequencies {
    by_document: Vec<f32>,
    touched: Vec<u32>,
}

impl Lexical {
    /// Scores every document.
    pub(crate) fn score(&self, query: &str) -> Matches {
        let mut scores = vec![0.0; self.documents];
        let mut best = 0.0;
        let mut frequencies = Frequencies {
            by_document: vec![0.0; self.documents],
            touched: Vec::new(),
        };
        for word in terms::of_query(query) {
            let price = self.gather(&word, &mut frequencies);
            let idf = self.idf(frequencies.touched.len());
            // What a word in a tool's name would score: a query has reached its best with that.
            best += idf * saturated(FIELD_WEIGHTS[0]);
            for &document in &frequencies.touched {
                let frequency = std::mem::take(&mut frequencies.by_document[document as usize]);
                scores[document as usize] += price * idf * saturated(frequency);
            }
            frequencies.touched.clear();
        }
        Matches { scores, best }
    }

    /// The query words that a document has, as `field:word`.
    pub(crate) fn matched(&self, query: &str, position: usize) -> Vec<String> {
        let mut matched = Vec::new();
        let mut frequencies = Frequencies {
            by_document: vec![0.0; self.documents],
            touched: Vec::new(),
        };
        for word in terms::of_query(query) {
            for (field, name) in FIELDS.iter().enumerate() {
                self.gather_in(&word, field..field + 1, &mut frequencies);
                if frequencies.by_document[position] > 0.0 {
                    matched.push(format!("{}:{word}", name.replace(' ', "-")));
                }
                frequencies.clear();
            }
        }
        matched
    }

    /// Fills in the frequencies of a word in all fields; what a match of it counts.
    fn gather(&self, word: &str, frequencies: &mut Frequencies) -> f32 {
        self.gather_in(word, 0..FIELDS.len(), frequencies)
    }

    fn gather_in(
        &self,
        word: &str,
        fields: std::ops::Range<usize>,
        frequencies: &mut Frequencies,
    ) -> f32 {
        let surface = terms::surface(word);
        let english = terms::english(word);
        let beside = if english.is_some() { SURFACE } else { 1.0 };
        self.add(&surface, beside, fields.clone(), frequencies);
        if let Some(stem) = english {
            self.add(&stem, 1.0 - SURFACE, fields.clone(), frequencies);
        }
        if !frequencies.touched.is_empty() {
            return 1.0;
        }
        if let Some(stem) = terms::lithuanian(word) {
            self.add(&stem, 1.0, fields.clone(), frequencies);
        }
        if !frequencies.touched.is_empty() {
            return LITHUANIAN;
        }
        for nearest in self.words.nearest(word) {
            self.add(nearest, 1.0, fields.clone(), frequencies);
        }
        CORRECTED
    }

    /// Adds a term's frequencies, weighted by field and evened out by the field's length.
    fn add(
        &self,
        term: &str,
        weight: f32,
        fields: std::ops::Range<usize>,
        frequencies: &mut Frequencies,
    ) {
        let Some(segment) = &self.segment else { return };
        for field in fields {
            let term = Term::from_field_text(self.fields[field], term);
            let Ok(index) = segment.inverted_index(self.fields[field]) else {
                continue;
            };
            let Ok(Some(mut postings)) = index.read_postings(&term, IndexRecordOption::WithFreqs)
            else {
                continue;
            };
            let Ok(lengths) = segment.get_fieldnorms_reader(self.fields[field]) else {
                continue;
            };
            let weight = weight * FIELD_WEIGHTS[field];
            while postings.doc() != TERMINATED {
                let document = postings.doc();
                let length = lengths.fieldnorm(document) as f32 / self.mean_lengths[field];
                let frequency = postings.term_freq() as f32 / (1.0 - B + B * length);
                frequencies.add(document, weight * frequency);
                postings.advance();
            }
        }
    }

    /// The weight of a word that this many documents have (Robertson and Spärck Jones), never
    /// negative.
    fn idf(&self, having: usize) -> f32 {
        let (all, having) = (self.documents as f32, having as f32);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}

impl Frequencies {
    fn add(&mut self, document: u32, frequency: f32) {
        let held = &mut self.by_document[document as usize];
        if *held == 0.0 {
            self.touched.push(document);
        }
        *held += frequency;
    }

    fn clear(&mut self) {
        for document in self.touched.drain(..) {
            self.by_document[document as usize] = 0.0;
        }
    }
}

fn saturated(frequency: f32) -> f32 {
    frequency / (K1 + frequency)
}
