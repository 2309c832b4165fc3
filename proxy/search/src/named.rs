//! Does the query name a tool, or a service? A query that is a tool's name, or nearly one, gives
//! that tool first; a service's name in it lifts that service's tools and hides no other.

use std::collections::HashMap;

use crate::document::Document;
use crate::known::Known;
use crate::near::Near;
use crate::text;

/// The names of a list without what people change by accident: case and separators.
#[derive(Debug)]
pub(crate) struct Names {
    letters: Near,
    /// By the first word of their names, the tools of each service.
    services: HashMap<String, Vec<usize>>,
}

/// Added to the score of the tool that the query names: more than all other parts together.
pub(crate) const NAMED: f32 = 20.0;
const NEARLY: f32 = 10.0;
/// Added to the tools of a service that the query names.
const SERVICE: f32 = 0.5;
/// A first word that more of the tools share is no service's: `get`, or the gateway's own name.
const LARGEST_SHARE: usize = 5;
/// Words of a query that can still be a name.
const MOST_WORDS: usize = 8;

impl Names {
    pub(crate) fn new(documents: &[Document], known: &Known) -> Self {
        let mut letters = Near::default();
        let mut services: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, document) in documents.iter().enumerate() {
            let words = text::words(&document.name);
            letters.add(&words.concat());
            if let Some(first) = words.into_iter().next() {
                services.entry(first).or_default().push(position);
            }
        }
        services.retain(|word, tools| {
            // The word for a deed stands in other tools' descriptions too, a service's name hardly.
            let elsewhere =
                known.having(word) as usize - tools.len().min(known.having(word) as usize);
            word.len() >= 3
                && tools.len() >= 2
                && tools.len() * LARGEST_SHARE <= documents.len()
                && elsewhere * 2 <= tools.len()
        });
        Self { letters, services }
    }

    /// What is added to the tools of services that the query names.
    pub(crate) fn lifts(&self, query: &str) -> Vec<(usize, f32)> {
        let mut words = text::words(query);
        words.sort_unstable();
        words.dedup();
        let named = words.iter().filter_map(|word| self.services.get(word));
        named
            .flatten()
            .map(|&position| (position, SERVICE))
            .collect()
    }

    /// What is added to which documents.
    pub(crate) fn bonuses(&self, query: &str) -> Vec<(usize, f32)> {
        let words = text::words(query);
        if words.is_empty() || words.len() > MOST_WORDS {
            return Vec::new();
        }
        let letters = words.concat();
        // An identifier with a slip; a sentence is compared with no name.
        let is_identifier = !query.trim().contains(char::is_whitespace) && letters.len() >= 6;
        let allowed = if is_identifier {
            (letters.len() / 8).clamp(1, 3)
        } else {
            0
        };
        let near = self.letters.within(&letters, allowed);
        let exact = near.iter().any(|&(_, slips)| slips == 0);
        let named = near.iter().filter(|&&(_, slips)| !exact || slips == 0);
        let bonus = if exact { NAMED } else { NEARLY };
        named
            .map(|&(position, _)| (position as usize, bonus))
            .collect()
    }
}
