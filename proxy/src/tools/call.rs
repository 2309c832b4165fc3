//! The guard: which call may be sent, and with what?
//!
//! Guarantees: a read tool never reaches anything but a tool that is read-only for this caller,
//! by this caller's own catalog, decided before anything is sent; nothing is sent whose arguments
//! do not fit; a call that did not pass cannot be expressed, because only this file makes a
//! [`ReadCall`] or a [`WriteCall`]; and it alone calls the upstream.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::caller::Caller;
use crate::catalog::{Access, Catalog, Entry};
use crate::repair::{self, Doubt, Kind, Mended};
use crate::tools::arguments::Given;
use crate::tools::refusal::Refusal;
use crate::upstream::{Call, CallContext, Error, Received, Upstream};
use crate::validate::Verdict;

/// A call of a tool that only reads.
#[derive(Debug)]
pub(super) struct ReadCall(Admitted);

/// A call of any tool, through the tool that says so.
#[derive(Debug)]
pub(super) struct WriteCall(Admitted);

/// A call whose tool exists and whose arguments fit.
struct Admitted {
    entry: Arc<Entry>,
    arguments: Box<RawValue>,
    care: Care,
}

/// By hand, so that no argument is printed.
impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admitted")
            .field("tool", &self.entry.tool.name)
            .finish_non_exhaustive()
    }
}

/// What the guard had to do, or to leave to others.
#[derive(Debug, Clone, Default)]
pub(super) struct Care {
    /// What was mended, in order.
    pub(super) mended: Vec<Kind>,
    /// Why the arguments were not checked here.
    pub(super) unchecked: Option<&'static str>,
}

/// Names shown for one that no tool has.
const SIMILAR: usize = 3;

/// Decides on a call through one of the read tools.
pub(super) fn read(catalog: &Catalog, given: &Given) -> Result<ReadCall, Refusal> {
    let entry = find(catalog, &given.name)?;
    let mut call = admit_read(entry, &given.arguments)?;
    call.0
        .care
        .mended
        .splice(0..0, given.mended.iter().copied());
    Ok(call)
}

/// Decides on a call through the write tool.
pub(super) fn write(catalog: &Catalog, given: &Given) -> Result<WriteCall, Refusal> {
    let entry = find(catalog, &given.name)?;
    let mut admitted = admit(entry, &given.arguments)?;
    admitted
        .care
        .mended
        .splice(0..0, given.mended.iter().copied());
    Ok(WriteCall(admitted))
}

fn admit_read(entry: &Arc<Entry>, arguments: &RawValue) -> Result<ReadCall, Refusal> {
    match entry.access {
        Access::Read => admit(entry, arguments).map(ReadCall),
        Access::Write => Err(Refusal::NotReadOnly {
            name: entry.tool.name.clone(),
        }),
    }
}

fn admit(entry: &Arc<Entry>, arguments: &RawValue) -> Result<Admitted, Refusal> {
    if entry.tool.task_required {
        return Err(Refusal::TaskOnly {
            name: entry.tool.name.clone(),
        });
    }
    // What cannot be read here (numbers beyond a double, very deep nesting) is not known to be wrong.
    let verdict = match serde_json::from_str::<Value>(arguments.get()) {
        Ok(value) => entry.check(&value),
        Err(_) => Verdict::Unchecked("arguments_out_of_range"),
    };
    let mut care = Care::default();
    let mut arguments = arguments.to_owned();
    match verdict {
        Verdict::Fits => (),
        Verdict::Unchecked(reason) => care.unchecked = Some(reason),
        Verdict::Violates(violations) => match mend(entry, &arguments) {
            Some((mended, kinds)) => {
                arguments = mended;
                care.mended = kinds;
            }
            None => {
                return Err(Refusal::Arguments {
                    entry: Arc::clone(entry),
                    violations,
                });
            }
        },
    }
    Ok(Admitted {
        entry: Arc::clone(entry),
        arguments,
        care,
    })
}

fn mend(entry: &Entry, arguments: &RawValue) -> Option<(Box<RawValue>, Vec<Kind>)> {
    let doubt = match entry.access {
        Access::Read => Doubt::Likelier,
        Access::Write => Doubt::Neither,
    };
    let Mended { arguments, kinds } = repair::mend(entry.validator(), arguments, doubt)?;
    let arguments = RawValue::from_string(arguments.into()).ok()?;
    Some((arguments, kinds))
}

