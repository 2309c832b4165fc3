//! Is there exactly one way to mend this? Rounds of readings, bounded, all outcomes that fit.

use std::collections::HashSet;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::repair::edit;
use crate::repair::kind::Kind;
use crate::repair::outcome::{Doubt, Mended};
use crate::repair::readings::Readings;
use crate::spans::Node;
use crate::validate::{Steps, Validator};

/// Checks against the schema that one call may cost; beyond, nothing is mended.
const MOST_CHECKS: usize = 48;
/// Rounds one outcome may take: text in text in text, and a value in it.
const MOST_ROUNDS: usize = 6;

/// What was made of the arguments so far.
struct State {
    text: Box<RawValue>,
    kinds: Vec<Kind>,
    rounds: usize,
}

/// The one outcome that fits the schema, if all were seen and there is exactly one.
pub(super) fn only_fit(
    validator: &Validator,
    arguments: &RawValue,
    doubt: Doubt,
) -> Option<Mended> {
    let mut open = vec![State {
        text: arguments.to_owned(),
        kinds: Vec::new(),
        rounds: 0,
    }];
    let mut seen = HashSet::from([arguments.get().to_owned()]);
    let mut fit: Option<Mended> = None;
    let mut left = Steps::default();
    for _ in 0..MOST_CHECKS {
        let Some(State {
            text,
            kinds,
            rounds,
        }) = open.pop()
        else {
            return fit;
        };
        let value: Value = serde_json::from_str(text.get()).ok()?;
        let errors = validator.errors(&value, &mut left).ok()?;
        if errors.is_empty() {
            if fit.is_some() {
                return None;
            }
            fit = Some(Mended {
                arguments: text.get().into(),
                kinds,
            });
            continue;
        }
        if rounds == MOST_ROUNDS {
            return None;
        }
        let Some(node) = Node::read(&text) else {
            // A name given twice: what was put in has no certain reading.
            continue;
        };
        let readings = Readings {
            validator,
            text: text.get(),
            node: &node,
            value: &value,
            doubt,
        };
        for edits in readings.all(&errors, rounds == 0)? {
            let Some((text, applied)) = edit::apply(text.get(), edits) else {
                continue;
            };
            if seen.insert(text.get().to_owned()) {
                let mut kinds = kinds.clone();
                for kind in applied {
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                    }
                }
                open.push(State {
                    text,
                    kinds,
                    rounds: rounds + 1,
                });
            }
        }
    }
    // Not all outcomes were seen.
    None
}
