//! Which sentences of a description tell this tool from the others? Those that few others have.
//!
//! Servers open or end every description alike ("Part of the X suite.", "Requires a token."). What
//! many tools of a list say does not help to choose among them. Counted once a list.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Fewer tools than this may say the same by chance.
const FEWEST: usize = 5;
/// Of the tools of a list, one in so many.
const SHARE: usize = 20;

/// The sentences that many tools of one list share, by hash.
#[derive(Debug, Default)]
pub(super) struct Shared(HashSet<u64>);

impl Shared {
    /// Counts each sentence once a description.
    pub(super) fn of<'a>(descriptions: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let many = (descriptions.len() / SHARE).max(FEWEST);
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for description in descriptions {
            let said: HashSet<u64> = sentences(description).iter().map(|it| hash(it)).collect();
            for sentence in said {
                *counts.entry(sentence).or_default() += 1;
            }
        }
        counts.retain(|_, count| *count >= many);
        Self(counts.into_keys().collect())
    }

    /// The sentences without those that many tools share; all of them where nothing else is left.
    pub(super) fn own_sentences(&self, description: &str) -> Vec<String> {
        let all = sentences(description);
        let own: Vec<String> = all
            .iter()
            .filter(|it| !self.0.contains(&hash(it)))
            .cloned()
            .collect();
        if own.is_empty() { all } else { own }
    }
}

fn hash(sentence: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    sentence.to_lowercase().hash(&mut hasher);
    hasher.finish()
}

/// Headings after which a description repeats what the schema says, as docstrings do.
const SECTIONS: [&str; 6] = [
    "args:",
    "arguments:",
    "parameters:",
    "params:",
    "returns:",
    "raises:",
];

/// Bytes that are read: what comes later is no summary.
const LONGEST: usize = 4000;

/// Sentences, blanks collapsed: they end at a mark, an empty line or before a list's item.
fn sentences(description: &str) -> Vec<String> {
    let description = &description[..description.floor_char_boundary(LONGEST)];
    let mut found = Vec::new();
    let mut paragraph = String::new();
    for line in description.lines().map(str::trim) {
        if !found.is_empty() || !paragraph.is_empty() {
            let heading = line.trim_matches(['*', '#', ' ']).to_lowercase();
            if SECTIONS.contains(&heading.as_str()) {
                break;
            }
        }
        if line.is_empty() || line.starts_with(['-', '*', '#', '•']) {
            split(&paragraph, &mut found);
            paragraph.clear();
        }
        for word in line.split_whitespace() {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(word);
        }
    }
    split(&paragraph, &mut found);
    found
}

fn split(paragraph: &str, found: &mut Vec<String>) {
    let mut start = 0;
    for (at, mark) in paragraph.match_indices(['.', '!', '?', '。', '！', '？']) {
        let end = at + mark.len();
        let (head, rest) = (&paragraph[start..end], &paragraph[end..]);
        let next = rest.trim_start().chars().next();
        let is_spaced = mark.len() > 1 || rest.starts_with(' ');
        let is_short_form = ["e.g.", "i.e.", "etc.", "vs."]
            .iter()
            .any(|form| head.ends_with(form));
        if is_spaced && !is_short_form && next.is_some_and(|next| !next.is_lowercase()) {
            found.push(head.trim().to_owned());
            start = end;
        }
    }
    let rest = paragraph[start..].trim();
    if !rest.is_empty() {
        found.push(rest.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::{Shared, sentences};

    #[test]
    fn sentences_are_whole() {
        for (text, expected) in [
            ("Lists\n  boards. Fast!", &["Lists boards.", "Fast!"][..]),
            (
                "Reads v1.2 of a.b files, e.g. Notes. Ends",
                &["Reads v1.2 of a.b files, e.g. Notes.", "Ends"],
            ),
            ("課題を作る。速い。", &["課題を作る。", "速い。"]),
            ("Makes it.\nArgs:\n  id: which one.", &["Makes it."]),
            ("One\n\nTwo\n- a\n- b", &["One", "Two", "- a", "- b"]),
            ("Args:", &["Args:"]),
            (" \n ", &[]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn what_many_say_is_left_out_unless_nothing_else_is_left() {
        let mut texts: Vec<String> = (0..20)
            .map(|n| format!("Part of the X suite. Makes number {n}. Needs a TOKEN."))
            .collect();
        texts.push("Part of the X suite.".to_owned());
        texts.extend((0..4).map(|_| "Said by four.".to_owned()));
        let shared = Shared::of(texts.iter().map(String::as_str));
        assert_eq!(shared.own_sentences(&texts[3]), ["Makes number 3."]);
        assert_eq!(
            shared.own_sentences("Part of the x suite."),
            ["Part of the x suite."]
        );
        assert_eq!(
            shared.own_sentences("Said by four. New."),
            ["Said by four.", "New."]
        );
        assert_eq!(Shared::default().own_sentences("A. B."), ["A.", "B."]);
    }
}
