//! Whatever the schema: checked the same each time, with places that are there; and what is shown of
//! it folded fits all that fits the whole.

use std::fmt::Display;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::case::Case;
use crate::fold::within;
use crate::validate::{MOST, Steps, UNCHECKED, Validator, Verdict};

/// Panics where it is not so; how long a check may take is a limit of the fuzzer.
pub fn hold(data: &[u8]) {
    let Some(case) = Case::read(data) else { return };
    let validator = Validator::compile(&case.schema);
    let verdict = validator.check(&case.value);
    let again = Validator::compile(&case.schema).check(&case.value);
    assert_eq!(verdict, again, "{case}");
    let errors = validator.errors(&case.value, &mut Steps::default());
    match &verdict {
        Verdict::Fits => {
            assert!(errors.is_ok_and(|errors| errors.is_empty()), "{case}");
        }
        Verdict::Violates(violations) => {
            assert!((1..=MOST).contains(&violations.len()), "{case}");
            assert!(!errors.is_ok_and(|errors| errors.is_empty()), "{case}");
            for violation in violations {
                let is_there = case.value.pointer(&violation.path).is_some();
                assert!(is_there && !violation.message.is_empty(), "{case}");
            }
        }
        Verdict::Unchecked(reason) => {
            assert!(UNCHECKED.contains(reason), "{case}");
            let unusable = validator.unusable();
            assert!(unusable.is_none_or(|why| why == *reason), "{case}");
        }
    }
    folds(&case, &verdict);
}

fn folds(case: &Case, verdict: &Verdict) {
    let about: Vec<&str> = match verdict {
        Verdict::Violates(violations) => violations
            .iter()
            .flat_map(|violation| violation.about.iter().chain([&violation.path]))
            .map(String::as_str)
            .collect(),
        _ => case.value.as_object().map_or(Vec::new(), |_| vec![""]),
    };
    let length = case.schema.get().len();
    for most in [length, length - 1, length / 2, length / 4] {
        let Some(folded) = within(&case.schema, &about, |text| text.len() <= most) else {
            continue;
        };
        assert!(folded.schema.get().len() <= most, "{case}");
        assert!(most < length || !folded.is_cut, "{case}");
        never_stricter(&folded.schema, &case.value, verdict, case);
    }
}

/// A model that mends by what it is shown must not be led to leave out what was right.
fn never_stricter(folded: &RawValue, value: &Value, verdict: &Verdict, case: &dyn Display) {
    if *verdict == Verdict::Fits {
        let shown = Validator::compile(folded).check(value);
        assert!(
            !matches!(shown, Verdict::Violates(_)),
            "{case}{folded} forbids it"
        );
    }
}
