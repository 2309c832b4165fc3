//! How is JSON cut? Between its elements, and it stays JSON: an array keeps its first items, an
//! object its small members whole and the first of the large ones in part.
//!
//! What is kept stands as it was written, blanks between elements aside. Nothing becomes empty
//! that was not: a list of which no item fits is left out with its name. What lies deep is whole or
//! absent, so that neither the stack nor the work grows with the nesting.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::spans::compact;
use crate::tools::ceiling::lines;
use crate::tools::ceiling::losses::Losses;
use crate::tools::ceiling::parts::Parts;
use crate::tools::ceiling::share::{self, Need, Share, shares};
use crate::tools::tokens::{at_most, clip, within};

/// A text that is one array or object, in at most `most` tokens; `None` where it is neither, or
/// where nothing of it fits.
pub(super) fn cut(text: &str, most: usize, place: &str, losses: &mut Losses) -> Option<String> {
    let compact = compact(text);
    if within(&compact, most).is_some() {
        losses.rewrite(place, "whole, without the blanks between its elements");
        return Some(compact);
    }
    let (mut room, mut best) = (most, None);
    for _ in 0..TRIES {
        let mut lost = Losses::default();
        let Some(cut) = value(&compact, room, DEPTH, place, &mut lost) else {
            break;
        };
        let tokens = at_most(&cut);
        let free = most.checked_sub(tokens);
        match free {
            Some(free) => {
                best = Some((cut, lost));
                if free <= most / 16 {
                    break;
                }
                room += free;
            }
            None if best.is_some() => break,
            None => room = room.saturating_sub(tokens - most + most / 32),
        }
    }
    let (cut, lost) = best?;
    losses.append(lost);
    Some(cut)
}

/// How often it is tried with another room: what a bracket costs beside another one is only known
/// when both are there, and is guessed high.
const TRIES: usize = 4;
/// Levels that are cut into; each is read once more. What lies deeper is whole or absent.
const DEPTH: usize = 12;
/// Tokens of a value's own brackets.
const BRACKETS: usize = 2;
/// Members left out that are named.
const NAMED: usize = 3;
/// Bytes of such a name, and of one on the way to a place.
const NAME: usize = 40;

/// Whether this is one array or object.
pub(super) fn is_container(text: &str) -> bool {
    text.trim_ascii_start().starts_with(['{', '[']) && Parts::read(text).is_some()
}

/// Cuts a value, and what is in it down to `depth` levels.
fn value(
    json: &str,
    most: usize,
    depth: usize,
    place: &str,
    losses: &mut Losses,
) -> Option<String> {
    if json.starts_with('"') {
        return string(json, most, place, losses);
    }
    let (depth, bounds) = (depth.checked_sub(1)?, (most, place));
    match Parts::read(json)? {
        Parts::Array(items, count) => array(&items, count, bounds, depth, losses),
        Parts::Object(members, count) => object(&members, count, bounds, depth, losses),
    }
}

fn string(json: &str, most: usize, place: &str, losses: &mut Losses) -> Option<String> {
    let text: String = serde_json::from_str(json).ok()?;
    let cut = lines::cut(&text, most, |marked| Value::from(marked).to_string())?;
    losses.lose(place, &lines::said(cut.head, &text));
    Some(cut.marked)
}

fn array(
    items: &[&RawValue],
    count: usize,
    (most, place): (usize, &str),
    depth: usize,
    losses: &mut Losses,
) -> Option<String> {
    let mut left = most.checked_sub(BRACKETS)?;
    let mut kept: Vec<String> = Vec::new();
    for item in items {
        let json = item.get();
        if let Some(weight) = weight(json, left) {
            left -= weight;
            kept.push(json.to_owned());
            continue;
        }
        // So large that most of the room would stand empty for it.
        if left > most / 2 {
            let place = format!("{place}/{}", kept.len());
            let room = left.saturating_sub(edges(json) + 1);
            kept.extend(value(json, room, depth, &place, losses));
        }
        break;
    }
    if kept.is_empty() {
        return None;
    }
    if kept.len() < count {
        let kept = kept.len();
        losses.lose(place, &format!("the first {kept} of {count} items"));
    }
    Some(format!("[{}]", kept.join(",")))
}

