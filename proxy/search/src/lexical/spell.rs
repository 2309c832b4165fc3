//! Which word was meant by one that no tool has? The nearest of those there are.

use crate::near::Near;

/// The words of a list.
#[derive(Debug, Default)]
pub(super) struct Words {
    near: Near,
}

/// Letters of the shortest word that is corrected: of shorter ones too many are near.
const SHORTEST: usize = 4;
/// Letters from which two slips are forgiven.
const LONG: usize = 8;

impl Words {
    /// Of distinct words.
    pub(super) fn of<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let corrected = |word: &&str| word.len() >= SHORTEST && word.is_ascii();
        let mut words: Vec<&str> = words.into_iter().filter(corrected).collect();
        words.sort_unstable();
        let mut near = Near::default();
        words.into_iter().for_each(|word| near.add(word));
        Self { near }
    }

    /// The nearest words, at most two edits away (one in short words), all equally near.
    pub(super) fn nearest(&self, word: &str) -> Vec<&str> {
        const MOST: usize = 3;
        if word.len() < SHORTEST || !word.is_ascii() {
            return Vec::new();
        }
        let allowed = if word.len() >= LONG { 2 } else { 1 };
        let near = self.near.within_alike(word, allowed);
        let least = near.iter().map(|&(_, edits)| edits).min();
        let nearest = near.iter().filter(|&&(_, edits)| Some(edits) == least);
        nearest
            .take(MOST)
            .map(|&(number, _)| self.near.word(number))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn the_nearest_are_found() {
        let words = Words::of(["invoice", "invoices", "calendar", "machine", "car"]);
        assert_eq!(words.nearest("invocie"), ["invoice"]);
        assert_eq!(words.nearest("calandar"), ["calendar"]);
        assert_eq!(words.nearest("nvoice"), [""; 0]);
        assert_eq!(words.nearest("cra"), [""; 0]);
    }
}
