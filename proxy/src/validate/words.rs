//! Words that more than one message needs: a value in short, a type with its article, the nearest
//! of some names.

use serde_json::Value;

/// Characters of a given value that are shown.
const CUT: usize = 40;

/// A type's name with its article.
pub(super) fn article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// The one word that is likely meant.
pub(super) fn nearest<'a>(given: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.5;
    // The time of a comparison is the product of both lengths.
    const LONGEST: usize = 100;
    if given.len() > LONGEST {
        return None;
    }
    let words = words.filter(|word| word.len() <= LONGEST);
    let given = given.to_lowercase();
    let scored = words.map(|word| {
        (
            strsim::normalized_damerau_levenshtein(&given, &word.to_lowercase()),
            word,
        )
    });
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness >= ALIKE)
        .map(|(_, word)| word)
}

/// Type and a short cut of a value.
pub(super) fn given(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {}", cut(&number.to_string())),
        Value::String(text) => format!("the string {:?}", cut(text)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(properties) => format!("an object with {} properties", properties.len()),
    }
}

/// A text, or its beginning.
pub(super) fn cut(text: &str) -> String {
    if text.chars().count() <= CUT {
        return text.to_owned();
    }
    text.chars().take(CUT).chain(['…']).collect()
}
