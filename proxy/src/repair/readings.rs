//! What may be meant by what does not fit? For each complaint of the validator the edits that
//! would give the value its form, by rules that lose nothing.

use std::ops::Range;

use jsonschema::error::{TypeKind, ValidationErrorKind as Complaint};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::repair::edit::Edit;
use crate::repair::kind::Kind;
use crate::repair::outcome::Doubt;
use crate::repair::scalar;
use crate::spans::{Node, parent};
use crate::validate::Validator;

/// Everything the complaints are about.
pub(super) struct Readings<'a> {
    pub(super) validator: &'a Validator,
    pub(super) text: &'a str,
    pub(super) node: &'a Node,
    pub(super) value: &'a Value,
    pub(super) doubt: Doubt,
}

/// Edits that belong together: one way to read the whole.
type Reading = Vec<Edit>;

/// Ways to read one text that are looked at.
const MOST: usize = 16;
/// Complaints that are looked at in one round.
const LOOKED_AT: usize = 64;
/// Names that models put around the arguments.
const WRAPPERS: [&str; 14] = [
    "input",
    "inputs",
    "tool_input",
    "params",
    "parameters",
    "arguments",
    "args",
    "kwargs",
    "request",
    "body",
    "payload",
    "data",
    "json",
    "properties",
];
/// What separates a list in a text: then the text may be several values, not one.
const SEPARATORS: [char; 4] = [',', ';', '\n', '|'];

