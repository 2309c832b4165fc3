//! A change of some bytes of a text, and several of them at once.

use std::ops::Range;

use serde_json::value::RawValue;

use crate::repair::kind::Kind;

/// These bytes become that text.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) with: String,
    pub(super) kind: Kind,
}

/// Applies edits and gives what they came to, with the kinds of those that were applied.
///
/// Equal edits count once. Of two that overlap the first stays and the other is left for a later
/// round; two that want the same bytes to be different things contradict each other: `None`.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> Option<(Box<RawValue>, Vec<Kind>)> {
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    edits.dedup_by(|a, b| a.at == b.at && a.with == b.with);
    if edits.windows(2).any(|pair| pair[0].at == pair[1].at) {
        return None;
    }
    let (mut changed, mut kinds, mut copied) = (String::with_capacity(text.len()), Vec::new(), 0);
    for Edit { at, with, kind } in edits {
        if at.start < copied {
            continue;
        }
        changed.push_str(text.get(copied..at.start)?);
        changed.push_str(&with);
        copied = at.end;
        kinds.push(kind);
    }
    changed.push_str(text.get(copied..)?);
    // JSON in the place of JSON is JSON; what is not (a bug here) must not be sent.
    Some((RawValue::from_string(changed).ok()?, kinds))
}

#[cfg(test)]
mod tests {
    use super::{Edit, apply};
    use crate::repair::kind::Kind;

    fn edit(at: std::ops::Range<usize>, with: &str) -> Edit {
        let (with, kind) = (with.to_owned(), Kind::ValueCase);
        Edit { at, with, kind }
    }

    fn applied(edits: Vec<Edit>) -> Option<String> {
        apply("[1, 2, 3]", edits).map(|(json, _)| json.get().to_owned())
    }

    #[test]
    fn edits_leave_everything_else_as_it_was() {
        let both = vec![edit(7..8, "\"c\""), edit(1..2, "10"), edit(1..2, "10")];
        assert_eq!(applied(both).as_deref(), Some("[10, 2, \"c\"]"));
        let overlapping = vec![edit(1..5, "9"), edit(4..5, "8")];
        assert_eq!(applied(overlapping).as_deref(), Some("[9, 3]"));
        assert_eq!(applied(vec![edit(1..2, "a"), edit(1..2, "b")]), None);
        assert_eq!(applied(vec![edit(1..2, "not json")]), None);
    }
}
