//! Which of these words are at most so many slips away from one? A slip is a letter more, less,
//! another, or two swapped.
//!
//! Comparing letter by letter is slow, so few words are: those of about the same length whose
//! letters are about the same, which one number a word says, since a slip changes at most two of
//! its bits (Grossi and Luccio 1989, with a set of letters in place of their counts).

use std::collections::BTreeMap;

/// Words by length in letters and first letter.
#[derive(Debug, Default)]
pub(crate) struct Near {
    /// All words, one after the other.
    text: String,
    ends: Vec<usize>,
    buckets: BTreeMap<(usize, char), Vec<Entry>>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    letters: u64,
    word: u32,
}

impl Near {
    /// Adds a word; its number is how many were added before it. Of equally near words the first
    /// added is found first, shorter ones before longer ones.
    pub(crate) fn add(&mut self, word: &str) {
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.text.push_str(word);
        self.ends.push(self.text.len());
        if let Some(first) = word.chars().next() {
            let bucket = self.buckets.entry((word.chars().count(), first));
            bucket.or_default().push(Entry {
                letters: letters(word),
                word: number,
            });
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn word(&self, number: u32) -> &str {
        let number = number as usize;
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[number]]
    }

    /// The number of a word itself.
    pub(crate) fn position(&self, word: &str) -> Option<u32> {
        let first = word.chars().next()?;
        let bucket = self.buckets.get(&(word.chars().count(), first))?;
        let asked = letters(word);
        let mut same = bucket.iter().filter(|entry| entry.letters == asked);
        same.find(|entry| self.word(entry.word) == word)
            .map(|entry| entry.word)
    }

    /// Words within so many slips, with how many. Any first letter will do.
    pub(crate) fn within(&self, word: &str, slips: usize) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        let length = word.chars().count();
        let lengths = length.saturating_sub(slips)..=length + slips;
        let (from, to) = ((*lengths.start(), '\0'), (*lengths.end(), char::MAX));
        let buckets = self.buckets.range(from..=to).map(|(_, bucket)| &**bucket);
        buckets.for_each(|bucket| self.gather(bucket, word, slips, &mut found));
        found
    }

    /// As [`Near::within`], of words that begin alike: people rarely miss the first letter, and
    /// without this, short words would be near to everything. Swapping the first two is another
    /// matter.
    pub(crate) fn within_alike(&self, word: &str, slips: usize) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        let mut begin = word.chars();
        let (Some(first), second) = (begin.next(), begin.next()) else {
            return found;
        };
        let mut firsts = vec![first];
        firsts.extend(second.filter(|&second| second != first));
        firsts.sort_unstable();
        let length = word.chars().count();
        for length in length.saturating_sub(slips)..=length + slips {
            for &begin in &firsts {
                if let Some(bucket) = self.buckets.get(&(length, begin)) {
                    self.gather(bucket, word, slips, &mut found);
                }
            }
        }
        found.retain(|&(number, _)| {
            let mut begin = self.word(number).chars();
            let begin = (begin.next(), begin.next());
            begin.0 == Some(first) || begin == (second, Some(first))
        });
        found
    }

    fn gather(&self, bucket: &[Entry], word: &str, slips: usize, found: &mut Vec<(u32, usize)>) {
        let asked = letters(word);
        for entry in bucket {
            if (entry.letters ^ asked).count_ones() as usize <= 2 * slips {
                let needed = strsim::osa_distance(self.word(entry.word), word);
                if needed <= slips {
                    found.push((entry.word, needed));
                }
            }
        }
    }
}

/// One bit a letter that a word has; rare ones share theirs.
fn letters(word: &str) -> u64 {
    word.chars().fold(0, |letters, letter| {
        let place = match letter {
            'a'..='z' => letter as u32 - 'a' as u32,
            other => 26 + other as u32 % 38,
        };
        letters | 1 << place
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Near;

    proptest! {
        #[test]
        fn what_is_found_is_what_comparing_all_finds(
            words in proptest::collection::vec("[a-cž1]{0,6}", 0..40), asked in "[a-cž1]{0,6}",
            slips in 0..3_usize,
        ) {
            let mut near = Near::default();
            words.iter().for_each(|word| near.add(word));
            let mut found = near.within(&asked, slips);
            found.sort_unstable();
            let all = (0..).zip(&words).filter(|(_, word)| !word.is_empty());
            let all = all.map(|(at, word)| (at, strsim::osa_distance(word, &asked)));
            let all: Vec<_> = all.filter(|&(_, needed)| needed <= slips).collect();
            prop_assert_eq!(&found, &all);
            let alike = |word: &str| {
                let (a, b): (Vec<_>, Vec<_>) = (asked.chars().collect(), word.chars().collect());
                !a.is_empty() && (a[0] == b[0] || (a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0]))
            };
            let mut found = near.within_alike(&asked, slips);
            found.sort_unstable();
            let all: Vec<_> = all.into_iter().filter(|&(at, _)| alike(near.word(at))).collect();
            prop_assert_eq!(found, all);
            for word in words.iter().filter(|word| !word.is_empty()) {
                prop_assert_eq!(near.position(word).map(|at| near.word(at)), Some(&**word));
            }
            prop_assert_eq!(near.len(), words.len());
        }
    }
}
