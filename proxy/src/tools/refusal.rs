//! What is the model told when the answer is no? What is wrong, and the next step.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::catalog::{Access, Entry};
use crate::fold::{self, Folded};
use crate::tools::answer::Outcome;
use crate::validate::Violation;

/// Why a call was not sent.
pub(super) enum Refusal {
    /// No tool has this name.
    Unknown {
        name: String,
        /// The tool it is clearly a slip of.
        intended: Option<Arc<Entry>>,
        similar: Vec<String>,
        total: usize,
        /// The list could not be refreshed, so that a new tool would be missing from it.
        stale: bool,
    },
    /// A read tool was used for something that may write.
    NotReadOnly { name: String },
    /// The arguments do not fit.
    Arguments {
        entry: Arc<Entry>,
        violations: Vec<Violation>,
    },
    /// The upstream itself said that the arguments do not fit.
    ByUpstream { entry: Arc<Entry>, message: String },
    /// The tool runs as a task only, which a caller without tasks cannot follow.
    TaskOnly { name: String },
}

/// Bytes of a schema that a refusal repeats, some 2,000 tokens; what does not help is folded, and
/// what is too large even so is a call of `describe_tool` away.
const SCHEMA: usize = 8 * 1024;
/// Characters of an upstream's message that are repeated.
const MESSAGE: usize = 2000;

/// By hand, so that neither a name a caller typed nor what the upstream said is printed.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Refusal").field(&self.outcome()).finish()
    }
}

impl Refusal {
    pub(super) const fn outcome(&self) -> Outcome {
        match self {
            Self::Unknown { .. } => Outcome::UnknownName,
            Self::NotReadOnly { .. } => Outcome::NotReadOnly,
            Self::Arguments { .. } | Self::ByUpstream { .. } => Outcome::InvalidArguments,
            Self::TaskOnly { .. } => Outcome::ToolError,
        }
    }

    /// Whole sentences, the next step included.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Unknown {
                name,
                intended: Some(entry),
                ..
            } => {
                let by = match entry.access {
                    Access::Read => "call_read_tool",
                    Access::Write => "call_write_tool",
                };
                let meant = &entry.tool.name;
                format!(
                    "There is no tool {name:?}; nothing was called. You seem to mean {meant:?}: call it by \
                     that name with {by}.\n{}",
                    schema_of(entry, &[])
                )
            }
            Self::Unknown {
                name,
                intended: None,
                similar,
                total,
                stale,
            } => unknown(name, similar, *total, *stale),
            Self::NotReadOnly { name } => format!(
                "{name:?} may change something, so it cannot be called with a read tool; nothing was \
                 called. Use call_write_tool with the same name and arguments."
            ),
            Self::Arguments { entry, violations } => {
                let mut text = format!(
                    "The arguments do not fit {:?}; nothing was called.\n",
                    entry.tool.name
                );
                for Violation {
                    path,
                    keyword: _,
                    message,
                    about: _,
                } in violations
                {
                    let at = if path.is_empty() {
                        "the arguments"
                    } else {
                        path
                    };
                    // Writing to a string never fails.
                    let _ = writeln!(text, "- {at}: {message}");
                }
                let about = violations.iter().flat_map(|violation| &violation.about);
                let about: Vec<&str> = about.map(String::as_str).collect();
                text + &schema_of(entry, &about)
            }
            Self::ByUpstream { entry, message } => {
                let message: String = message.chars().take(MESSAGE).collect();
                let name = &entry.tool.name;
                format!(
                    "The server refused the arguments of {name:?}: {message}\n{}",
                    schema_of(entry, &[])
                )
            }
            Self::TaskOnly { name } => format!(
                "{name:?} runs only as a task, which cannot be followed from here; nothing was called. \
                 Look for another tool with search_tools."
            ),
        }
    }
}

