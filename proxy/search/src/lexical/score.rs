//! How well does each tool match? Postings walked word by word, fields summed before saturation.

use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

use crate::bm25f::{self, Frequencies, Matches};
use crate::document::FIELDS;
use crate::lexical::build::Lexical;
use crate::lexical::terms;

/// The share of a word as it stands, beside its stem.
const SURFACE: f32 = 0.3;
/// What a Lithuanian stem counts, beside a word or English stem that some tool has.
const LITHUANIAN: f32 = 0.8;
/// What a corrected word counts.
const CORRECTED: f32 = 0.5;

impl Lexical {
    /// Scores every document.
    pub(crate) fn score(&self, query: &str) -> Matches {
        let mut matches = Matches::none(self.documents);
        let mut frequencies = Frequencies::of(self.documents);
        for word in terms::of_query(query) {
            let price = self.gather(&word, &mut frequencies);
            matches.add(&mut frequencies, price);
        }
        matches
    }

    /// The query words that a document has, as `field:word`.
    pub(crate) fn matched(&self, query: &str, position: usize) -> Vec<String> {
        let mut matched = Vec::new();
        let mut frequencies = Frequencies::of(self.documents);
        for word in terms::of_query(query) {
            for (field, name) in FIELDS.iter().enumerate() {
                self.gather_in(&word, field..field + 1, &mut frequencies);
                if frequencies.has(position) {
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
        if !frequencies.is_empty() {
            return 1.0;
        }
        if let Some(stem) = terms::lithuanian(word) {
            self.add(&stem, 1.0, fields.clone(), frequencies);
        }
        if !frequencies.is_empty() {
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
            let mean = self.mean_lengths[field];
            while postings.doc() != TERMINATED {
                let document = postings.doc();
                let count = postings.term_freq() as f32;
                let length = lengths.fieldnorm(document) as f32;
                let frequency = bm25f::weighted(field, count, length, mean);
                frequencies.add(document, weight * frequency);
                postings.advance();
            }
        }
    }
}
