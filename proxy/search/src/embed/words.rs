//! May a text be taken apart at its blanks before it is split into pieces? Where that changes
//! nothing, each word of thousands of texts is split once.

use serde::Deserialize;

/// What decides it, of a `tokenizer.json`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Pipeline {
    #[serde(default)]
    normalizer: Option<Step>,
    #[serde(default)]
    pre_tokenizer: Option<Step>,
    #[serde(default)]
    added_tokens: Vec<Added>,
}

/// A step, or several in order.
#[derive(Debug, Deserialize)]
struct Step {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    normalizers: Vec<Step>,
    #[serde(default)]
    pretokenizers: Vec<Step>,
    prepend_scheme: Option<String>,
    pattern: Option<Pattern>,
    content: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Pattern {
    #[serde(rename = "Regex")]
    regex: Option<String>,
}

/// A piece that is found before all else.
#[derive(Debug, Deserialize)]
struct Added {
    content: String,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
}

impl Pipeline {
    /// Whether words are split each for itself. Only steps that are known to do so count: of
    /// others every text is split as a whole.
    pub(super) fn keeps_words_apart(&self) -> bool {
        let normalizers = self.normalizer.iter().flat_map(Step::leaves);
        let mut steps = self.pre_tokenizer.iter().flat_map(Step::leaves);
        let apart = |step: &Step| matches!(&*step.kind, "WhitespaceSplit" | "BertPreTokenizer");
        steps.next().is_some_and(apart)
            && steps.all(Step::is_mark_of_each_word)
            && { normalizers }.all(Step::sees_no_further_than_a_word)
            && !self.added_tokens.iter().any(Added::reaches_beyond_a_word)
    }
}

impl Step {
    fn leaves(&self) -> Vec<&Self> {
        let inner = self.normalizers.iter().chain(&self.pretokenizers);
        let inner: Vec<_> = inner.flat_map(Self::leaves).collect();
        if self.kind == "Sequence" {
            inner
        } else {
            vec![self]
        }
    }

    fn is_mark_of_each_word(&self) -> bool {
        self.kind == "Metaspace" && self.prepend_scheme.as_deref() == Some("always")
    }

    fn sees_no_further_than_a_word(&self) -> bool {
        match &*self.kind {
            "Precompiled" | "Lowercase" | "BertNormalizer" => true,
            "Replace" => {
                let pattern = self.pattern.as_ref().and_then(|it| it.regex.as_deref());
                pattern == Some(" {2,}") && self.content.as_deref() == Some(" ")
            }
            _ => false,
        }
    }
}

impl Added {
    fn reaches_beyond_a_word(&self) -> bool {
        self.lstrip || self.rstrip || self.content.contains(char::is_whitespace)
    }
}

/// The stretches of a text between blanks. A blank that a sign next to it may combine with, as
/// marks of many scripts can, ends none.
pub(super) fn stretches(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let blanks = text.match_indices([' ', '\n', '\t', '\r']);
    let ends = blanks.map(|(at, _)| at).chain([text.len()]);
    let stretches = ends.filter_map(move |at| {
        let before = text[..at].chars().next_back();
        let after = text[at..].chars().nth(1);
        let alone = before.is_none_or(stands_alone) && after.is_none_or(stands_alone);
        let ends = alone || at == text.len();
        ends.then(|| {
            let stretch = &text[start..at];
            start = (at + 1).min(text.len());
            stretch
        })
    });
    stretches.filter(|stretch| !stretch.is_empty())
}

/// Whether a sign never combines with the one before or after it: ASCII, and the letters of
/// alphabets that are written with blanks. Of others it would have to be looked up.
fn stands_alone(sign: char) -> bool {
    let letter = || ('\u{c0}'..'\u{530}').contains(&sign) && sign.is_alphanumeric();
    sign.is_ascii() || (letter() && !unicode_normalization::char::is_combining_mark(sign))
}

#[cfg(test)]
mod tests {
    use super::{Pipeline, stretches};

    #[test]
    fn a_stretch_ends_where_nothing_combines() {
        for (text, expected) in [
            ("a bc\nd", &["a", "bc", "d"][..]),
            ("  a   b ", &["a", "b"]),
            ("ežys ёж", &["ežys", "ёж"]),
            ("a \u{308}b c", &["a \u{308}b", "c"]),
            ("हिन्दी भाषा", &["हिन्दी भाषा"]),
            ("a 天 b", &["a 天 b"]),
            ("", &[]),
            (" ", &[]),
        ] {
            assert_eq!(stretches(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }

    #[test]
    fn only_known_steps_keep_words_apart() {
        let keeps = |json: &str| {
            let pipeline: Pipeline = serde_json::from_str(json).unwrap();
            pipeline.keeps_words_apart()
        };
        let split = r#""pre_tokenizer":{"type":"Sequence","pretokenizers":[
            {"type":"WhitespaceSplit"},{"type":"Metaspace","prepend_scheme":"always"}]}"#;
        assert!(keeps(&format!("{{{split}}}")));
        assert!(keeps(&format!(r#"{{"normalizer":null,{split}}}"#)));
        for other in [
            r#""normalizer":{"type":"Prepend"}"#,
            r#""normalizer":{"type":"Replace","pattern":{"Regex":"a b"},"content":""}"#,
            r#""normalizer":{"type":"Replace","pattern":{"String":"a b"},"content":""}"#,
            r#""added_tokens":[{"content":"a b"}]"#,
            r#""added_tokens":[{"content":"a","lstrip":true}]"#,
        ] {
            assert!(!keeps(&format!("{{{other},{split}}}")), "{other}");
        }
        assert!(!keeps("{}"));
        assert!(!keeps(
            r#"{"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"always"}}"#
        ));
    }
}
