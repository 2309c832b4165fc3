//! What does a content block cost, and what is left of several in less room? A text may be cut;
//! an image, an audio, a resource and whatever else there is stay whole, or are left out whole.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::protocol::Members;
use crate::tools::ceiling::losses::Losses;
use crate::tools::ceiling::share::{Need, Share, shares};
use crate::tools::ceiling::{json, lines};
use crate::tools::tokens::{clip, within};

/// Tokens of an image, an audio or a binary resource, whatever its bytes: about what models take
/// for a large picture. Its base64 is no text to them.
pub(super) const MEDIA: usize = 1600;
/// Tokens between two blocks.
const JOINT: usize = 1;
/// Bytes of the address of a resource that is left out.
const ADDRESS: usize = 80;
/// Blocks left out that are named.
const NAMED: usize = 3;

/// One block, and what it costs.
pub(super) struct Block {
    raw: Box<RawValue>,
    /// Of a text block, what it says.
    text: Option<String>,
    /// What it is called where something is said about it.
    kind: String,
    tokens: usize,
}

#[derive(Deserialize)]
struct Seen<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(default)]
    text: Option<String>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    resource: Option<Resource<'a>>,
}

#[derive(Deserialize)]
struct Resource<'a> {
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(default)]
    blob: Option<IgnoredAny>,
    #[serde(default)]
    text: Option<IgnoredAny>,
}