fn find<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a Arc<Entry>, Refusal> {
    catalog.find(name).ok_or_else(|| {
        let similar = catalog.similar(name, SIMILAR).into_iter();
        Refusal::Unknown {
            name: name.to_owned(),
            intended: catalog.intended(name).cloned(),
            similar: similar.map(|entry| entry.tool.name.clone()).collect(),
            total: catalog.len(),
            stale: catalog.staleness().is_some(),
        }
    })
}

impl ReadCall {
    /// Sends it; a lost answer is asked for once more, since reading twice changes nothing.
    pub(super) async fn forward(
        &self,
        upstream: &Upstream,
        caller: &Caller,
        context: &CallContext,
        began: Instant,
    ) -> Result<Received, Error> {
        self.0.forward(upstream, caller, context, true, began).await
    }

    pub(super) const fn entry(&self) -> &Arc<Entry> {
        &self.0.entry
    }

    pub(super) const fn care(&self) -> &Care {
        &self.0.care
    }
}

impl WriteCall {
    /// Sends it, once. A tool that is read-only may come this way too, and keeps its retry.
    pub(super) async fn forward(
        &self,
        upstream: &Upstream,
        caller: &Caller,
        context: &CallContext,
        began: Instant,
    ) -> Result<Received, Error> {
        let repeatable = self.0.entry.access == Access::Read;
        let admitted = &self.0;
        admitted
            .forward(upstream, caller, context, repeatable, began)
            .await
    }

    pub(super) const fn entry(&self) -> &Arc<Entry> {
        &self.0.entry
    }

    pub(super) const fn care(&self) -> &Care {
        &self.0.care
    }
}

