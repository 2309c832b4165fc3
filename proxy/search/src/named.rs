//! Does the query name a tool? A query that is a name, or nearly one, gives that tool first.

use crate::document::Document;
use crate::text;

/// The names of a list without what people change by accident: case and separators.
#[derive(Debug)]
pub(crate) struct Names {
    letters: Vec<String>,
}

/// Added to the score of the tool that the query names: more than all other parts together.
pub(crate) const NAMED: f32 = 10.0;
const NEARLY: f32 = 5.0;
/// Words of a query that can still be a name.
const MOST_WORDS: usize = 8;

impl Names {
    pub(crate) fn new(documents: &[Document]) -> Self {
        Self {
            letters: documents
                .iter()
                .map(|document| text::words(&document.name).concat())
                .collect(),
        }
    }

    /// What is added to which documents.
    pub(crate) fn bonuses(&self, query: &str) -> Vec<(usize, f32)> {
        let words = text::words(query);
        if words.is_empty() || words.len() > MOST_WORDS {
            return Vec::new();
        }
        let letters = words.concat();
        let exact: Vec<_> = self
            .positions(|name| *name == letters)
            .map(|position| (position, NAMED))
            .collect();
        // An identifier with a slip; a sentence is compared with no name.
        let is_identifier = !query.trim().contains(char::is_whitespace) && letters.len() >= 6;
        if !exact.is_empty() || !is_identifier {
            return exact;
        }
        let allowed = (letters.len() / 8).clamp(1, 3);
        let near = |name: &String| {
            name.len().abs_diff(letters.len()) <= allowed
                && strsim::osa_distance(name, &letters) <= allowed
        };
        self.positions(near)
            .map(|position| (position, NEARLY))
            .collect()
    }

    fn positions(&self, fits: impl Fn(&String) -> bool) -> impl Iterator<Item = usize> {
        self.letters
            .iter()
            .enumerate()
            .filter(move |(_, name)| fits(name))
            .map(|(position, _)| position)
    }
}
