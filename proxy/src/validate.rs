//! Do these arguments fit this schema? JSON Schema 2020-12 (and older dialects by `$schema`),
//! local references only, bounded cost.
//!
//! A schema that cannot be used never blocks its tool: the upstream decides then.

mod advice;
mod cost;
mod graph;
mod pattern;
mod places;
mod report;
mod words;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::spans;
use cost::Cost;
use graph::Graph;
use pattern::BACKTRACKS;

pub use cost::Steps;
pub use places::{Places, escaped};
pub use report::Violation;

/// A compiled input schema, or the reason why there is none.
#[derive(Debug)]
pub struct Validator {
    compiled: Result<Compiled, &'static str>,
}

#[derive(Debug)]
struct Compiled {
    validator: jsonschema::Validator,
    graph: Graph,
    /// Kept for the nearest names of properties.
    schema: Value,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every keyword holds.
    Fits,
    /// At least one violation, most useful first, at most [`MOST`].
    Violates(Vec<Violation>),
    /// The schema cannot be used: the upstream decides. Holds a static name of the reason.
    Unchecked(&'static str),
}

/// Why arguments may go unchecked, as [`Verdict::Unchecked`] says it.
pub const UNCHECKED: [&str; 6] = [
    "schema_too_large",
    "schema_too_deep",
    "schema_does_not_compile",
    "check_too_costly",
    "pattern_too_slow",
    "arguments_out_of_range",
];
/// Violations told at once: a model mends a handful, not a page.
pub const MOST: usize = 5;
/// Violations looked at to choose those from.
const LOOKED_AT: usize = 50;
/// Bytes of a schema beyond which checking is left to the upstream.
const LARGEST: usize = 1024 * 1024;
/// Bytes a compiled pattern may take.
const PATTERN_SIZE: usize = 1024 * 1024;

impl Validator {
    /// Compiles a schema; never fails, since a bad schema must not block its tool.
    #[must_use]
    pub fn compile(schema: &RawValue) -> Self {
        Self {
            compiled: Compiled::new(schema),
        }
    }

    /// Checks arguments.
    #[must_use]
    pub fn check(&self, arguments: &Value) -> Verdict {
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(reason) => return Verdict::Unchecked(reason),
        };
        let is_small = cost::is_small(&compiled.graph, arguments);
        let cost = (!is_small).then(|| cost::of(&compiled.graph, arguments));
        if !cost.is_none_or(Cost::may_check) {
            return Verdict::Unchecked("check_too_costly");
        }
        if compiled.validator.is_valid(arguments) {
            return Verdict::Fits;
        }
        if !cost.is_none_or(Cost::may_explain) {
            return Verdict::Unchecked("check_too_costly");
        }
        let errors = match compiled.errors(arguments) {
            Ok(errors) => errors,
            Err(reason) => return Verdict::Unchecked(reason),
        };
        let errors = errors.iter();
        let mut violations: Vec<Violation> = errors
            .flat_map(|error| report::violations(error, &compiled.schema))
            .take(LOOKED_AT)
            .collect();
        violations.sort_by_key(Violation::urgency);
        violations.dedup();
        violations.truncate(MOST);
        Verdict::Violates(violations)
    }

    /// What does not fit, as the validator says it; the first [`LOOKED_AT`] of it. Takes what that
    /// may cost from the steps that are left.
    ///
    /// # Errors
    /// A static name of the reason why it cannot be checked.
    pub fn errors<'a>(
        &'a self,
        value: &'a Value,
        left: &mut Steps,
    ) -> Result<Vec<ValidationError<'a>>, &'static str> {
        let compiled = self.compiled.as_ref().map_err(|reason| *reason)?;
        if !cost::of(&compiled.graph, value).take_from(left) {
            return Err("check_too_costly");
        }
        compiled.errors(value)
    }

    /// What of the schema may apply to the place at a JSON Pointer into the arguments.
    #[must_use]
    pub fn places(&self, pointer: &str) -> Places<'_> {
        let steps: Vec<String> = spans::steps(pointer).collect();
        match &self.compiled {
            Ok(compiled) => Places::find(&compiled.schema, &steps),
            Err(_) => Places::default(),
        }
    }

    /// Why nothing is checked, where that is so.
    #[must_use]
    pub fn unusable(&self) -> Option<&'static str> {
        self.compiled.as_ref().err().copied()
    }
}

impl Compiled {
    fn errors<'a>(&'a self, value: &'a Value) -> Result<Vec<ValidationError<'a>>, &'static str> {
        let errors = self.validator.iter_errors(value);
        let errors: Vec<_> = errors.take(LOOKED_AT).collect();
        let too_slow = errors.iter().any(|error| {
            matches!(
                error.kind(),
                ValidationErrorKind::BacktrackLimitExceeded { .. }
                    | ValidationErrorKind::RegexEngineFailure { .. }
            )
        });
        if too_slow {
            return Err("pattern_too_slow");
        }
        Ok(errors)
    }

    fn new(schema: &RawValue) -> Result<Self, &'static str> {
        if schema.get().len() > LARGEST {
            return Err("schema_too_large");
        }
        let schema: Value = serde_json::from_str(schema.get()).map_err(|_| "schema_too_deep")?;
        let graph = Graph::new(&schema)?;
        let patterns = PatternOptions::fancy_regex();
        let patterns = patterns
            .backtrack_limit(BACKTRACKS)
            .size_limit(PATTERN_SIZE);
        let options = jsonschema::options()
            .with_pattern_options(patterns)
            .should_validate_formats(false);
        let validator = options
            .offline()
            .build(&schema)
            .map_err(|_| "schema_does_not_compile")?;
        Ok(Self {
            validator,
            graph,
            schema,
        })
    }
}

#[cfg(test)]
mod tests;
