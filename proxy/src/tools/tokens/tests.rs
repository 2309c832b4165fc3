//! The bound and its list, held against the real tokenizer.

use expect_test::expect_file;
use proptest::prelude::*;

use super::{at_most, clip};

fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

/// Tokens of the vocabulary are in the order of their frequency: the first ones are worth knowing.
const WORTH_KNOWING: u32 = 20_000;

fn signs() -> impl Iterator<Item = char> {
    (' '..='~').filter(char::is_ascii_punctuation)
}

/// A word that is one token by itself and after a blank, and at most two after any sign.
fn is_word(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_one_piece = text.len() > 1
        && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && rest.bytes().all(|byte| byte.is_ascii_lowercase());
    is_one_piece
        && count(text) == 1
        && count(&format!(" {text}")) == 1
        && signs().all(|sign| count(&format!("{sign}{text}")) <= 2)
}

fn is_run_of_signs(text: &str) -> bool {
    let signs = text.strip_prefix(' ').unwrap_or(text);
    text.len() > 1
        && !signs.is_empty()
        && signs.bytes().all(|byte| byte.is_ascii_punctuation())
        && count(text) == 1
}

/// The list is what the vocabulary says.
#[test]
fn what_is_known_is_true() {
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    let mut known: Vec<String> = (0..WORTH_KNOWING)
        .filter_map(|token| tokenizer.decode(&[token]).ok())
        .map(|text| {
            text.strip_prefix(' ')
                .filter(|word| is_word(word))
                .map_or(text.clone(), str::to_owned)
        })
        .filter(|text| is_run_of_signs(text) || is_word(text))
        .collect();
    known.sort();
    known.dedup();
    assert!(known.len() > 4000, "{}", known.len());
    expect_file!["known.txt"].assert_eq(&(known.join("\n") + "\n"));
}

#[test]
fn it_is_not_far_off_where_it_matters() {
    let text = super::super::definitions().get();
    let (bound, real) = (at_most(text), count(text));
    assert!(bound >= real && 2 * bound <= 5 * real, "{bound} for {real}");
    let base64 = "QmFzZTY0IGlzIG5vdCBhIGxhbmd1YWdl".repeat(10);
    assert!(at_most(&base64) >= count(&base64) && at_most(&base64) <= base64.len());
}

#[test]
fn clips_are_short_and_say_so() {
    assert_eq!(clip("a\nb", 10), "a b");
    for most in 3..20 {
        let cut = clip("ąčę🚀 word word word", most);
        assert!(cut.len() <= most && cut.ends_with('…'), "{cut}");
    }
}

/// What makes tokenizers stumble, pasted together.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "\\PC{0,12}",
        "[ -~]{0,20}",
        "[A-Za-z]{0,12}",
        "[a-z]{1,8}'[a-zA-Z]{1,6}",
        "[ \\t\\r\\n/]{1,6}",
        "[0-9٠-٩²]{1,9}",
        "[\u{4e00}-\u{9fff}]{1,6}",
        "[\u{1f300}-\u{1faff}\u{200d}\u{fe0f}]{1,4}",
        "[QJXZqjxzVW]{1,12}",
        "[\"{}\\[\\]:,\\\\/']{1,8}",
        prop::sample::select(vec![
            " the",
            "\"type",
            "\":\"",
            "string",
            "properties",
            "\"},{\"",
            "description",
            "'s",
            "İ",
            "ǅ",
            "\u{301}",
            "\u{a0}",
            "\u{85}",
            "ſ",
            "\u{1}",
            "\u{7f}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn it_is_a_bound(text in hostile()) {
        let json = serde_json::Value::from(text.as_str()).to_string();
        for text in [text, json] {
            prop_assert!(at_most(&text) >= count(&text), "{} < {}", at_most(&text), count(&text));
            prop_assert!(at_most(&text) <= text.len());
        }
    }
}
