//! Which tools does the upstream list for this caller? Every page, within ceilings.
//!
//! Guarantees: ends, whatever cursors come; one bad definition never hides the others; names are
//! unique, the first wins; the order is the upstream's. A walk that is cut keeps what it has read.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::caller::Caller;
use crate::protocol::{BadTool, Tool, code};
use crate::upstream::config::Limits;
use crate::upstream::error::Error;
use crate::upstream::exchange::Room;
use crate::upstream::link::{Ask, Link};
use crate::upstream::request::{Content, Method};

/// The whole list of one caller's tools, and what else the handshake said.
pub struct Listing {
    /// In the upstream's order, names unique.
    pub tools: Vec<Tool>,
    /// Definitions left out, in order: their name where they have one, and why.
    pub dropped: Vec<(Option<String>, BadTool)>,
    /// The upstream's `instructions`, unchanged.
    pub instructions: Option<String>,
    /// Set when the walk was cut short, naming why: a ceiling ("pages", "tools", "bytes", "time"),
    /// or "cursor" for one that came a second time.
    pub truncated: Option<&'static str>,
}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing")
            .field("tools", &self.tools.len())
            .field("dropped", &self.dropped.len())
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}

/// Walks every page; `wall`: for how long new ones are begun.
pub(super) async fn walk(
    link: &Link,
    caller: &Caller,
    limits: Limits,
    wall: Duration,
) -> Result<Listing, Error> {
    let deadline = Instant::now() + wall;
    let greeting = link.greet(caller).await?;
    let mut walk = Walk::new(limits);
    let mut restarted = false;
    let truncated = loop {
        let page = match page(link, caller, &walk).await {
            Ok(page) => page,
            // The list changed under the cursor, or it belonged to a session that is gone.
            Err(Error::Rpc(error))
                if error.code == code::INVALID_PARAMS && walk.pages > 0 && !restarted =>
            {
                restarted = true;
                walk = Walk::new(limits);
                continue;
            }
            Err(Error::TooLarge { .. }) if walk.pages > 0 => break Some("bytes"),
            Err(error) => return Err(error),
        };
        match walk.take(page) {
            ControlFlow::Break(truncated) => break truncated,
            ControlFlow::Continue(()) if Instant::now() >= deadline => break Some("time"),
            ControlFlow::Continue(()) => {}
        }
    };
    Ok(Listing {
        tools: walk.tools,
        dropped: walk.dropped,
        instructions: greeting.instructions.map(|text| text.to_string()),
        truncated,
    })
}

struct Walk {
    limits: Limits,
    tools: Vec<Tool>,
    dropped: Vec<(Option<String>, BadTool)>,
    names: HashSet<String>,
    cursor: Option<String>,
    seen: HashSet<String>,
    pages: usize,
    bytes: usize,
}

struct Page {
    bytes: usize,
    entries: Vec<Result<Tool, (Option<String>, BadTool)>>,
    next: Option<String>,
}

impl Walk {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            tools: Vec::new(),
            dropped: Vec::new(),
            names: HashSet::new(),
            cursor: None,
            seen: HashSet::new(),
            pages: 0,
            bytes: 0,
        }
    }

    /// Breaks with the reason when the walk is cut, and with none when it is done.
    fn take(&mut self, page: Page) -> ControlFlow<Option<&'static str>> {
        self.pages += 1;
        self.bytes += page.bytes;
        for entry in page.entries {
            if self.tools.len() >= self.limits.tools {
                return ControlFlow::Break(Some("tools"));
            }
            match entry {
                Ok(tool) if self.names.insert(tool.name.clone()) => self.tools.push(tool),
                Ok(tool) => self.dropped.push((Some(tool.name), BadTool::Duplicate)),
                Err(bad) => self.dropped.push(bad),
            }
        }
        // The empty string is a cursor like any other.
        let Some(cursor) = page.next else {
            return ControlFlow::Break(None);
        };
        let cut = if !self.seen.insert(cursor.clone()) {
            "cursor"
        } else if self.pages >= self.limits.pages {
            "pages"
        } else if self.tools.len() >= self.limits.tools {
            "tools"
        } else if self.bytes >= self.limits.bytes {
            "bytes"
        } else {
            self.cursor = Some(cursor);
            return ControlFlow::Continue(());
        };
        ControlFlow::Break(Some(cut))
    }
}

