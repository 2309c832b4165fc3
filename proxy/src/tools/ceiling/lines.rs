//! How is a text cut? Behind a line; behind a word where a line is longer than half of the room.

use crate::tools::tokens;

/// What stands where a text was cut.
const MARK: &str = "…";

/// Rounds in which as much as possible is kept; in each later one the room is halved.
const ROUNDS: usize = 8;

/// A text's beginning.
pub(super) struct Cut<'a> {
    /// What is left of it.
    pub(super) head: &'a str,
    /// The beginning with the mark behind it, as it is given.
    pub(super) marked: String,
}

/// The longest beginning that has at most `most` tokens, mark included, in the form that `written`
/// gives it; `None` where nothing of the text fits.
pub(super) fn cut(text: &str, most: usize, written: impl Fn(String) -> String) -> Option<Cut<'_>> {
    let mut room = most;
    for round in 0.. {
        let head = head(text, room);
        if head.is_empty() {
            return None;
        }
        let line = if text[head.len()..].starts_with(['\n', '\r']) {
            "\n"
        } else {
            ""
        };
        let marked = written(format!("{head}{line}{MARK}"));
        let tokens = tokens::at_most(&marked);
        if tokens <= most {
            return Some(Cut { head, marked });
        }
        // The mark, or another way of writing: less of the text makes room for it. Less than the
        // head has, since one that ends with a line has less than the room, and would stay.
        let less = tokens::at_most(head).min(room) - 1;
        let share = room.saturating_mul(most) / tokens;
        let bound = if round < ROUNDS {
            less
        } else {
            less.min(room / 2)
        };
        room = share.min(bound);
    }
    None
}

/// The beginning up to a line's end, a blank or any character within so many tokens.
fn head(text: &str, most: usize) -> &str {
    let end = tokens::reach(text, most);
    let (reached, rest) = text.split_at(end);
    if rest.is_empty() || rest.starts_with('\n') {
        return reached.trim_end_matches('\r');
    }
    let far_enough = |at: &usize| *at >= end / 2;
    let line = reached.rfind('\n').filter(far_enough);
    let at = line.or_else(|| reached.rfind(' ').filter(far_enough));
    reached[..at.unwrap_or(end)].trim_end_matches('\r')
}

/// In words: how much of a text was kept.
pub(super) fn said(head: &str, text: &str) -> String {
    let lines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    if text[head.len()..].starts_with(['\n', '\r']) {
        format!("the first {} of {} lines", lines(head), lines(text))
    } else {
        let (kept, all) = (head.chars().count(), text.chars().count());
        format!("the first {kept} of {all} characters")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::{cut, said};
    use crate::tools::tokens::at_most;

    fn kept(text: &str, most: usize) -> Option<String> {
        cut(text, most, |marked| marked).map(|cut| cut.marked)
    }

    #[test]
    fn it_ends_with_a_line_or_else_with_a_word() {
        let lines = "the first line\n".repeat(50);
        assert_eq!(
            kept(&lines, 14).as_deref(),
            Some("the first line\nthe first line\n…")
        );
        let cut_there = cut(&lines, 14, |marked| marked).unwrap();
        assert_eq!(said(cut_there.head, &lines), "the first 2 of 51 lines");
        let words = "word ".repeat(50);
        assert_eq!(kept(&words, 10).as_deref(), Some("word word word…"));
        assert_eq!(said("word", &words), "the first 4 of 250 characters");
        let windows = "the first line\r\n".repeat(50);
        assert!(kept(&windows, 20).unwrap().ends_with("line\n…"));
        assert_eq!(kept("ąčę", 4), None);
    }

    #[test]
    fn a_few_rounds_are_enough() {
        // Each lesser room ends in the long line, and falls back to the same end of a line.
        let text = format!("{}{}", "12\n".repeat(10_000), "12a".repeat(30_000));
        for most in [2000, 5000, 20_000, 35_000] {
            let rounds = Cell::new(0);
            let cut = cut(&text, most, |marked| {
                rounds.set(rounds.get() + 1);
                Value::from(marked).to_string()
            });
            let kept = cut.unwrap().head.len();
            assert!(rounds.get() <= 24, "{most}: {}", rounds.get());
            assert!(kept > most / 4, "{most}: {kept}");
        }
    }

    #[test]
    fn a_form_that_is_a_little_too_long_costs_a_line_and_not_half_of_the_text() {
        let line = format!("{}\n", "word ".repeat(30));
        let text = line.repeat(40);
        for more in 0..80 {
            let written = |marked: String| format!("{marked}{}", " a".repeat(more));
            let fits =
                |lines: &usize| at_most(&written(format!("{}…", line.repeat(*lines)))) <= 1000;
            let best = (0..40).take_while(fits).last().unwrap();
            let head = cut(&text, 1000, written).unwrap().head;
            let lines = head.matches('\n').count() + 1;
            assert!(lines + 1 >= best, "{more}: {lines} of {best} lines");
        }
    }

    proptest! {
        #[test]
        fn it_is_a_beginning_within_its_room(text in "([a-zA-Z\\]\"}',. \r\n\\\\]|\\PC){0,200}", most in 0_usize..80) {
            if let Some(cut) = cut(&text, most, |marked| marked) {
                prop_assert!(at_most(&cut.marked) <= most);
                prop_assert!(text.starts_with(cut.head) && !cut.head.is_empty());
                prop_assert!(cut.marked.starts_with(cut.head));
            }
        }
    }
}
