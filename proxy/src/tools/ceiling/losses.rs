//! What was left out of a result, in words: where, and how much of it is there.

use crate::tools::tokens::clip;

/// Things that are named; of later ones only their number is told.
const MOST_NAMED: usize = 8;
/// Bytes of a place's name.
const PLACE: usize = 120;

/// What a result lost, in the order in which it was found.
#[derive(Default)]
pub(super) struct Losses {
    named: Vec<String>,
    count: usize,
    is_short: bool,
}

impl Losses {
    /// Something is missing now; `what` is a fragment such as "the first 2 of 9 items".
    pub(super) fn lose(&mut self, place: &str, what: &str) {
        self.is_short = true;
        self.rewrite(place, what);
    }

    /// Something is there in another form, and says the same.
    pub(super) fn rewrite(&mut self, place: &str, what: &str) {
        self.count += 1;
        if self.named.len() < MOST_NAMED {
            self.named.push(format!("{}: {what}", clip(place, PLACE)));
        }
    }

    /// Those of a part.
    pub(super) fn append(&mut self, other: Self) {
        self.is_short |= other.is_short;
        self.count += other.count;
        self.named.extend(other.named);
        self.named.truncate(MOST_NAMED);
    }

    /// Whether anything is missing.
    pub(super) const fn is_short(&self) -> bool {
        self.is_short
    }

    /// Whether anything is other than it was.
    pub(super) const fn is_any(&self) -> bool {
        self.count > 0
    }

    /// All of it with only the first `most` things named.
    pub(super) fn told(&self, most: usize) -> String {
        let named = &self.named[..self.named.len().min(most)];
        let mut told = named.join("; ");
        match self.count - named.len() {
            0 => (),
            more if named.is_empty() => told = format!("{more} changes"),
            more => told.push_str(&format!("; and {more} more")),
        }
        told
    }

    /// Things that are named.
    pub(super) const fn named(&self) -> usize {
        self.named.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Losses;

    #[test]
    fn a_few_are_named_and_the_others_counted() {
        let mut losses = Losses::default();
        assert_eq!(losses.told(9), "");
        losses.rewrite("structuredContent", "left out");
        assert!(!losses.is_short() && losses.is_any());
        for at in 1..=20 {
            losses.lose(&format!("text {at}"), "left out");
        }
        assert!(losses.is_short());
        assert_eq!(
            losses.told(2),
            "structuredContent: left out; text 1: left out; and 19 more"
        );
        assert_eq!(losses.told(100).matches("left out").count(), 8);
        assert_eq!(losses.told(0), "21 changes");
    }
}
