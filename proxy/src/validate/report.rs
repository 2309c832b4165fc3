//! How is a violation said? In words a model can act on: where, what was wanted, what was there.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// One way in which arguments do not fit: never the whole value that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON Pointer into the arguments; empty for the root.
    pub path: String,
    /// The keyword that failed ("required", "type", "enum", …).
    pub keyword: String,
    /// A sentence's end that a model can act on: "must be …, but is …".
    pub message: String,
}

/// Characters of a given value that are shown.
const CUT: usize = 40;
/// Allowed values that are shown.
const SHOWN: usize = 12;

impl Violation {
    /// What is mended first: missing and misspelt properties, then types, then the rest.
    pub(super) fn urgency(&self) -> u8 {
        match self.keyword.as_str() {
            "required" => 0,
            "additionalProperties" | "unevaluatedProperties" => 1,
            "type" => 2,
            "enum" | "const" => 3,
            _ => 4,
        }
    }
}

/// One error in words; of alternatives, what the closest one still lacks.
pub(super) fn violations(error: &ValidationError<'_>, schema: &Value) -> Vec<Violation> {
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let mut closest = closest(context)
                .iter()
                .flat_map(|error| violations(error, schema))
                .collect::<Vec<_>>();
            if closest.is_empty() {
                closest.push(violation(error, "fits none of the alternatives".to_owned()));
            } else if context.len() > 1 {
                for violation in &mut closest {
                    violation
                        .message
                        .push_str(" (by the closest of the alternatives)");
                }
            }
            closest
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![violation(
                error,
                format!("lacks the required property {name:?}"),
            )]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = known_properties(error, schema);
            unexpected
                .iter()
                .take(SHOWN)
                .map(|name| violation(error, unknown_property(name, &known)))
                .collect()
        }
        kind => vec![violation(
            error,
            format!(
                "{}, but is {}",
                wanted(kind, error.instance()),
                given(error.instance())
            ),
        )],
    }
}

fn violation(error: &ValidationError<'_>, message: String) -> Violation {
    Violation {
        path: error.instance_path().to_string(),
        keyword: error.kind().keyword().to_owned(),
        message,
    }
}

/// The branch with the fewest errors; one that is of another type altogether comes last.
fn closest<'a>(branches: &'a [Vec<ValidationError<'static>>]) -> &'a [ValidationError<'static>] {
    let distance = |branch: &&'a Vec<ValidationError<'static>>| {
        let wrong_type = branch
            .iter()
            .any(|error| matches!(error.kind(), Kind::Type { .. }));
        (wrong_type, branch.len())
    };
    branches
        .iter()
        .min_by_key(distance)
        .map_or(&[], Vec::as_slice)
}

fn wanted(kind: &Kind, instance: &Value) -> String {
    match kind {
        Kind::Type { kind } => format!("must be {}", types(kind)),
        Kind::Enum { options } => match options.as_array() {
            Some(options) => one_of(options, instance),
            None => "must be an allowed value".to_owned(),
        },
        Kind::Constant { expected_value } => {
            format!("must be {}", cut(&expected_value.to_string()))
        }
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::Pattern { pattern } => format!("must match the pattern {}", cut(pattern)),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("must have no more than {limit} items"),
        Kind::UniqueItems => "must not hold an item twice".to_owned(),
        Kind::MinProperties { limit } => format!("must have at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} properties"),
        Kind::OneOfMultipleValid { .. } => {
            "must fit exactly one of the alternatives and fits several".to_owned()
        }
        Kind::FalseSchema => "must be left out".to_owned(),
        other => format!("breaks the rule {:?} of the schema", other.keyword()),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(single) => article(&single.to_string()),
        TypeKind::Multiple(several) => several
            .iter()
            .map(|single| article(&single.to_string()))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

fn article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

fn one_of(options: &[Value], instance: &Value) -> String {
    let shown: Vec<String> = options
        .iter()
        .take(SHOWN)
        .map(|option| cut(&option.to_string()))
        .collect();
    let more = options.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let nearest = instance
        .as_str()
        .and_then(|given| nearest(given, options.iter().filter_map(Value::as_str)));
    let nearest = nearest.map_or(String::new(), |nearest| {
        format!("; the nearest is {nearest:?}")
    });
    format!("must be one of {}{more}{nearest}", shown.join(", "))
}

fn unknown_property(name: &str, known: &[&str]) -> String {
    let name_cut = cut(name);
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("has no property {name_cut:?}; did you mean {nearest:?}?"),
        None if known.is_empty() => format!("must not have the property {name_cut:?}"),
        None => {
            let shown: Vec<&str> = known.iter().take(SHOWN).copied().collect();
            format!("has no property {name_cut:?}; it has {}", shown.join(", "))
        }
    }
}

/// The properties declared beside the keyword that failed, where the schema's path leads there.
fn known_properties<'a>(error: &ValidationError<'_>, schema: &'a Value) -> Vec<&'a str> {
    let path = error.schema_path().to_string();
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    let properties = schema
        .pointer(&format!("{parent}/properties"))
        .and_then(Value::as_object);
    properties.map_or_else(Vec::new, |properties| {
        properties.keys().map(String::as_str).collect()
    })
}

/// The one word that is likely meant.
fn nearest<'a>(given: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.5;
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
fn given(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {}", cut(&number.to_string())),
        Value::String(text) => format!("the string {:?}", cut(text)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(properties) => format!("an object with {} properties", properties.len()),
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= CUT {
        return text.to_owned();
    }
    text.chars().take(CUT).chain(['…']).collect()
}