fn unknown(name: &str, similar: &[String], total: usize, stale: bool) -> String {
    let mut text = format!(
        "There is no tool {name:?} among the {total} that can be called; nothing was called."
    );
    if !similar.is_empty() {
        let similar = similar
            .iter()
            .map(|name| format!("{name:?}"))
            .collect::<Vec<_>>()
            .join(", ");
        let _ = write!(text, " The closest names are {similar}.");
    }
    if stale {
        text.push_str(" The list is an older one, because the server cannot be listed now: the tool may be new.");
    }
    text.push_str(" Find the right one with search_tools.");
    text
}

/// The schema as far as it helps at these places of the arguments (JSON Pointers).
pub(super) fn schema_of(entry: &Entry, about: &[&str]) -> String {
    let schema = &entry.tool.input_schema;
    match fold::within(schema, about, |json| json.len() <= SCHEMA) {
        Some(Folded { schema, is_cut }) => {
            let folded = if is_cut {
                " (folded; describe_tool gives the whole)"
            } else {
                ""
            };
            format!("Its input schema{folded}: {schema}")
        }
        None => format!(
            "Read its input schema with describe_tool {:?}.",
            entry.tool.name
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use expect_test::{Expect, expect};
    use serde_json::value::RawValue;

    use super::Refusal;
    use crate::catalog::{Access, Entry};
    use crate::protocol::Tool;
    use crate::validate::Violation;

    fn entry() -> Arc<Entry> {
        let raw = r#"{"name":"desk_get","inputSchema":{"type":"object","required":["id"]}}"#;
        let raw = RawValue::from_string(raw.to_owned()).unwrap();
        Arc::new(Entry::new(Tool::parse(raw).unwrap(), Access::Read))
    }

    fn check(refusal: &Refusal, expected: &Expect) {
        expected.assert_eq(&refusal.text());
    }

    #[test]
    fn every_refusal_says_the_next_step() {
        let unknown = |intended, similar: &[&str], stale| Refusal::Unknown {
            name: "desk-get".to_owned(),
            intended,
            similar: similar.iter().map(|name| (*name).to_owned()).collect(),
            total: 500,
            stale,
        };
        check(
            &unknown(Some(entry()), &[], false),
            &expect![[r#"
            There is no tool "desk-get"; nothing was called. You seem to mean "desk_get": call it by that name with call_read_tool.
            Its input schema: {"type":"object","required":["id"]}"#]],
        );
        check(
            &unknown(None, &["desk_get", "desk_set"], false),
            &expect![[
                r#"There is no tool "desk-get" among the 500 that can be called; nothing was called. The closest names are "desk_get", "desk_set". Find the right one with search_tools."#
            ]],
        );
        check(
            &unknown(None, &[], true),
            &expect![[
                r#"There is no tool "desk-get" among the 500 that can be called; nothing was called. The list is an older one, because the server cannot be listed now: the tool may be new. Find the right one with search_tools."#
            ]],
        );
        check(
            &Refusal::NotReadOnly {
                name: "desk_set".to_owned(),
            },
            &expect![[
                r#""desk_set" may change something, so it cannot be called with a read tool; nothing was called. Use call_write_tool with the same name and arguments."#
            ]],
        );
        let violation = |path: &str, message: &str| Violation {
            path: path.to_owned(),
            keyword: String::new(),
            message: message.to_owned(),
            about: Vec::new(),
        };
        let violations = vec![
            violation("", "lacks the required property \"id\""),
            violation("/n", "must be an integer"),
        ];
        check(
            &Refusal::Arguments {
                entry: entry(),
                violations,
            },
            &expect![[r#"
            The arguments do not fit "desk_get"; nothing was called.
            - the arguments: lacks the required property "id"
            - /n: must be an integer
            Its input schema: {"type":"object","required":["id"]}"#]],
        );
        check(
            &Refusal::ByUpstream {
                entry: entry(),
                message: "id is bad".to_owned(),
            },
            &expect![[r#"
            The server refused the arguments of "desk_get": id is bad
            Its input schema: {"type":"object","required":["id"]}"#]],
        );
        check(
            &Refusal::TaskOnly {
                name: "desk_run".to_owned(),
            },
            &expect![[
                r#""desk_run" runs only as a task, which cannot be followed from here; nothing was called. Look for another tool with search_tools."#
            ]],
        );
    }
}