fn object(
    members: &[(Cow<'_, str>, &RawValue)],
    count: usize,
    (most, place): (usize, &str),
    depth: usize,
    losses: &mut Losses,
) -> Option<String> {
    let room = most.checked_sub(BRACKETS)?;
    let members = &members[..members.len().min(share::MOST)];
    let keys: Vec<String> = members
        .iter()
        .map(|(key, _)| Value::from(key.as_ref()).to_string())
        .collect();
    let beside: Vec<usize> = keys
        .iter()
        .map(|key| weight(key, room).unwrap_or(room + 1))
        .collect();
    let needs: Vec<Need> = members
        .iter()
        .zip(&beside)
        .map(|((_, value), beside)| Need {
            tokens: beside + weight(value.get(), room).unwrap_or(room + 1),
            cuts: value.get().starts_with(['[', '{', '"']) && beside < &room,
        })
        .collect();
    let (mut kept, mut absent) = (Vec::new(), Vec::new());
    for (at, share) in shares(&needs, room, room / 4).iter().enumerate() {
        let (name, json) = (&members[at].0, members[at].1.get());
        let value = match share {
            Share::Whole => Some(json.to_owned()),
            Share::Part(part) => {
                let room = part.saturating_sub(beside[at] + edges(json) + 1);
                let place = format!("{place}/{}", clip(name, NAME));
                value(json, room, depth, &place, losses)
            }
            Share::Nothing => None,
        };
        match value {
            Some(value) => kept.push(format!("{}:{value}", keys[at])),
            None => absent.push(name),
        }
    }
    if kept.is_empty() {
        return None;
    }
    if kept.len() < count {
        let named = absent.iter().take(NAMED);
        let named: Vec<String> = named.map(|name| clip(name, NAME)).collect();
        let missing = count - kept.len();
        let dots = if missing > named.len() { ", …" } else { "" };
        let named = named.join(", ");
        losses.lose(
            place,
            &format!("{missing} of {count} members left out ({named}{dots})"),
        );
    }
    Some(format!("{{{}}}", kept.join(",")))
}

/// What a value takes between others, if that is no more than `most`: signs that meet may be a
/// token each, which they were not alone.
fn weight(json: &str, most: usize) -> Option<usize> {
    let weight = within(json, most)? + edges(json) + 1;
    (weight <= most).then_some(weight)
}

/// The signs at both ends.
fn edges(json: &str) -> usize {
    let run = |sign: &u8| sign.is_ascii_punctuation();
    let ahead = json.bytes().take_while(|byte| run(byte)).count();
    ahead + json.bytes().rev().take_while(|byte| run(byte)).count()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{cut, is_container};
    use crate::tools::ceiling::losses::Losses;
    use crate::tools::tokens::at_most;

    #[track_caller]
    fn check(value: &Value, most: usize, expected: &Expect) {
        let mut losses = Losses::default();
        let cut = cut(&value.to_string(), most, "text", &mut losses);
        expected.assert_eq(&format!("{cut:?}\n{}", losses.told(9)));
    }

    #[test]
    fn lists_keep_their_first_items_and_objects_their_small_members() {
        let rows: Vec<Value> = (0..500).map(|n| json!({"id": n, "name": "x"})).collect();
        check(
            &json!(rows),
            60,
            &expect![[r#"
            Some("[{\"id\":0,\"name\":\"x\"},{\"id\":1,\"name\":\"x\"},{\"id\":2,\"name\":\"x\"},{\"id\":3,\"name\":\"x\"}]")
            text: the first 4 of 500 items"#]],
        );
        check(
            &json!({"total": 500, "rows": rows, "next": "page2"}),
            80,
            &expect![[r#"
                Some("{\"next\":\"page2\",\"rows\":[{\"id\":0,\"name\":\"x\"},{\"id\":1,\"name\":\"x\"},{\"id\":2,\"name\":\"x\"},{\"id\":3,\"name\":\"x\"},{\"id\":4,\"name\":\"x\"}],\"total\":500}")
                text/rows: the first 5 of 500 items"#]],
        );
        let file = "a line of a file\n".repeat(100);
        check(
            &json!({"path": "/a", "text": file}),
            60,
            &expect![[r#"
                Some("{\"path\":\"/a\",\"text\":\"a line of a file\\na line of a file\\na line of a file\\na line of a file\\na line of a file\\na line of a file\\n…\"}")
                text/text: the first 6 of 101 lines"#]],
        );
        check(
            &json!([{"text": file}, 1]),
            60,
            &expect![[r#"
            Some("[{\"text\":\"a line of a file\\na line of a file\\na line of a file\\na line of a file\\na line of a file\\n…\"}]")
            text/0/text: the first 5 of 101 lines; text: the first 1 of 2 items"#]],
        );
    }

    #[test]
    fn nothing_becomes_empty() {
        let row = json!({"a": "x".repeat(30)});
        check(
            &json!({"rows": [[[[row]]]], "n": 1}),
            20,
            &expect![[r#"
            Some("{\"n\":1}")
            text: 1 of 2 members left out (rows)"#]],
        );
        check(
            &json!([[row]]),
            4,
            &expect![[r#"
            None
        "#]],
        );
        check(
            &json!({"a": 1.10, "b": [1, 2]}),
            100,
            &expect![[r#"
            Some("{\"a\":1.1,\"b\":[1,2]}")
            text: whole, without the blanks between its elements"#]],
        );
    }

    #[test]
    fn what_lies_deep_is_whole_or_absent() {
        let nested = |depth: usize| format!("{}1{}", "[1,".repeat(depth), ",1]".repeat(depth));
        let named = |depth: usize| {
            let text = "a line\n".repeat(5000).replace('\n', "\\n");
            format!("{}\"{text}\"{}", "{\"a\":".repeat(depth), "}".repeat(depth))
        };
        let of = |text: &str, most| {
            let mut losses = Losses::default();
            let cut = cut(text, most, "text", &mut losses);
            (cut, losses)
        };
        // Nested so deep that a step of the stack for each level would end the process.
        for text in [
            nested(25_000),
            named(25_000),
            "[".repeat(60_000) + &"]".repeat(60_000),
        ] {
            let (cut, _) = of(&text, 2000);
            assert!(cut.is_none_or(|cut| at_most(&cut) <= 2000 && is_container(&cut)));
        }
        let (cut, losses) = of(&nested(25_000), 2000);
        let expected = format!("{}[1]{}", "[1,".repeat(11), "]".repeat(11));
        assert_eq!(cut, Some(expected));
        assert!(losses.is_short());
        assert!(of(&named(12), 2000).0.is_some());
        assert_eq!(of(&named(13), 2000).0, None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "[a-z\"{},:ž\n ]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 60, 8, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                proptest::collection::btree_map("[a-z$\"]{0,6}", inner, 0..8)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// Whether `part` is `whole` with things left out at ends of lists and texts, and among members.
    fn is_part(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len()
                    && !part.is_empty() | whole.is_empty()
                    && part
                        .iter()
                        .zip(whole)
                        .all(|(part, whole)| is_part(part, whole))
            }
            (Value::Object(part), Value::Object(whole)) => {
                !part.is_empty() | whole.is_empty()
                    && part.iter().all(|(key, value)| is_part(value, &whole[key]))
            }
            (Value::String(part), Value::String(whole)) => {
                part == whole
                    || whole.starts_with(part.trim_end_matches('…').trim_end_matches('\n'))
            }
            _ => part == whole,
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_json_within_its_room(value in any_json(), most in 0_usize..300, pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            prop_assert_eq!(is_container(&text), value.is_array() || value.is_object());
            prop_assume!(is_container(&text));
            let mut losses = Losses::default();
            if let Some(cut) = cut(&text, most, "text", &mut losses) {
                prop_assert!(at_most(&cut) <= most);
                let cut: Value = serde_json::from_str(&cut).unwrap();
                prop_assert!(is_part(&cut, &value), "{cut} of {value}");
                prop_assert_eq!(cut == value, !losses.is_short());
            } else {
                prop_assert_eq!(losses.told(9), "");
            }
        }
    }
}
