//! What is mended fits, says what was said, and is the same each time.

use serde_json::value::RawValue;

use crate::case::Case;
use crate::protocol::Members;
use crate::repair::{Doubt, Kind, mend};
use crate::validate::{Validator, Verdict};

/// Panics where it is not so.
pub fn hold(data: &[u8]) {
    let Some(case) = Case::read(data) else { return };
    let validator = Validator::compile(&case.schema);
    let verdict = validator.check(&case.value);
    for doubt in [Doubt::Likelier, Doubt::Neither] {
        let mended = mend(&validator, &case.arguments, doubt);
        assert_eq!(mended, mend(&validator, &case.arguments, doubt), "{case}");
        let Some(mended) = mended else { continue };
        let arguments: Box<RawValue> = serde_json::from_str(&mended.arguments)
            .unwrap_or_else(|_| panic!("{case}{} is no JSON", mended.arguments));
        let value = serde_json::from_str(arguments.get());
        let fits = value.is_ok_and(|value| validator.check(&value) == Verdict::Fits);
        assert!(fits, "{case}{arguments} does not fit");
        if verdict == Verdict::Fits {
            let untouched = mended.kinds.is_empty() && arguments.get() == case.arguments.get();
            assert!(untouched, "{case}{arguments} fitted before");
        }
        let is_unwrapped = mended.kinds.contains(&Kind::Wrapper);
        let said = said(&case.arguments, is_unwrapped);
        assert_eq!(said, self::said(&arguments, false), "{case}{arguments}");
    }
}

/// All that a value says, in order of nothing: every scalar with the names that lead to it. Names
/// without case, hyphens and underscores; texts without case, and where they are JSON objects or
/// lists as what these say. Nulls say nothing.
fn said(value: &RawValue, is_wrapped: bool) -> Vec<String> {
    let mut said = Vec::new();
    if is_wrapped {
        let members = Members::read(value).unwrap_or_default();
        for (_, value) in members.0 {
            say(&value, "", &mut said);
        }
    } else {
        say(value, "", &mut said);
    }
    said.sort();
    said
}

fn say(value: &RawValue, place: &str, said: &mut Vec<String>) {
    let raw = value.get();
    if let Some(members) = Members::read(value) {
        for (name, value) in members.0 {
            let name = name.name().replace(['-', '_'], "").to_lowercase();
            say(&value, &format!("{place}/{name}"), said);
        }
    } else if let Ok(items) = serde_json::from_str::<Vec<Box<RawValue>>>(raw) {
        for item in items {
            say(&item, place, said);
        }
    } else if let Ok(text) = serde_json::from_str::<String>(raw) {
        let is_held = text.trim_start().starts_with(['{', '[']);
        let held = is_held.then(|| serde_json::from_str::<Box<RawValue>>(&text));
        match held {
            Some(Ok(held)) => say(&held, place, said),
            _ => said.push(format!("{place} {}", text.to_lowercase())),
        }
    } else if raw != "null" {
        said.push(format!("{place} {}", raw.to_lowercase()));
    }
}
