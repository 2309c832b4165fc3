//! Whole results: untouched under the ceiling, and within it, valid and with a note over it.

use std::sync::Arc;

use expect_test::expect;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{several, single};
use crate::catalog::{Access, Entry};
use crate::protocol::{Members, Tool};
use crate::tools::tokens::at_most;

fn raw(json: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(json).unwrap()
}

fn entry(access: Access) -> Arc<Entry> {
    let tool = json!({"name": "t", "inputSchema": {"properties": {"id": {}, "page_size": {}}}});
    Arc::new(Entry::new(Tool::parse(raw(&tool)).unwrap(), access))
}

fn held(result: &Value, most: usize) -> Option<Value> {
    let cut = single(&raw(result), &entry(Access::Read), most)?;
    let held: Value = serde_json::from_str(cut.result.get()).unwrap();
    let note = held["content"].as_array().unwrap().last().unwrap();
    let says_all = note["text"].as_str().unwrap().starts_with("[Nothing");
    assert_eq!(cut.is_short, !says_all);
    Some(held)
}

/// What a model may be shown of a result, counted once more in the plainest way.
fn shown(result: &Value) -> usize {
    let block = |block: &Value| {
        let json = block.to_string();
        1 + match block["type"].as_str() {
            Some("text") => at_most(block["text"].as_str().unwrap()),
            Some("image") => json.len().min(1600),
            _ => at_most(&json),
        }
    };
    let blocks = result["content"].as_array().into_iter().flatten();
    let structured = result.get("structuredContent");
    blocks.map(block).sum::<usize>() + structured.map_or(0, |value| at_most(&value.to_string()))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn rows(count: usize) -> Value {
    (0..count)
        .map(|n| json!({"id": n, "name": "a row"}))
        .collect()
}

#[test]
fn a_result_within_the_ceiling_is_not_touched() {
    let small = json!({"content": [text("short")], "structuredContent": {"a": 1.10}});
    assert_eq!(held(&small, 2000), None);
    let words = json!({"content": [text(&"word ".repeat(1900))]});
    assert!(words.to_string().len() > 2000 && shown(&words) <= 2000);
    assert_eq!(held(&words, 2000), None);
    for odd in [
        json!({"content": "x".repeat(3000)}),
        json!(["x".repeat(3000)]),
        json!({"other": "x".repeat(3000)}),
    ] {
        assert_eq!(held(&odd, 2000), None);
    }
}

#[test]
fn what_is_said_twice_is_given_once_and_nothing_is_missing() {
    let rows = rows(100);
    let pretty = serde_json::to_string_pretty(&json!({"result": rows})).unwrap();
    let each: Vec<Value> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(&row.to_string()))
        .collect();
    for content in [
        json!([text(&rows.to_string())]),
        json!([text(&pretty)]),
        json!(each),
    ] {
        let result = json!({"content": content, "structuredContent": {"result": rows}});
        let most = shown(&json!({"content": content})) + 400;
        let held = held(&result, most.min(shown(&result) - 1)).unwrap();
        assert_eq!(held.get("structuredContent"), None);
        let blocks = held["content"].as_array().unwrap();
        assert_eq!(blocks[..blocks.len() - 1], content.as_array().unwrap()[..]);
        let note = blocks.last().unwrap()["text"].as_str().unwrap();
        assert!(note.starts_with("[Nothing is missing"), "{note}");
    }
}

#[test]
fn what_was_not_compared_is_not_said_twice() {
    // An empty list is not said by a picture; nor a list by texts of which the last is another.
    let picture = json!({"type": "image", "data": "Q".repeat(5000), "mimeType": "image/png"});
    let empty = json!({"content": [picture, picture], "structuredContent": {"result": []}});
    let texts = vec![text("0"); 100_001];
    let mut items = vec![json!(0); 100_000];
    items.push(json!("another"));
    let long = json!({"content": texts, "structuredContent": {"result": items}});
    for result in [empty, long] {
        let note = held(&result, 2000).unwrap()["content"].to_string();
        assert!(!note.contains("the text says the same"));
    }
}

#[test]
fn what_only_the_structure_says_goes_into_the_content() {
    let result = json!({
        "_meta": {"k": "x".repeat(5000)}, "isError": true,
        "content": [text("500 rows")], "structuredContent": {"rows": rows(500), "total": 500}, "n": 1
    });
    let held = held(&result, 2000).unwrap();
    assert!(shown(&held) <= 2000);
    for kept in ["_meta", "isError", "n"] {
        assert_eq!(held[kept], result[kept]);
    }
    assert_eq!(held["content"][0], text("500 rows"));
    let given: Value = serde_json::from_str(held["content"][1]["text"].as_str().unwrap()).unwrap();
    assert_eq!(given["total"], 500);
    let given = given["rows"].as_array().unwrap();
    assert!(given.len() > 100 && given[..] == rows(500).as_array().unwrap()[..given.len()]);
    expect!["[This result was cut: the proxy gives at most 2000 tokens of one. structuredContent: given as text; structuredContent/rows: the first 120 of 500 items. For the rest, call the tool again and ask for less at a time: it takes `page_size`.]"].assert_eq(held["content"][2]["text"].as_str().unwrap());
}

