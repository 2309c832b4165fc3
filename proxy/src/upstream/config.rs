//! What does a client of the upstream have to be told?

use std::time::Duration;

use crate::upstream::patience::ToolTimeouts;

/// Everything that `Upstream::new` needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the upstream listens; http or https, no userinfo.
    pub url: url::Url,
    /// Which era to speak.
    pub protocol: Protocol,
    /// PEM certificates that are trusted beside the system's.
    pub extra_roots: Option<Vec<u8>>,
    /// TCP and TLS.
    pub connect_timeout: Duration,
    /// From the request's last byte to the answer's first.
    pub first_byte_timeout: Duration,
    /// The longest silence within an answer.
    pub idle_timeout: Duration,
    /// One request, whatever happens.
    pub total_timeout: Duration,
    /// How long calls of single tools may take instead.
    pub tool_timeouts: ToolTimeouts,
    /// Silences in a run after which nothing is sent for a while; 0: always sent.
    pub breaker_failures: usize,
    /// How long that while is.
    pub breaker_pause: Duration,
    /// How long a verdict about the era stands.
    pub era_ttl: Duration,
    /// Ceilings of one listing.
    pub limits: Limits,
    /// Bytes of one `tools/call` answer.
    pub max_result_bytes: usize,
    /// Legacy sessions kept, one a credential.
    pub max_sessions: usize,
}

/// Which era the upstream is spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Probe, and keep the verdict for a while.
    Auto,
    /// 2026-07-28 only.
    Modern,
    /// `initialize` only.
    Legacy,
}

/// Ceilings of one walk through `tools/list`; beyond them the list is kept as read, and marked.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Pages followed.
    pub pages: usize,
    /// Tools kept.
    pub tools: usize,
    /// Bytes of all pages together.
    pub bytes: usize,
}
