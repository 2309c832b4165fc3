//! How much does a word in these fields count? BM25F: fields are weighted and evened out by their
//! length, summed, and only then saturated (Robertson, Zaragoza and Taylor 2004).

/// Weight of each field, in the order of [`crate::document::FIELDS`].
pub(crate) const FIELD_WEIGHTS: [f32; 6] = [2.0, 1.5, 1.0, 0.5, 0.3, 0.3];
/// How soon a word's repetition stops to count.
const K1: f32 = 1.2;
/// How much a long field is held against it.
const B: f32 = 0.5;

/// What one query found.
#[derive(Debug)]
pub(crate) struct Matches {
    /// The score of each document, in order; 0 where no word matches.
    pub(crate) scores: Vec<f32>,
    /// The sum over the query's words of what each would score in a tool's name.
    pub(crate) best: f32,
}

impl Matches {
    pub(crate) fn none(documents: usize) -> Self {
        Self {
            scores: vec![0.0; documents],
            best: 0.0,
        }
    }

    /// Adds what one query word found, at a price in [0, 1], and forgets the frequencies.
    pub(crate) fn add(&mut self, frequencies: &mut Frequencies, price: f32) {
        let idf = idf(self.scores.len(), frequencies.touched.len());
        self.best += idf * saturated(FIELD_WEIGHTS[0]);
        for document in frequencies.touched.drain(..) {
            let frequency = std::mem::take(&mut frequencies.by_document[document as usize]);
            self.scores[document as usize] += price * idf * saturated(frequency);
        }
    }
}

/// The frequencies of one query word over all documents.
pub(crate) struct Frequencies {
    by_document: Vec<f32>,
    touched: Vec<u32>,
}

impl Frequencies {
    pub(crate) fn of(documents: usize) -> Self {
        Self {
            by_document: vec![0.0; documents],
            touched: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, document: u32, frequency: f32) {
        let held = &mut self.by_document[document as usize];
        if *held == 0.0 {
            self.touched.push(document);
        }
        *held += frequency;
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.touched.is_empty()
    }

    pub(crate) fn has(&self, document: usize) -> bool {
        self.by_document[document] > 0.0
    }

    pub(crate) fn clear(&mut self) {
        for document in self.touched.drain(..) {
            self.by_document[document as usize] = 0.0;
        }
    }
}

/// How often a word stands in a field, weighted, and evened out by how long the field is.
pub(crate) fn weighted(field: usize, count: f32, length: f32, mean_length: f32) -> f32 {
    FIELD_WEIGHTS[field] * count / (1.0 - B + B * length / mean_length)
}

fn saturated(frequency: f32) -> f32 {
    frequency / (K1 + frequency)
}

/// The weight of a word that this many documents have (Robertson and Spärck Jones), never
/// negative.
fn idf(all: usize, having: usize) -> f32 {
    let (all, having) = (all as f32, having as f32);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}
