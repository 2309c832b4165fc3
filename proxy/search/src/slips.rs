//! Which word was meant by one that the model has no piece for?
//!
//! A model of sub-words reads a misspelt word as splinters that mean nothing. The nearest word of
//! its own vocabulary, at most one slip away, is what people most often meant; where a word only
//! lacks its diacritics, the one that has them. Vocabularies list frequent pieces first, so of
//! several equally near words the first is taken (P. Norvig, "How to Write a Spelling Corrector",
//! with the rank in place of the count).

use std::collections::BTreeMap;
use std::fmt;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use tantivy_fst::{Automaton, IntoStreamer, Map, Streamer};

use crate::text::fold;

/// Letters of the shortest word that is mended: of shorter ones too many are near.
const SHORTEST: usize = 5;
/// Letters of the longest: more are a key or a number, and cost time.
const LONGEST: usize = 24;

/// The whole words of a vocabulary.
pub(crate) struct Slips {
    words: Map<Vec<u8>>,
    /// Words with diacritics, by what is left without.
    bare: Map<Vec<u8>>,
    one: LevenshteinAutomatonBuilder,
}

impl fmt::Debug for Slips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slips")
            .field("words", &self.words.len())
            .finish_non_exhaustive()
    }
}

impl Slips {
    /// Of words in lower case with their numbers, frequent ones with low numbers.
    pub(crate) fn of(words: impl IntoIterator<Item = (String, u32)>) -> Self {
        let mut sorted = BTreeMap::new();
        let mut bare = BTreeMap::new();
        for (word, number) in words {
            if !word.chars().all(char::is_alphabetic) {
                continue;
            }
            let folded = fold::fold(&word);
            if folded != word {
                first(&mut bare, folded, number);
            }
            first(&mut sorted, word, number);
        }
        Self {
            words: map(sorted),
            bare: map(bare),
            one: LevenshteinAutomatonBuilder::new(1, true),
        }
    }

    /// The number of the word meant; `None` where the word is known, is no plain word, or nothing
    /// is near.
    pub(crate) fn meant(&self, word: &str) -> Option<u32> {
        let word = word.to_lowercase();
        let letters = word.chars().count();
        let plain =
            (SHORTEST..=LONGEST).contains(&letters) && word.chars().all(char::is_alphabetic);
        if !plain || self.words.contains_key(&word) {
            return None;
        }
        self.bare
            .get(&word)
            .or_else(|| self.near(&word))
            .and_then(|number| u32::try_from(number).ok())
    }

    fn near(&self, word: &str) -> Option<u64> {
        let slip = Slip(self.one.build_dfa(word));
        let mut near = self.words.search(&slip).into_stream();
        let mut best: Option<u64> = None;
        while let Some((found, number)) = near.next() {
            if begins_alike(word, found) && best.is_none_or(|best| number < best) {
                best = Some(number);
            }
        }
        best
    }
}

fn first(words: &mut BTreeMap<String, u32>, word: String, number: u32) {
    let known = words.entry(word).or_insert(number);
    *known = number.min(*known);
}

fn map(words: BTreeMap<String, u32>) -> Map<Vec<u8>> {
    let sorted = words
        .into_iter()
        .map(|(word, number)| (word, u64::from(number)));
    Map::from_iter(sorted).expect("the keys of a sorted map are in order and distinct")
}

/// People rarely miss the first letter; swapping the first two is another matter.
fn begins_alike(word: &str, found: &[u8]) -> bool {
    let Ok(found) = str::from_utf8(found) else {
        return false;
    };
    let (mut a, mut b) = (word.chars(), found.chars());
    let (a, b) = ((a.next(), a.next()), (b.next(), b.next()));
    a.0 == b.0 || (a.0 == b.1 && a.1 == b.0)
}

/// The words at most one slip from one: a letter more, less, another, or two swapped.
struct Slip(DFA);

impl Automaton for Slip {
    type State = u32;

    fn start(&self) -> u32 {
        self.0.initial_state()
    }

    fn is_match(&self, state: &u32) -> bool {
        matches!(self.0.distance(*state), Distance::Exact(_))
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != SINK_STATE
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        self.0.transition(*state, byte)
    }
}

#[cfg(test)]
mod tests {
    use super::Slips;

    fn slips() -> Slips {
        let words = [
            "invoice",
            "calendar",
            "search",
            "sėdėti",
            "séance",
            "поиск",
            "inv9",
            "searches",
        ];
        Slips::of(words.into_iter().map(str::to_owned).zip(0..))
    }

    #[test]
    fn the_first_of_the_nearest_is_meant() {
        let slips = slips();
        for (word, meant) in [
            ("invocie", Some(0)),
            ("INVOCE", Some(0)),
            ("calandar", Some(1)),
            ("serch", Some(2)),
            ("saerch", Some(2)),
            ("searchs", Some(2)),
            ("пиоск", Some(5)),
            ("sedeti", Some(3)),
        ] {
            assert_eq!(slips.meant(word), meant, "{word}");
        }
    }

    #[test]
    fn what_is_known_or_no_word_stays() {
        let slips = slips();
        for word in [
            "invoice",
            "Invoice",
            "nvoice",
            "inv",
            "invoice1",
            "invocei s",
            "",
            "xxinvoicexx",
        ] {
            assert_eq!(slips.meant(word), None, "{word}");
        }
        assert_eq!(slips.meant(&"a".repeat(10_000)), None);
        assert_eq!(Slips::of([]).meant("invoice"), None);
    }
}