#[test]
fn a_write_is_not_to_be_repeated() {
    let result = json!({"content": [text(&"a line\n".repeat(3000))]});
    let held = single(&raw(&result), &entry(Access::Write), 2000)
        .unwrap()
        .result;
    assert!(held.get().contains("Do not repeat the call") && !held.get().contains("page_size"));
}

#[test]
fn several_results_share_the_ceiling() {
    let schema = raw(&json!({"properties": {"limit": {}}}));
    let labels: Vec<String> = (1..=3).map(|n| format!("[{n}/3] t: ok")).collect();
    let content = |sizes: [usize; 3]| -> Vec<Vec<Box<RawValue>>> {
        let of = |size: usize| vec![raw(&text(&"a line\n".repeat(size)))];
        sizes.map(of).into()
    };
    let of = |sizes| several(&labels, content(sizes), 3000, |_| Some(&schema));
    let whole = of([10, 20, 30]);
    assert_eq!((whole.cut, whole.note), (0, None));
    let lines = |blocks: &[Box<RawValue>]| blocks[0].get().matches("a line").count();
    let blanks = raw(&text(&format!("[{}1]", "1,\n".repeat(1500))));
    let blanks = vec![vec![blanks.clone()], vec![blanks]];
    let rewritten = several(&labels[..2], blanks, 7000, |_| None);
    assert_eq!(rewritten.cut, 0);
    assert!(rewritten.note.unwrap().starts_with("[Nothing is missing"));
    let cut = of([5000, 20, 9000]);
    assert_eq!(cut.cut, 2);
    let given: Vec<usize> = cut.content.iter().map(|blocks| lines(blocks)).collect();
    assert!(
        given[0] > 350 && given[1] == 20 && given[2] == given[0],
        "{given:?}"
    );
    expect!["[This result was cut: the proxy gives at most 3000 tokens of one. [1/3] text: the first 416 of 5001 lines; [3/3] text: the first 416 of 9001 lines. For the rest, call the tool alone with call_read_tool, and ask for less at a time: it takes `limit`.]"].assert_eq(&cut.note.unwrap());
    let all: usize = cut
        .content
        .iter()
        .flatten()
        .map(|block| {
            let block = Members::read(block).unwrap();
            at_most(&serde_json::from_str::<String>(block.get("text").unwrap().get()).unwrap())
        })
        .sum();
    assert!(all <= 2600, "{all}");
}

fn block() -> impl Strategy<Value = Value> {
    let words = "[a-zž,.\"\\\\ \n]{1,30}";
    prop_oneof![
        (words, 1..200_usize).prop_map(|(words, times)| text(&words.repeat(times))),
        (words, 1..200_usize, any::<bool>()).prop_map(|(words, times, listed)| {
            let parts = vec![json!({"a": words, "n": times}); times];
            let json = if listed {
                json!(parts)
            } else {
                json!({"parts": parts, "b": words})
            };
            text(&json.to_string())
        }),
        (1..5000_usize)
            .prop_map(|n| json!({"type": "image", "data": "Q".repeat(n), "mimeType": "image/png"})),
        (words, 1..100_usize).prop_map(|(words, times)| {
            json!({"type": "resource", "resource": {"uri": "a://b", "text": words.repeat(times)}})
        }),
        (words, 1..100_usize)
            .prop_map(|(words, times)| json!({"type": words, "x": words.repeat(times)})),
    ]
}

fn is_json(block: &Value) -> bool {
    block["text"]
        .as_str()
        .is_some_and(|text| text.starts_with(['[', '{']))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn it_is_within_the_ceiling_valid_and_says_so(
        content in proptest::collection::vec(block(), 0..8), structured in proptest::option::of(block()),
        is_error in any::<bool>(), most in 2000..6000_usize,
    ) {
        let mut result = json!({"_meta": {"m": [1.10]}, "content": content, "isError": is_error, "z": "z"});
        if let Some(structured) = structured {
            result["structuredContent"] = structured;
        }
        let Some(held) = held(&result, most) else {
            prop_assert!(shown(&result) <= most);
            return Ok(());
        };
        prop_assert!(shown(&result) > most && shown(&held) <= most, "{} of {most}", shown(&held));
        for kept in ["_meta", "isError", "z"] {
            prop_assert_eq!(&held[kept], &result[kept]);
        }
        prop_assert_eq!(held.as_object().unwrap().len(), 4);
        let (note, blocks) = held["content"].as_array().unwrap().split_last().unwrap();
        let said = format!("{most} tokens");
        prop_assert!(note["text"].as_str().unwrap().contains(&said));
        for block in blocks {
            if block["type"] != "text" {
                prop_assert!(content.contains(block));
            } else if is_json(block) {
                let text = block["text"].as_str().unwrap();
                prop_assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
            }
        }
    }
}
