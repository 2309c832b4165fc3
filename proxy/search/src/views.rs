//! What of a tool is embedded? Three views of its text, each with its weight.

use crate::document::Document;
use crate::text;

/// The description's vector: what the tool does, in whole.
const DESCRIPTION: f32 = 0.4;
/// The name's vector: what the tool is called, split into words.
const NAME: f32 = 0.3;
/// The vector of name and first sentence: a long description must not drown its beginning.
const FIRST_SENTENCE: f32 = 0.3;

/// Characters of a description that are embedded: beyond them come formats and examples.
const LONGEST: usize = 1000;

/// What of a document its views are made of, and nothing else is.
pub(crate) fn texts(document: &Document) -> [&str; 3] {
    let description = cut(&document.description, LONGEST);
    [&document.name, &document.title, description]
}

/// The views of one document; their weights add up to 1.
pub(crate) fn of(document: &Document) -> Vec<(f32, String)> {
    let [name, title, description] = texts(document);
    let name = text::words(name).join(" ");
    let name = if title.is_empty() {
        name
    } else {
        format!("{name} {title}")
    };
    let whole = format!("{name}. {description}");
    let first = format!("{name}. {}", first_sentence(description));
    vec![(DESCRIPTION, whole), (NAME, name), (FIRST_SENTENCE, first)]
}

/// Up to the first full stop (of any script) that ends a sentence, or the first blank line.
fn first_sentence(text: &str) -> &str {
    let text = text.trim_start();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        let ends = match character {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' | '।' | '۔' => true,
            '\n' => next == Some('\n'),
            _ => false,
        };
        if ends {
            return &text[..at + character.len_utf8()];
        }
    }
    text
}

fn cut(text: &str, longest: usize) -> &str {
    text.char_indices()
        .nth(longest)
        .map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn a_first_sentence_ends_where_a_reader_would_stop() {
        for (text, expected) in [
            ("List boards.", "List boards."),
            ("Reads v1.2 files. Then more.", "Reads v1.2 files."),
            ("課題を作成します。詳細は", "課題を作成します。"),
            ("Title\n\nBody.", "Title\n"),
            ("no end", "no end"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), expected);
        }
    }
}
