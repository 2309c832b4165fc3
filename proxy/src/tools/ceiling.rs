//! What is given of a result that is larger than a model should read? As much as the ceiling lets
//! through, in whole lines and elements, and a note of what is missing and how to get it.
//!
//! Guarantees: a result within the ceiling is not touched; a text that is a JSON array or object
//! stays one when it is cut, unless a key holds half a character; any other is cut by lines; an
//! image, an audio or a resource is never cut; `_meta` and every member that is no content stay as
//! they came. Counted is what a model may be shown: the texts of
//! `content`, and `structuredContent`. Pure.
//!
//! Clients show a model either `structuredContent` or `content`, and the note stands in `content`.
//! So a cut result has `content` alone: what the other one says goes into it, unless it is there.

mod blocks;
mod json;
mod lines;
mod losses;
mod note;
mod parts;
mod share;
#[cfg(test)]
mod tests;

use serde_json::value::{RawValue, to_raw_value};

use crate::catalog::{Access, Entry};
use crate::protocol::Members;
use crate::tools::ceiling::blocks::Block;
use crate::tools::ceiling::losses::Losses;
use crate::tools::ceiling::note::Way;
use crate::tools::ceiling::parts::{Parts, same};
use crate::tools::ceiling::share::{Need, Share, shares};

/// Several results within one ceiling.
pub(super) struct Held {
    /// Their blocks, in order.
    pub(super) content: Vec<Vec<Box<RawValue>>>,
    /// What is said behind all of them, where one was cut.
    pub(super) note: Option<String>,
    /// Of how many something is missing.
    pub(super) cut: usize,
}

/// One result within the ceiling, which it was not as it came.
pub(super) struct Cut {
    /// What is left of it, and a note.
    pub(super) result: Box<RawValue>,
    /// Whether anything is missing.
    pub(super) is_short: bool,
}

/// The result of one call in at most `most` tokens; `None` where it is within them as it is.
pub(super) fn single(result: &RawValue, entry: &Entry, most: usize) -> Option<Cut> {
    let way = match entry.access {
        Access::Read => Way::Again,
        Access::Write => Way::Otherwise,
    };
    cut(result, most, way, || {
        note::narrower(&entry.tool.input_schema)
    })
}

fn cut(
    result: &RawValue,
    most: usize,
    way: Way,
    narrower: impl Fn() -> Vec<String>,
) -> Option<Cut> {
    // No text has more tokens than bytes.
    if result.get().len() <= most {
        return None;
    }
    let mut members = Members::read(result)?;
    let content = members.get("content").map(RawValue::get);
    let content = content.filter(|json| *json != "null").unwrap_or("[]");
    let content: Vec<Box<RawValue>> = serde_json::from_str(content).ok()?;
    let mut blocks: Vec<Block> = content
        .into_iter()
        .map(|block| Block::read(block, most))
        .collect();
    let structured = members
        .get("structuredContent")
        .map(RawValue::get)
        .filter(|json| *json != "null");
    let beside = structured.map_or(0, |json| blocks::count(json, most));
    if blocks::tokens(&blocks) + beside <= most {
        return None;
    }
    let mut losses = Losses::default();
    if let Some(json) = structured {
        if is_said(json, &blocks) {
            losses.rewrite(
                "structuredContent",
                "left out, since the text says the same",
            );
        } else {
            losses.rewrite("structuredContent", "given as text");
            blocks.push(Block::of("structuredContent", json, most));
        }
    }
    let mut kept = held(blocks, most.saturating_sub(note::ROOM), "", &mut losses);
    let note = note::note(&losses, most, way, &narrower());
    kept.push(blocks::text_block(&note));
    members.remove("structuredContent");
    let mut is_repeated = false;
    members
        .0
        .retain(|(name, _)| name.name() != "content" || !std::mem::replace(&mut is_repeated, true));
    members.set("content", to_raw_value(&kept).ok()?);
    Some(Cut {
        result: members.to_raw(),
        is_short: losses.is_short(),
    })
}

/// The results of several calls, which share `most` tokens with a label before each: those that
/// need less than an equal share have what they need. `schema`: the input schema of one's tool.
pub(super) fn several<'a>(
    labels: &[String],
    content: Vec<Vec<Box<RawValue>>>,
    most: usize,
    schema: impl Fn(usize) -> Option<&'a RawValue>,
) -> Held {
    let labelled: usize = labels
        .iter()
        .map(|label| blocks::count(label, most) + 1)
        .sum();
    let read = |blocks: Vec<Box<RawValue>>| -> Vec<Block> {
        let blocks = blocks.into_iter();
        blocks.map(|block| Block::read(block, most)).collect()
    };
    let content: Vec<Vec<Block>> = content.into_iter().map(read).collect();
    let needs: Vec<Need> = content
        .iter()
        .map(|blocks| Need {
            tokens: blocks::tokens(blocks),
            cuts: true,
        })
        .collect();
    let all = labelled + needs.iter().map(|need| need.tokens).sum::<usize>();
    let room = if all <= most {
        all
    } else {
        most.saturating_sub(labelled + note::ROOM)
    };
    let (mut losses, mut names, mut cut) = (Losses::default(), Vec::new(), 0);
    let mut kept = Vec::new();
    for (at, (blocks, share)) in content.into_iter().zip(shares(&needs, room, 0)).enumerate() {
        let share = match share {
            Share::Whole => {
                kept.push(blocks.into_iter().map(Block::into_raw).collect());
                continue;
            }
            Share::Part(part) => part,
            Share::Nothing => 0,
        };
        let mut lost = Losses::default();
        names.extend(schema(at).map(note::narrower).unwrap_or_default());
        let label = format!("[{}/{}] ", at + 1, labels.len());
        kept.push(blocks::fit(blocks, share, &label, &mut lost));
        cut += usize::from(lost.is_short());
        losses.append(lost);
    }
    names.sort();
    names.dedup();
    Held {
        content: kept,
        note: losses
            .is_any()
            .then(|| note::note(&losses, most, Way::Alone, &names)),
        cut,
    }
}

/// All of them where they fit, and otherwise what fits.
fn held(blocks: Vec<Block>, most: usize, label: &str, losses: &mut Losses) -> Vec<Box<RawValue>> {
    if blocks::tokens(&blocks) <= most {
        blocks.into_iter().map(Block::into_raw).collect()
    } else {
        blocks::fit(blocks, most, label, losses)
    }
}

/// Whether the texts say what this JSON says: as one JSON text, as a list of a text for each item,
/// or as plain text; also what stands in its only member, `result`, where frameworks put what is
/// no object.
fn is_said(json: &str, blocks: &[Block]) -> bool {
    let texts: Vec<&str> = blocks.iter().filter_map(Block::text).collect();
    let inner = match Parts::read(json) {
        Some(Parts::Object(members, 1)) if members[0].0 == "result" => Some(members[0].1.get()),
        _ => None,
    };
    let says = |text: &str, json: &str| {
        same(text, json) || serde_json::from_str::<String>(json).is_ok_and(|said| said == text)
    };
    let mut values = std::iter::once(json).chain(inner);
    values.any(|json| match (&texts[..], Parts::read(json)) {
        ([text], _) if says(text, json) => true,
        // Of a very long list not all items are held, so that not all could be compared.
        (texts @ [_, ..], Some(Parts::Array(items, count)))
            if count == texts.len() && count == items.len() =>
        {
            let mut pairs = texts.iter().zip(items);
            pairs.all(|(text, item)| says(text, item.get()))
        }
        _ => false,
    })
}
