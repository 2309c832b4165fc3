//! What did the model send? The raw arguments of our five, read leniently, values left raw.
//!
//! Models send objects as JSON strings, leave out what is empty and put properties beside `name`
//! that belong into `arguments`; where only one reading makes sense it is taken.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol;
use crate::repair::Kind;

/// What one of our tools cannot make sense of, in a sentence for the model.
pub(super) type Problem = String;

/// The members of one call's arguments, taken out one by one.
#[derive(Debug, Default)]
pub(super) struct Members(protocol::Members);

/// A call of an upstream tool as the model asked for it.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) name: String,
    /// A JSON object, byte for byte where it was one.
    pub(super) arguments: Box<RawValue>,
    /// How the object was come by, where it did not stand in its place.
    pub(super) mended: Vec<Kind>,
}

/// By hand, so that neither the name a caller typed nor an argument is printed.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given").finish_non_exhaustive()
    }
}

impl Members {
    /// Reads an object, or a string that holds one; nothing and null are the empty object.
    pub(super) fn read(raw: Option<&RawValue>) -> Result<Self, Problem> {
        match raw.map(RawValue::get) {
            None | Some("null") => Ok(Self::default()),
            Some(text) => serde_json::from_str(object_text(text).as_ref())
                .map(Self)
                .map_err(|_| "The arguments must be a JSON object.".to_owned()),
        }
    }

    /// Takes a member out; of several of one name the last counts, as for most JSON readers.
    pub(super) fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        let mut taken = None;
        self.0.0.retain_mut(|(key, value)| {
            let wanted = key.name() == name;
            if wanted {
                taken = Some(std::mem::replace(value, RawValue::NULL.to_owned()));
            }
            !wanted
        });
        taken.filter(|value| value.get() != "null")
    }

    /// Takes a member that reads as `T`, given as it is or as text.
    pub(super) fn take_as<T: for<'a> Deserialize<'a>>(
        &mut self,
        name: &str,
        wanted: &str,
    ) -> Result<Option<T>, Problem> {
        let Some(raw) = self.take(name) else {
            return Ok(None);
        };
        let as_it_is = serde_json::from_str(raw.get());
        let as_text = || serde_json::from_str(&serde_json::from_str::<String>(raw.get())?);
        as_it_is
            .or_else(|_| as_text())
            .map(Some)
            .map_err(|_| format!("`{name}` must be {wanted}."))
    }

    /// Takes a list of strings: also one string, or a list in a string.
    pub(super) fn take_strings(&mut self, name: &str) -> Result<Option<Vec<String>>, Problem> {
        let Some(raw) = self.take(name) else {
            return Ok(None);
        };
        if let Ok(list) = serde_json::from_str::<Vec<String>>(raw.get()) {
            return Ok(Some(list));
        }
        let text: String = serde_json::from_str(raw.get())
            .map_err(|_| format!("`{name}` must be a list of strings."))?;
        Ok(Some(
            serde_json::from_str(&text).unwrap_or_else(|_| vec![text]),
        ))
    }

    /// Takes `name` and `arguments` of a call; members beside them are its arguments where there
    /// are no others.
    pub(super) fn into_call(mut self) -> Result<Given, Problem> {
        let name = self.take_as::<String>("name", "the exact name of a tool")?;
        let name = name.filter(|name| !name.trim().is_empty());
        let name = name.ok_or("`name` is missing: the exact name of the tool to call.")?;
        let arguments = self.take("arguments");
        let arguments = arguments.map(|raw| raw.get().to_owned());
        let as_text = arguments
            .as_deref()
            .is_some_and(|text| text.starts_with('"'));
        let given = arguments.as_deref().map(object_text).unwrap_or_default();
        let given = given.trim();
        let is_empty = given.is_empty()
            || serde_json::from_str::<protocol::Members>(given)
                .is_ok_and(|members| members.0.is_empty());
        match (is_empty, self.0.0.as_slice()) {
            (true, []) => Ok(Given {
                name,
                arguments: raw("{}".to_owned()).unwrap_or_default(),
                mended: Vec::new(),
            }),
            (true, _) => Ok(Given {
                name,
                arguments: self.0.to_raw(),
                mended: vec![Kind::BesideName],
            }),
            (false, []) if given.starts_with('{') => {
                let arguments = raw(given.to_owned());
                let arguments = arguments.ok_or("`arguments` must be a JSON object.")?;
                let mended = as_text.then_some(Kind::ArgumentsAsText);
                let mended = mended.into_iter().collect();
                Ok(Given {
                    name,
                    arguments,
                    mended,
                })
            }
            (false, []) => Err("`arguments` must be a JSON object.".to_owned()),
            (false, [(first, _), ..]) => Err(format!(
                "`{}` stands beside `arguments`; put everything that the tool gets into `arguments`.",
                first.name()
            )),
        }
    }
}

