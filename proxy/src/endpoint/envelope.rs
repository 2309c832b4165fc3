//! What does a modern request say about itself? The keys of `params._meta`.

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::protocol::Members;

/// The metadata of one request that matters here.
#[derive(Debug, Clone, Default)]
pub struct Envelope {
    /// `clientCapabilities` without `extensions`: no task handles come back. Modern callers only.
    pub capabilities: Option<Box<RawValue>>,
    /// `progressToken`, as it came.
    pub progress_token: Option<Box<RawValue>>,
    /// W3C trace context.
    pub trace: Vec<(&'static str, String)>,
}

/// `_meta` as members by key; the last of several counts.
pub(super) type Meta<'a> = HashMap<String, &'a RawValue>;

pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];
/// A trace context longer than this is not one.
const TRACE: usize = 512;

impl Envelope {
    /// What any request may carry.
    pub(super) fn read(meta: &Meta<'_>) -> Self {
        let token = meta.get("progressToken").filter(|token| {
            let text = token.get();
            text.starts_with('"')
                || text.starts_with('-')
                || text.starts_with(|c: char| c.is_ascii_digit())
        });
        let trace = ["traceparent", "tracestate"].into_iter().filter_map(|key| {
            let value = serde_json::from_str::<String>(meta.get(key)?.get()).ok()?;
            (value.len() <= TRACE && value.is_ascii()).then_some((key, value))
        });
        let progress_token = token.map(|token| (*token).to_owned());
        Self {
            capabilities: None,
            progress_token,
            trace: trace.collect(),
        }
    }

    /// What a modern request must carry.
    ///
    /// # Errors
    /// A sentence about the key that is missing or ill-typed.
    pub(super) fn read_modern(meta: &Meta<'_>) -> Result<Self, String> {
        let capabilities = meta.get(CAPABILITIES).and_then(|raw| Members::read(raw));
        let mut capabilities =
            capabilities.ok_or_else(|| format!("_meta lacks the object {CAPABILITIES:?}"))?;
        capabilities.remove("extensions");
        let level = meta
            .get(LOG_LEVEL)
            .map(|level| level.get().trim_matches('"'));
        if level.is_some_and(|level| !LEVELS.contains(&level)) {
            return Err(format!(
                "{LOG_LEVEL:?} must be one of {}",
                LEVELS.join(", ")
            ));
        }
        Ok(Self {
            capabilities: Some(capabilities.to_raw()),
            ..Self::read(meta)
        })
    }
}