impl Block {
    /// Reads a block; what costs more than `most` is not counted further.
    pub(super) fn read(raw: Box<RawValue>, most: usize) -> Self {
        let (mut kind, mut text, mut is_media) = ("block".to_owned(), None, false);
        if let Ok(seen) = serde_json::from_str::<Seen<'_>>(raw.get()) {
            kind = clip(&seen.r#type, 20);
            let resource = seen.resource.as_ref();
            let has_blob = resource.is_some_and(|resource| resource.blob.is_some());
            let has_text =
                seen.text.is_some() || resource.is_some_and(|resource| resource.text.is_some());
            // A text is shown whatever stands beside it.
            is_media = !has_text && (has_blob || matches!(&*seen.r#type, "image" | "audio"));
            text = seen.text.filter(|_| seen.r#type == "text");
            let uri = seen.uri.or_else(|| seen.resource?.uri);
            if let Some(uri) = uri {
                kind = format!("{kind} {}", clip(&uri, ADDRESS));
            }
        }
        let tokens = match &text {
            _ if is_media => raw.get().len().min(MEDIA),
            Some(text) => count(text, most),
            None => count(raw.get(), most),
        };
        Self {
            tokens: tokens + JOINT,
            raw,
            text,
            kind,
        }
    }

    /// A text block that was none, called by where it stood.
    pub(super) fn of(place: &str, text: &str, most: usize) -> Self {
        Self {
            raw: text_block(text),
            tokens: count(text, most) + JOINT,
            text: Some(text.to_owned()),
            kind: place.to_owned(),
        }
    }

    /// What it says, where it is a text.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The block as it is.
    pub(super) fn into_raw(self) -> Box<RawValue> {
        self.raw
    }

    /// The text in at most so many tokens.
    fn cut(&self, most: usize, place: &str, losses: &mut Losses) -> Option<Box<RawValue>> {
        let (text, most) = (self.text()?, most.checked_sub(JOINT)?);
        let cut = if json::is_container(text) {
            json::cut(text, most, place, losses)?
        } else {
            let cut = lines::cut(text, most, |marked| marked)?;
            losses.lose(place, &lines::said(cut.head, text));
            cut.marked
        };
        let mut members = Members::read(&self.raw)?;
        members.set("text", to_raw_value(&cut).ok()?);
        Some(members.to_raw())
    }
}

/// A text block of ours.
pub(super) fn text_block(text: &str) -> Box<RawValue> {
    let block = format!(r#"{{"type":"text","text":{}}}"#, Value::from(text));
    RawValue::from_string(block).unwrap_or_default()
}

/// Tokens of a text, or more than `most`.
pub(super) fn count(text: &str, most: usize) -> usize {
    within(text, most).unwrap_or(most + 1)
}

/// Tokens of all of them.
pub(super) fn tokens(blocks: &[Block]) -> usize {
    blocks.iter().map(|block| block.tokens).sum()
}

/// What is left of them in at most so many tokens; `label` stands before the name of each.
pub(super) fn fit(
    blocks: Vec<Block>,
    most: usize,
    label: &str,
    losses: &mut Losses,
) -> Vec<Box<RawValue>> {
    let needs: Vec<Need> = blocks
        .iter()
        .map(|block| Need {
            tokens: block.tokens,
            cuts: block.text.is_some(),
        })
        .collect();
    let shares = shares(&needs, most, most / 4);
    let count = blocks.len();
    let (mut kept, mut absent) = (Vec::new(), Vec::new());
    for (at, (block, share)) in blocks.into_iter().zip(shares).enumerate() {
        let place = match &block.kind {
            kind if count == 1 || kind == "structuredContent" => format!("{label}{kind}"),
            kind => format!("{label}block {} ({kind})", at + 1),
        };
        let left = match share {
            Share::Whole => Some(block.raw),
            Share::Part(part) => block.cut(part, &place, losses),
            Share::Nothing => None,
        };
        match left {
            Some(left) => kept.push(left),
            None => absent.push(place),
        }
    }
    if absent.len() <= NAMED {
        for place in absent {
            losses.lose(&place, "left out");
        }
    } else {
        let (place, others) = (&absent[0], absent.len() - 1);
        losses.lose(place, &format!("left out, and {others} other blocks"));
    }
    kept
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::{Value, json};

    use super::{Block, fit, tokens};
    use crate::protocol::Members;
    use crate::tools::ceiling::losses::Losses;

    #[track_caller]
    fn check(content: &Value, most: usize, expected: &Expect) {
        let raw = serde_json::value::to_raw_value(content).unwrap();
        let blocks: Vec<_> = serde_json::from_str::<Vec<Box<_>>>(raw.get()).unwrap();
        let blocks: Vec<Block> = blocks
            .into_iter()
            .map(|raw| Block::read(raw, 10_000))
            .collect();
        let mut losses = Losses::default();
        let kept: Vec<String> = fit(blocks, most, "", &mut losses)
            .iter()
            .map(|raw| {
                // The kept ones can be told apart by their first bytes.
                assert!(Members::read(raw).is_some());
                raw.get().chars().take(60).collect()
            })
            .collect();
        expected.assert_eq(&format!("{}\n{}", kept.join("\n"), losses.told(9)));
    }

    #[test]
    fn texts_are_cut_and_all_else_is_whole_or_absent() {
        let text = json!({"type": "text", "text": "some words of a text\n".repeat(2000), "annotations": {"priority": 1}});
        let image =
            json!({"type": "image", "data": "QUJD".repeat(50_000), "mimeType": "image/png"});
        let small = json!({"type": "audio", "data": "QUJD", "mimeType": "audio/wav"});
        let file = json!({"type": "resource", "resource": {"uri": "file:///a.txt", "text": "word ".repeat(9000)}});
        let picture = json!({"type": "resource", "resource": {"uri": "file:///a.png", "blob": "QUJD".repeat(9000)}});
        let link = json!({"type": "resource_link", "uri": "file:///b.txt", "name": "b"});
        let odd = json!({"type": "hologram", "x": "word ".repeat(9000)});
        check(
            &json!([text, image, small, file, picture, link, odd]),
            7000,
            &expect![[r#"
                {"annotations":{"priority":1},"text":"some words of a text\n
                {"data":"QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJ
                {"data":"QUJD","mimeType":"audio/wav","type":"audio"}
                {"resource":{"blob":"QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJ
                {"name":"b","type":"resource_link","uri":"file:///b.txt"}
                block 1 (text): the first 531 of 2001 lines; block 4 (resource file:///a.txt): left out; block 7 (hologram): left out"#]],
        );
        check(
            &json!([image, text]),
            900,
            &expect![[r#"
            {"annotations":{"priority":1},"text":"some words of a text\n
            block 2 (text): the first 128 of 2001 lines; block 1 (image): left out"#]],
        );
    }

    #[test]
    fn of_many_blocks_the_first_ones_stay() {
        let blocks: Vec<Value> = (0..500)
            .map(|n| json!({"type": "text", "text": format!("{{\"id\": {n}}}")}))
            .collect();
        check(
            &json!(blocks),
            30,
            &expect![[r#"
            {"text":"{\"id\": 0}","type":"text"}
            {"text":"{\"id\": 1}","type":"text"}
            {"text":"{\"id\": 2}","type":"text"}
            {"text":"{\"id\": 3}","type":"text"}
            block 5 (text): left out, and 495 other blocks"#]],
        );
    }

    #[test]
    fn a_text_counts_whatever_stands_beside_it() {
        let words = "word ".repeat(5000);
        let of = |block: Value| {
            let raw = serde_json::value::to_raw_value(&block).unwrap();
            tokens(&[Block::read(raw, 10_000)])
        };
        for block in [
            json!({"type": "text", "text": words, "resource": {"blob": "QUJD"}}),
            json!({"type": "resource", "resource": {"uri": "a://b", "text": words, "blob": "QUJD"}}),
            json!({"type": "image", "data": "QUJD", "text": words}),
        ] {
            assert!(of(block) >= 5000);
        }
        let blob = "QUJD".repeat(50_000);
        let linked = json!({"type": "resource", "uri": "a://b", "resource": {"blob": blob}});
        assert_eq!(of(linked), 1601);
    }

    #[test]
    fn a_picture_costs_what_a_model_takes_for_it() {
        let of = |data: String| {
            let raw = json!({"type": "image", "data": data}).to_string();
            let raw = serde_json::value::RawValue::from_string(raw).unwrap();
            tokens(&[Block::read(raw, 10_000)])
        };
        assert_eq!(of("QUJD".repeat(50_000)), 1601);
        assert!(of("QUJD".to_owned()) < 60);
    }
}
