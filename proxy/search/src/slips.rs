//! Which word was meant by one that the model has no piece for?
//!
//! A model of sub-words reads a misspelt word as splinters that mean nothing. The nearest word of
//! its own vocabulary, at most one slip away, is what people most often meant; where a word only
//! lacks its diacritics, the one that has them. Vocabularies list frequent pieces first, so of
//! several equally near words the first is taken (P. Norvig, "How to Write a Spelling Corrector",
//! with the rank in place of the count).

use std::collections::HashMap;
use std::fmt;

use crate::near::Near;
use crate::text::fold;

/// Letters of the shortest word that is mended: of shorter ones too many are near.
const SHORTEST: usize = 5;
/// Letters of the longest: more are a key or a number.
const LONGEST: usize = 24;

/// The whole words of a vocabulary.
pub(crate) struct Slips {
    words: Near,
    /// By word, its number in the vocabulary.
    numbers: Vec<u32>,
    /// Words with diacritics, by what is left without.
    bare: HashMap<String, u32>,
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
    pub(crate) fn of<'a>(words: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut slips = Self {
            words: Near::default(),
            numbers: Vec::new(),
            bare: HashMap::new(),
        };
        for (word, number) in words {
            let letters = word.chars().count();
            // One slip longer or shorter than what is mended is too.
            let may_be_meant = (SHORTEST - 1..=LONGEST + 1).contains(&letters);
            if !may_be_meant || !word.chars().all(char::is_alphabetic) {
                continue;
            }
            if !word.is_ascii() {
                let folded = fold::fold(word);
                if folded != word {
                    let bare = slips.bare.entry(folded).or_insert(number);
                    *bare = number.min(*bare);
                }
            }
            slips.words.add(word);
            slips.numbers.push(number);
        }
        slips
    }

    /// The number of the word meant; `None` where the word is known, is no plain word, or nothing
    /// is near.
    pub(crate) fn meant(&self, word: &str) -> Option<u32> {
        let word = word.to_lowercase();
        let letters = word.chars().count();
        let plain =
            (SHORTEST..=LONGEST).contains(&letters) && word.chars().all(char::is_alphabetic);
        if !plain || self.words.position(&word).is_some() {
            return None;
        }
        self.bare.get(&word).copied().or_else(|| self.near(&word))
    }

    fn near(&self, word: &str) -> Option<u32> {
        let near = self.words.within_alike(word, 1).into_iter();
        near.map(|(found, _)| self.numbers[found as usize]).min()
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
        Slips::of(words.into_iter().zip(0..))
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
