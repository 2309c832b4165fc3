//! How is a violation said? In words a model can act on: where, what was wanted, what was there.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use crate::spans::steps;
use crate::validate::advice;
use crate::validate::places::{Places, escaped};
use crate::validate::words::{article, cut, given, nearest};

/// One way in which arguments do not fit: never the whole value that was given.
#[derive(Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON Pointer into the arguments; empty for the root.
    pub path: String,
    /// The keyword that failed ("required", "type", "enum", …).
    pub keyword: String,
    /// A sentence's end that a model can act on: "must be …, but is …".
    pub message: String,
    /// JSON Pointers into the arguments to places whose schema helps to mend it.
    pub about: Vec<String>,
}

/// By hand, so that nothing of the arguments is printed.
impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Violation")
            .field("keyword", &self.keyword)
            .finish_non_exhaustive()
    }
}

/// Complaints of one alternative that are looked at.
const LOOKED_AT: usize = 50;
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
            let mut closest = closest(error.instance_path().as_str(), context)
                .iter()
                .flat_map(|error| violations(error, schema))
                .take(LOOKED_AT)
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
            let mut missing = violation(error, lacking(error, schema, name));
            missing.about = vec![member(error, name)];
            vec![missing]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let path: Vec<String> = steps(error.instance_path().as_str()).collect();
            let known = Places::find(schema, &path).properties();
            let told = unexpected.iter().take(SHOWN).map(|name| {
                let meant = nearest(name, known.iter().copied());
                let mut unknown = violation(error, unknown_property(name, meant, &known));
                unknown
                    .about
                    .extend(meant.map(|meant| member(error, meant)));
                unknown
            });
            told.collect()
        }
        kind => vec![violation(
            error,
            format!(
                "{}, but is {}{}",
                wanted(kind, error.instance()),
                given(error.instance()),
                advice::certain(kind, error.instance())
                    .map_or(String::new(), |advice| format!("; {advice}"))
            ),
        )],
    }
}

fn violation(error: &ValidationError<'_>, message: String) -> Violation {
    Violation {
        path: error.instance_path().to_string(),
        keyword: error.kind().keyword().to_owned(),
        message,
        about: vec![error.instance_path().to_string()],
    }
}

/// The pointer to a member of what the error is about.
fn member(error: &ValidationError<'_>, name: &str) -> String {
    format!("{}/{}", error.instance_path(), escaped(name))
}

/// What is missing, of which type, and the member that may be a slip of its name.
fn lacking(error: &ValidationError<'_>, schema: &Value, name: &str) -> String {
    let path: Vec<String> = steps(&member(error, name)).collect();
    let types = Places::find(schema, &path).schemas;
    let types = types
        .iter()
        .find_map(|(_, schema)| schema.get("type")?.as_str());
    let types = types.map_or(String::new(), |name| format!(", {}", article(name)));
    let beside: Vec<String> = steps(error.instance_path().as_str()).collect();
    let declared = Places::find(schema, &beside).properties();
    let given = error.instance().as_object();
    let undeclared = given.into_iter().flat_map(|given| given.keys());
    let undeclared = undeclared.filter(|key| !declared.contains(&key.as_str()));
    let slip = nearest(name, undeclared.map(String::as_str)).map_or(String::new(), |slip| {
        format!("; is {:?} meant? Call it {name:?}", cut(slip))
    });
    format!("lacks the required property {name:?}{types}{slip}")
}

/// The branch with the fewest errors; one for another kind of thing comes later, one for another
/// type of value last.
fn closest<'a>(
    path: &str,
    branches: &'a [Vec<ValidationError<'static>>],
) -> &'a [ValidationError<'static>] {
    let distance = |branch: &&'a Vec<ValidationError<'static>>| {
        let wrong_type = branch.iter().any(|error| {
            error.instance_path().as_str() == path && matches!(error.kind(), Kind::Type { .. })
        });
        // The member that says which alternative is meant ("kind", "action") says another one.
        let other_kind = branch.iter().any(|error| {
            matches!(error.kind(), Kind::Constant { .. }) && error.instance_path().as_str() != path
        });
        (wrong_type, other_kind, branch.len())
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

fn unknown_property(name: &str, meant: Option<&str>, known: &[&str]) -> String {
    let name_cut = cut(name);
    match meant {
        Some(meant) => format!("has no property {name_cut:?}; did you mean {meant:?}?"),
        None if known.is_empty() => format!("must not have the property {name_cut:?}"),
        None => {
            let shown: Vec<&str> = known.iter().take(SHOWN).copied().collect();
            format!("has no property {name_cut:?}; it has {}", shown.join(", "))
        }
    }
}
