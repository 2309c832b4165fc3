//! Which word was meant by one that no tool has? The nearest of those there are.

use std::collections::{BTreeMap, BTreeSet};

/// The words of a list, by length.
#[derive(Debug, Default)]
pub(super) struct Words {
    seen: BTreeSet<String>,
    by_length: BTreeMap<usize, Vec<String>>,
}

/// Letters of the shortest word that is corrected: of shorter ones too many are near.
const SHORTEST: usize = 4;
/// Letters from which two slips are forgiven.
const LONG: usize = 8;

impl Words {
    pub(super) fn add(&mut self, word: &str) {
        if word.len() >= SHORTEST && word.is_ascii() && !self.seen.contains(word) {
            self.seen.insert(word.to_owned());
        }
    }

    /// Ends the adding.
    pub(super) fn finish(&mut self) {
        for word in std::mem::take(&mut self.seen) {
            self.by_length.entry(word.len()).or_default().push(word);
        }
    }

    /// The nearest words, at most two edits away (one in short words), all equally near.
    pub(super) fn nearest(&self, word: &str) -> Vec<&str> {
        const MOST: usize = 3;
        if word.len() < SHORTEST || !word.is_ascii() {
            return Vec::new();
        }
        let allowed = if word.len() >= LONG { 2 } else { 1 };
        let lengths = word.len().saturating_sub(allowed)..=word.len() + allowed;
        let mut nearest: Vec<&str> = Vec::new();
        let mut least = allowed;
        for candidate in self.by_length.range(lengths).flat_map(|(_, words)| words) {
            if !is_plausible(word, candidate) {
                continue;
            }
            let edits = strsim::osa_distance(word, candidate);
            if edits < least {
                nearest.clear();
                least = edits;
            }
            if edits == least {
                nearest.push(candidate);
            }
        }
        nearest.truncate(MOST);
        nearest
    }
}

/// People rarely miss the first letter: without this, short words would be near to everything.
fn is_plausible(word: &str, candidate: &str) -> bool {
    let (a, b) = (word.as_bytes(), candidate.as_bytes());
    a[0] == b[0] || (a[0] == b[1] && a[1] == b[0])
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn the_nearest_are_found() {
        let mut words = Words::default();
        ["invoice", "invoices", "calendar", "machine", "car"]
            .into_iter()
            .for_each(|word| words.add(word));
        words.finish();
        assert_eq!(words.nearest("invocie"), ["invoice"]);
        assert_eq!(words.nearest("calandar"), ["calendar"]);
        assert_eq!(words.nearest("nvoice"), [""; 0]);
        assert_eq!(words.nearest("cra"), [""; 0]);
    }
}