/// Strings around strings that are taken off.
const MOST_STRINGS: usize = 4;

/// The text of an object that may have come inside a string, which may have come inside another:
/// where an object must stand there is no other reading of either.
fn object_text(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MOST_STRINGS {
        match serde_json::from_str::<String>(&text) {
            Ok(inner) => text = Cow::Owned(inner),
            Err(_) => break,
        }
    }
    text
}

fn raw(json: String) -> Option<Box<RawValue>> {
    RawValue::from_string(json).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Members;

    fn call(json: &str) -> Result<(String, String), String> {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        let given = Members::read(Some(&raw))?.into_call()?;
        Ok((given.name, given.arguments.get().to_owned()))
    }

    #[test]
    fn calls_are_understood_in_every_shape_with_one_reading() {
        for (json, arguments) in [
            (
                r#"{"name":"a","arguments":{"x":1.10, "y":[]}}"#,
                r#"{"x":1.10, "y":[]}"#,
            ),
            (r#"{"name":"a"}"#, "{}"),
            (r#"{"name":"a","arguments":null}"#, "{}"),
            (r#"{"name":"a","arguments":""}"#, "{}"),
            (
                r#"{"name":"a","arguments":"{\"x\":1.10}"}"#,
                r#"{"x":1.10}"#,
            ),
            (r#"{"name":"a","x":1.10,"y":"z"}"#, r#"{"x":1.10,"y":"z"}"#),
            (r#"{"name":"a","arguments":{},"x":1}"#, r#"{"x":1}"#),
            (
                r#"{"name":"a","arguments":"\"{\\\"x\\\":1.10}\""}"#,
                r#"{"x":1.10}"#,
            ),
            (r#"{"name":"a","arguments":"\"\""}"#, "{}"),
            (
                r#""{\"name\":\"a\",\"arguments\":{\"x\":1}}""#,
                r#"{"x":1}"#,
            ),
        ] {
            assert_eq!(
                call(json),
                Ok(("a".to_owned(), arguments.to_owned())),
                "{json}"
            );
        }
    }

    #[test]
    fn what_has_no_reading_says_what_to_send() {
        for (json, part) in [
            ("{}", "`name` is missing"),
            (r#"{"name":" "}"#, "`name` is missing"),
            (r#"{"name":7}"#, "`name` must be"),
            ("[]", "JSON object"),
            (
                r#"{"name":"a","arguments":[1]}"#,
                "`arguments` must be a JSON object",
            ),
            (
                r#"{"name":"a","arguments":"x"}"#,
                "`arguments` must be a JSON object",
            ),
            (
                r#"{"name":"a","arguments":"\"[1]\""}"#,
                "`arguments` must be a JSON object",
            ),
            (
                r#"{"name":"a","arguments":{"x":1},"y":2}"#,
                "`y` stands beside",
            ),
        ] {
            let problem = call(json).unwrap_err();
            assert!(problem.contains(part), "{json}: {problem}");
        }
    }
}