impl Admitted {
    async fn forward(
        &self,
        upstream: &Upstream,
        caller: &Caller,
        context: &CallContext,
        repeatable: bool,
        began: Instant,
    ) -> Result<Received, Error> {
        let call = Call {
            tool: &self.entry.tool,
            arguments: &self.arguments,
            repeatable,
            context,
            began,
        };
        upstream.call(caller, call).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use globset::{Glob, GlobSet};
    use serde_json::value::RawValue;

    use super::{admit, admit_read};
    use crate::catalog::{Entry, Policy};
    use crate::protocol::Tool;

    fn globs(pattern: Option<&str>) -> GlobSet {
        let globs = pattern.map(|pattern| Glob::new(pattern).unwrap());
        globs
            .into_iter()
            .fold(&mut GlobSet::builder(), |set, glob| set.add(glob))
            .build()
            .unwrap()
    }

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    /// annotation × listed as write × listed as read × hints trusted × arguments fit, for both
    /// ways in: what is expected is said here once more, in the plainest form there is.
    #[test]
    fn the_guard_decides_by_annotation_lists_tool_used_and_arguments() {
        let mut cases = 0;
        for hint in [None, Some(false), Some(true)] {
            for written in [None, Some("t_*"), Some("t_one"), Some("other")] {
                for vouched in [None, Some("t_*"), Some("other")] {
                    for trust_hints in [true, false] {
                        let policy = Policy {
                            write_tools: globs(written),
                            read_tools: globs(vouched),
                            trust_hints,
                        };
                        let hint_json =
                            hint.map_or("null".to_owned(), |hint: bool| hint.to_string());
                        let tool = Tool::parse(raw(&format!(
                            r#"{{"name":"t_one","inputSchema":{{"type":"object","required":["a"]}},"annotations":{{"readOnlyHint":{hint_json}}}}}"#
                        )))
                        .unwrap();
                        let access = policy.access(&tool);
                        let entry = Arc::new(Entry::new(tool, access));
                        let listed_as_write = matches!(written, Some("t_*" | "t_one"));
                        let reads = !listed_as_write
                            && (vouched == Some("t_*") || (trust_hints && hint == Some(true)));
                        for (arguments, fits) in [(r#"{"a":1}"#, true), ("{}", false)] {
                            let by_read = admit_read(&entry, &raw(arguments));
                            assert_eq!(
                                by_read.is_ok(),
                                reads && fits,
                                "{hint:?} {written:?} {vouched:?}"
                            );
                            let by_write = admit(&entry, &raw(arguments));
                            assert_eq!(by_write.is_ok(), fits);
                            let refused = by_read.err().map(|refusal| refusal.outcome().kind());
                            let expected = match (reads, fits) {
                                (false, _) => Some("not_read_only"),
                                (true, false) => Some("invalid_arguments"),
                                (true, true) => None,
                            };
                            assert_eq!(refused, expected);
                            cases += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(cases, 144);
    }

    #[test]
    fn a_schema_that_cannot_be_used_leaves_the_check_to_the_upstream() {
        let tool = Tool::parse(raw(r#"{"name":"t","inputSchema":{"type":"nonsense"}}"#)).unwrap();
        let entry = Arc::new(Entry::new(tool, crate::catalog::Access::Read));
        assert!(admit_read(&entry, &raw("{}")).is_ok());
    }

    #[test]
    fn numbers_that_no_double_holds_are_left_to_the_upstream() {
        let definition = r#"{"name":"t","inputSchema":{"type":"object","required":["n"]}}"#;
        let tool = Tool::parse(raw(definition)).unwrap();
        let entry = Arc::new(Entry::new(tool, crate::catalog::Access::Read));
        assert!(admit_read(&entry, &raw(r#"{"n":1e400}"#)).is_ok());
    }

    #[test]
    fn a_tool_that_runs_as_a_task_only_is_refused() {
        let definition = r#"{"name":"t","inputSchema":{},"execution":{"taskSupport":"required"}}"#;
        let entry = Arc::new(Entry::new(
            Tool::parse(raw(definition)).unwrap(),
            crate::catalog::Access::Read,
        ));
        assert!(admit_read(&entry, &raw("{}")).is_err());
    }

    /// 100,000 random calls of random tools under random policies, mended ones among them: what
    /// a read tool may send is read-only by a rule said here once more. (While lists change:
    /// `tests/it/refresh_races.rs`.)
    #[test]
    fn no_read_tool_ever_reaches_what_may_write() {
        // A xorshift: the same calls each time.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = move |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % limit as u64).unwrap_or_default()
        };
        let (mut reached, mut refused) = (0, 0);
        for _ in 0..2_000 {
            let patterns = [None, Some("t_*"), Some("t_1*"), Some("*_2"), Some("other")];
            let (written, vouched) = (patterns[below(5)], patterns[below(5)]);
            let policy = Policy {
                write_tools: globs(written),
                read_tools: globs(vouched),
                trust_hints: below(2) == 0,
            };
            let (name, hint) = (
                format!("t_{}", below(30)),
                ["true", "false", "null", "\"true\""][below(4)],
            );
            let tool = Tool::parse(raw(&format!(
                r#"{{"name":"{name}","inputSchema":{{"properties":{{"n":{{"type":"integer"}}}}}},"annotations":{{"readOnlyHint":{hint}}}}}"#
            )))
            .unwrap();
            let access = policy.access(&tool);
            let entry = Arc::new(Entry::new(tool, access));
            let matches = |pattern: Option<&str>| match pattern {
                Some("t_*") => true,
                Some("t_1*") => name.starts_with("t_1"),
                Some("*_2") => name == "t_2",
                _ => false,
            };
            let reads =
                !matches(written) && (matches(vouched) || (policy.trust_hints && hint == "true"));
            for _ in 0..50 {
                let arguments = [
                    "{}",
                    r#"{"n":1}"#,
                    r#"{"n":"1"}"#,
                    r#"{"N":"1"}"#,
                    r#"{"input":{}}"#,
                    r#"{"n":"x"}"#,
                    r#"{"n":1e400}"#,
                ];
                let admitted = admit_read(&entry, &raw(arguments[below(7)]));
                match admitted {
                    Ok(call) => {
                        assert!(reads, "{name} by {written:?} {vouched:?} {hint}");
                        assert_eq!(call.entry().tool.name, name);
                        reached += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        assert_eq!(reached + refused, 100_000);
        assert!(reached > 10_000 && refused > 10_000, "{reached} {refused}");
    }
}
