//! What did the schema say was meant? Arguments that miss their schema by form alone are given
//! the form it asks for, where nothing can be lost by that and only one reading fits.
//!
//! Guarantees: nothing is touched that fits as it is; what is not mended stays byte for byte;
//! numbers keep their text; the outcome fits the whole schema; of two outcomes that fit, none is
//! taken; the same input gives the same bytes, so every round of one call sends the same. Pure.
//!
//! How: the validator names what does not fit, each complaint has at most a few readings
//! ([`readings`]), and every combination is tried within bounds ([`search`]) until all that fit
//! are known.

mod edit;
mod kind;
mod outcome;
mod readings;
mod scalar;
mod search;

use serde_json::value::RawValue;

use crate::validate::Validator;

pub use kind::Kind;
pub use outcome::{Doubt, Mended};

/// Bytes of arguments beyond which nothing is mended.
const LARGEST: usize = 256 * 1024;

/// Mends arguments that were checked and do not fit; `None` leaves them as they are.
#[must_use]
pub fn mend(validator: &Validator, arguments: &RawValue, doubt: Doubt) -> Option<Mended> {
    if arguments.get().len() > LARGEST {
        return None;
    }
    search::only_fit(validator, arguments, doubt)
}

#[cfg(test)]
mod tests;