async fn page(link: &Link, caller: &Caller, walk: &Walk) -> Result<Page, Error> {
    let ask = Ask {
        method: Method::List,
        content: Content {
            cursor: walk.cursor.as_deref(),
            ..Content::default()
        },
        room: Room {
            held: walk.limits.bytes.saturating_sub(walk.bytes),
            flowing: None,
        },
        repeatable: true,
        progress: None,
        until: None,
    };
    let result = link.ask(caller, &ask).await?;
    if result.get().len() < LARGE_PAGE {
        return read(&result);
    }
    tokio::task::spawn_blocking(move || read(&result))
        .await
        .unwrap_or(Err(NO_PAGE))
}

/// Bytes from which a page is read off the threads that serve requests.
const LARGE_PAGE: usize = 64 * 1024;

const NO_PAGE: Error = Error::Malformed {
    what: "a page of tools",
};

fn read(result: &RawValue) -> Result<Page, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Wire<'a> {
        // Null or absent where there are none: some servers write an empty list so.
        #[serde(borrow, default)]
        tools: Option<Vec<&'a RawValue>>,
        #[serde(default)]
        next_cursor: Option<String>,
    }
    let wire: Wire<'_> = serde_json::from_str(result.get()).map_err(|_| NO_PAGE)?;
    let entry =
        |raw: &RawValue| Tool::parse(raw.to_owned()).map_err(|bad| (Tool::name_of(raw), bad));
    Ok(Page {
        bytes: result.get().len(),
        entries: wire
            .tools
            .unwrap_or_default()
            .into_iter()
            .map(entry)
            .collect(),
        next: wire.next_cursor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        pages: 3,
        tools: 4,
        bytes: 10_000,
    };

    /// Walks over ready-made pages; what was kept, what was dropped, and why it ended.
    #[track_caller]
    fn check(limits: Limits, pages: &[&str], expected: &str) {
        let mut walk = Walk::new(limits);
        let mut end = "no end";
        for page in pages {
            let raw: Box<RawValue> = serde_json::from_str(page).unwrap();
            let flow = match read(&raw) {
                Ok(page) => walk.take(page),
                Err(error) => ControlFlow::Break(Some(error.kind())),
            };
            if let ControlFlow::Break(reason) = flow {
                end = reason.unwrap_or("done");
                break;
            }
        }
        let names: Vec<_> = walk.tools.iter().map(|tool| tool.name.as_str()).collect();
        let dropped: Vec<_> = walk
            .dropped
            .iter()
            .map(|(name, bad)| format!("{}={}", name.as_deref().unwrap_or("?"), bad.kind()))
            .collect();
        let found = format!("{} | {} | {end}", names.join(" "), dropped.join(" "));
        assert_eq!(found, expected);
    }

    fn list(names: &str, next: &str) -> String {
        let tools: Vec<_> = names
            .split_whitespace()
            .map(|name| format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#))
            .collect();
        format!(r#"{{"tools":[{}]{next}}}"#, tools.join(","))
    }

    #[test]
    fn pages_are_joined_until_no_cursor_comes() {
        let first = list("b a", r#","nextCursor":"""#);
        check(LIMITS, &[&first, &list("c", "")], "b a c |  | done");
        check(
            LIMITS,
            &[&list("a", r#","nextCursor":null"#)],
            "a |  | done",
        );
        check(LIMITS, &[r#"{"tools":null}"#], " |  | done");
        check(LIMITS, &["{}"], " |  | done");
    }

    #[test]
    fn a_walk_that_would_not_end_is_cut() {
        let next = |cursor: &str| list(cursor, &format!(r#","nextCursor":"{cursor}""#));
        let same = list("x", r#","nextCursor":"1""#);
        check(LIMITS, &[&next("1"), &same, &same], "1 x |  | cursor");
        check(
            LIMITS,
            &[&next("1"), &next("2"), &next("3")],
            "1 2 3 |  | pages",
        );
        check(LIMITS, &[&list("a b c d e", "")], "a b c d |  | tools");
        check(LIMITS, &[&list("a b c d", "")], "a b c d |  | done");
        let tight = Limits {
            bytes: 10,
            ..LIMITS
        };
        check(tight, &[&next("1"), &next("2")], "1 |  | bytes");
    }

    #[test]
    fn a_bad_definition_hides_no_other() {
        let page = r#"{"tools":[7,{"name":"n"},{"inputSchema":{}},
            {"name":"a","inputSchema":{}},{"name":"a","inputSchema":{"x":1}},
            {"name":"b","inputSchema":{}}]}"#;
        check(
            LIMITS,
            &[page],
            "a b | ?=not_an_object n=no_schema ?=no_name a=duplicate | done",
        );
        check(LIMITS, &[r#"{"tools":{}}"#], " |  | malformed");
        check(
            LIMITS,
            &[r#"{"tools":[],"nextCursor":7}"#],
            " |  | malformed",
        );
    }
}