impl Readings<'_> {
    /// Every combination, at most [`MOST`]; more than that is `None`.
    pub(super) fn all(&self, errors: &[ValidationError<'_>], first: bool) -> Option<Vec<Reading>> {
        if errors.len() > LOOKED_AT {
            return None;
        }
        let mut all = self.together(errors)?;
        if first {
            all.extend(self.unwrapped());
        }
        Some(all)
    }

    /// Combinations of the readings of complaints that hold at the same time.
    fn together(&self, errors: &[ValidationError<'_>]) -> Option<Vec<Reading>> {
        let mut all: Vec<Reading> = vec![Vec::new()];
        for error in errors {
            let own = self.of(error)?;
            if own.is_empty() {
                // Another complaint's reading may settle this one too; the next check tells.
                continue;
            }
            if all.len() * own.len() > MOST {
                return None;
            }
            all = all
                .iter()
                .flat_map(|reading| {
                    own.iter()
                        .map(move |more| [reading.as_slice(), more.as_slice()].concat())
                })
                .collect();
        }
        all.retain(|reading| !reading.is_empty());
        Some(all)
    }

    fn of(&self, error: &ValidationError<'_>) -> Option<Vec<Reading>> {
        let path = error.instance_path().as_str();
        let Some(node) = self.node.at(path) else {
            return Some(Vec::new());
        };
        let given = error.instance();
        let mut readings = match error.kind() {
            Complaint::Type { kind } => self.of_type(path, node, kind),
            Complaint::Enum { options } => match options.as_array() {
                Some(options) => self.of_options(node, given, options),
                None => Vec::new(),
            },
            Complaint::Constant { expected_value } => {
                self.of_options(node, given, std::slice::from_ref(expected_value.as_ref()))
            }
            Complaint::Required { property } => {
                let property = property.as_str().unwrap_or_default();
                self.renamed(path, node, property)
            }
            Complaint::AdditionalProperties { unexpected }
            | Complaint::UnevaluatedProperties { unexpected } => {
                let mut edits = Vec::new();
                for name in unexpected {
                    edits.extend(self.renaming(path, node, name).map(|(edit, _)| edit));
                }
                edits
            }
            Complaint::AnyOf { context } | Complaint::OneOfNotValid { context } => {
                return self.of_branches(path, node, given, context);
            }
            _ => Vec::new(),
        };
        let is_enum = matches!(
            error.kind(),
            Complaint::Enum { .. } | Complaint::Constant { .. }
        );
        if given.is_null() && (is_enum || matches!(error.kind(), Complaint::Type { .. })) {
            readings.extend(self.left_out(path));
        }
        // Edits of one complaint about several members belong together.
        Some(match error.kind() {
            Complaint::AdditionalProperties { .. } | Complaint::UnevaluatedProperties { .. } => {
                if readings.is_empty() {
                    Vec::new()
                } else {
                    vec![readings]
                }
            }
            _ => readings.into_iter().map(|edit| vec![edit]).collect(),
        })
    }

    fn of_branches(
        &self,
        path: &str,
        node: &Node,
        given: &Value,
        branches: &[Vec<ValidationError<'static>>],
    ) -> Option<Vec<Reading>> {
        // Where a branch takes a value of this type and wants it otherwise, its type is right.
        let type_is_right = branches.iter().any(|branch| {
            !branch
                .iter()
                .any(|error| error.instance_path().as_str() == path && is_about_type(error))
        });
        let mut readings: Vec<Reading> = Vec::new();
        for branch in branches {
            if branch.len() > LOOKED_AT {
                return None;
            }
            for reading in self.together(branch)? {
                let retyped = reading.iter().any(|edit| edit.at == node.span);
                let wanted = !retyped || !type_is_right;
                if wanted && !readings.contains(&reading) {
                    readings.push(reading);
                }
            }
        }
        if given.is_null() {
            let left_out = self.left_out(path).map(|edit| vec![edit]);
            readings.extend(left_out.filter(|reading| !readings.contains(reading)));
        }
        (readings.len() <= MOST).then_some(readings)
    }

    fn of_type(&self, path: &str, node: &Node, kind: &TypeKind) -> Vec<Edit> {
        let wants = |wanted: JsonType| match kind {
            TypeKind::Single(single) => *single == wanted,
            TypeKind::Multiple(several) => several.contains(wanted),
        };
        let raw = self.raw(&node.span);
        let edit = |with: String, kind: Kind| Edit {
            at: node.span.clone(),
            with,
            kind,
        };
        let mut edits = Vec::new();
        let text = serde_json::from_str::<String>(raw).ok();
        let holds_list = text.as_deref().and_then(|text| json_of(text, '['));
        if let Some(text) = &text {
            let types = [JsonType::Boolean, JsonType::Integer, JsonType::Number];
            let scalars = types.into_iter().filter(|wanted| wants(*wanted));
            if let Some(kind) = scalars
                .filter_map(|wanted| scalar::of_text(text, wanted))
                .next()
            {
                edits.push(edit(text.clone(), kind));
            }
            if wants(JsonType::Object)
                && let Some(object) = json_of(text, '{')
            {
                edits.push(edit(object, Kind::JsonAsText));
            }
            if wants(JsonType::Array)
                && let Some(list) = &holds_list
            {
                edits.push(edit(list.clone(), Kind::JsonAsText));
            }
        }
        let (is_number, is_boolean) = (
            raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()),
            ["true", "false"].contains(&raw),
        );
        if wants(JsonType::String) && (is_number || is_boolean) {
            let kind = if is_number {
                Kind::TextAsNumber
            } else {
                Kind::TextAsBoolean
            };
            edits.push(edit(format!("\"{raw}\""), kind));
        }
        let is_scalar = text.is_some() || is_number || is_boolean;
        let may_be_several = match (&text, &holds_list) {
            (Some(_), Some(_)) => self.doubt == Doubt::Likelier,
            (Some(text), None) => text.contains(SEPARATORS) || json_of(text, '{').is_some(),
            (None, _) => false,
        };
        if wants(JsonType::Array)
            && is_scalar
            && !may_be_several
            && self.validator.places(path).says_items()
        {
            edits.push(edit(format!("[{raw}]"), Kind::ScalarForList));
        }
        edits
    }

    /// The one allowed value that is this but for case, or but for being text.
    fn of_options(&self, node: &Node, given: &Value, options: &[Value]) -> Vec<Edit> {
        let raw = self.raw(&node.span);
        let mut found = options.iter().filter_map(|option| {
            let kind = match (given, option) {
                (Value::String(given), Value::String(option)) => {
                    (given.to_lowercase() == option.to_lowercase()).then_some(Kind::ValueCase)
                }
                (Value::String(given), Value::Number(option)) => {
                    (option.to_string() == *given).then_some(Kind::NumberAsText)
                }
                (Value::String(given), Value::Bool(option)) => {
                    (option.to_string() == *given).then_some(Kind::BooleanAsText)
                }
                (Value::Number(_), Value::String(option)) => {
                    (option == raw).then_some(Kind::TextAsNumber)
                }
                (Value::Bool(_), Value::String(option)) => {
                    (option == raw).then_some(Kind::TextAsBoolean)
                }
                _ => None,
            }?;
            Some((option.to_string(), kind))
        });
        match (found.next(), found.next()) {
            (Some((with, kind)), None) => vec![Edit {
                at: node.span.clone(),
                with,
                kind,
            }],
            _ => Vec::new(),
        }
    }

    /// The member that means a declared name which was not given.
    fn renamed(&self, path: &str, node: &Node, to: &str) -> Vec<Edit> {
        let wanted = letters(to);
        let members = node.members().iter();
        members
            .filter(|member| letters(&member.key) == wanted)
            .filter_map(|member| self.renaming(path, node, &member.key))
            .filter(|(_, name)| *name == to)
            .map(|(edit, _)| edit)
            .collect()
    }

    /// `name` is declared nowhere, one declared name has its letters, and no other member does.
    fn renaming(&self, path: &str, node: &Node, name: &str) -> Option<(Edit, String)> {
        let places = self.validator.places(path);
        let declared = places.properties();
        if places.partial || declared.contains(&name) {
            return None;
        }
        let letters = letters(name);
        let alike = |other: &&str| self::letters(other) == letters;
        let mut names = declared.iter().copied().filter(alike);
        let meant = names.next().filter(|_| names.next().is_none())?;
        let mut given = node
            .members()
            .iter()
            .filter(|member| alike(&member.key.as_str()));
        let member = given.next().filter(|_| given.next().is_none())?;
        let edit = Edit {
            at: member.key_span.clone(),
            with: Value::from(meant).to_string(),
            kind: Kind::PropertyName,
        };
        Some((edit, meant.to_owned()))
    }

    /// The member at this path taken out, with one of its commas.
    fn left_out(&self, path: &str) -> Option<Edit> {
        let (parent, name) = parent(path)?;
        let members = self.node.at(parent)?.members();
        let position = members.iter().position(|member| member.key == name)?;
        let member = &members[position];
        let at = match (members.get(position + 1), position.checked_sub(1)) {
            (Some(next), _) => member.key_span.start..next.key_span.start,
            (None, Some(before)) => members[before].value.span.end..member.value.span.end,
            (None, None) => member.key_span.start..member.value.span.end,
        };
        Some(Edit {
            at,
            with: String::new(),
            kind: Kind::NullForAbsent,
        })
    }

    /// The object that is the only member of the arguments, under a name no property has.
    fn unwrapped(&self) -> Option<Reading> {
        let [member] = self.node.members() else {
            return None;
        };
        let places = self.validator.places("");
        let known = places.partial || places.properties().contains(&member.key.as_str());
        if known || !WRAPPERS.contains(&member.key.to_lowercase().as_str()) {
            return None;
        }
        let raw = self.raw(&member.value.span);
        let inner = match self.value.get(&member.key)? {
            Value::Object(_) => raw.to_owned(),
            Value::String(text) => json_of(text, '{')?,
            _ => return None,
        };
        Some(vec![Edit {
            at: self.node.span.clone(),
            with: inner,
            kind: Kind::Wrapper,
        }])
    }

    fn raw(&self, span: &Range<usize>) -> &str {
        &self.text[span.clone()]
    }
}

/// Whether a complaint says that a value of another type is wanted.
fn is_about_type(error: &ValidationError<'_>) -> bool {
    matches!(
        error.kind(),
        Complaint::Type { .. } | Complaint::Enum { .. } | Complaint::Constant { .. }
    )
}

/// The JSON of an object or a list that a text holds whole.
fn json_of(text: &str, opening: char) -> Option<String> {
    let text = text.trim();
    let json = text.starts_with(opening).then(|| text.to_owned())?;
    RawValue::from_string(json.clone()).ok()?;
    Some(json)
}

/// A name without case, hyphens and underscores.
fn letters(name: &str) -> String {
    name.chars()
        .filter(|character| !['-', '_'].contains(character))
        .flat_map(char::to_lowercase)
        .collect()
}
