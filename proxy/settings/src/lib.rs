//! Every setting of the proxy, declared once: flag, variable, default, bounds, help.
//!
//! Says what a setting is called and what it may be; never what it does.

mod declared;
mod host;
mod mistake;
mod parse;
pub mod pinned;
mod reader;
pub mod render;
mod value;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

pub use declared::{DECLARATIONS, Declaration, Kind, PREFIX};
pub use mistake::{Mistake, Mistakes};
pub use parse::{add_flags, environment, settings};
pub use value::{parse_duration, parse_log_filter, size_text};

/// Everything `serve` needs, checked. Built only by the parser (or, later, by the operator).
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The MCP server behind the proxy.
    pub upstream: Url,
    /// Where MCP clients connect.
    pub listen: SocketAddr,
    /// Where probes and metrics are served.
    pub diagnostics: SocketAddr,
    /// Which model answers by meaning.
    pub embedder: EmbedderChoice,
    /// A folder in the Model2Vec format.
    pub model_dir: Option<PathBuf>,
    /// Exact names and globs that are writes whatever the upstream says.
    pub write_tools: Vec<String>,
    /// Globs that the operator of the proxy vouches for as read-only.
    pub read_tools: Vec<String>,
    /// Whether the upstream's read-only hints are believed.
    pub trust_hints: bool,
    /// How many of the best hits bring their input schemas.
    pub search_schemas: usize,
    /// Characters of `instructions`, ours and the upstream's together.
    pub max_instructions: usize,
    /// Bytes of one answer of `search_tools` or `describe_tool`.
    pub max_answer: usize,
    /// Tokens of one answer of `search_tools`.
    pub max_answer_tokens: usize,
    /// How long a catalog is fresh.
    pub catalog_ttl: Duration,
    /// Which era the upstream is spoken to in.
    pub upstream_protocol: UpstreamProtocol,
    /// A PEM file of roots trusted beside the system's.
    pub upstream_ca: Option<PathBuf>,
    /// The URL clients know the proxy by.
    pub public_url: Option<Url>,
    /// Browser origins that may call.
    pub allowed_origins: Vec<String>,
    /// `Host` values accepted; empty: any on other than loopback binds, loopback names there.
    pub allowed_hosts: Vec<String>,
    /// How long to keep accepting after the signal to stop.
    pub drain_delay: Duration,
    /// How long calls in flight may still take after that.
    pub drain_timeout: Duration,
    /// Text or JSON.
    pub log_format: LogFormat,
    /// A level, or filter directives.
    pub log_level: String,
    /// Bytes of one request body.
    pub max_body: usize,
    /// Bytes of one tool result.
    pub max_result: usize,
    /// Tokens of tool results in one answer; `None`: they pass as they come.
    pub max_result_tokens: Option<usize>,
    /// Client connections held at once.
    pub max_connections: usize,
    /// Requests under way at once.
    pub max_requests: usize,
    /// Tool calls of one credential under way at once.
    pub max_calls_per_caller: usize,
    /// Handshakes and tool lists of one credential under way at once.
    pub max_lists_per_caller: usize,
    /// Callers whose catalogs are kept.
    pub max_callers: usize,
    /// Distinct tool lists kept.
    pub max_lists: usize,
    /// Upstream lists under way at once.
    pub max_concurrent_lists: usize,
    /// Pages of one list.
    pub max_pages: usize,
    /// Tools of one list.
    pub max_tools: usize,
    /// Bytes of one list.
    pub max_list_bytes: usize,
    /// Sessions with a legacy upstream.
    pub max_sessions: usize,
    /// TCP and TLS to the upstream.
    pub upstream_connect_timeout: Duration,
    /// From the request's last byte to the answer's first.
    pub upstream_first_byte_timeout: Duration,
    /// The longest silence within an answer.
    pub upstream_idle_timeout: Duration,
    /// One upstream request, whatever happens.
    pub upstream_total_timeout: Duration,
    /// How long a call of one tool may take instead; the first that names the tool counts.
    pub tool_timeouts: Vec<ToolTimeout>,
    /// Silences of the upstream in a run after which requests are refused; 0: never.
    pub breaker_failures: usize,
    /// How long they are refused before one asks again.
    pub breaker_pause: Duration,
}

/// One of `--tool-timeouts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolTimeout {
    /// An exact name or a glob.
    pub tools: String,
    /// One call, whatever happens.
    pub timeout: Duration,
}

/// `--embedder`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// The model folder where one is given, the built-in model otherwise.
    Auto,
    /// The model inside the binary.
    Builtin,
    /// The model folder.
    Dir,
    /// None: search is lexical.
    None,
}

/// `--upstream-protocol`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpstreamProtocol {
    /// Probe.
    Auto,
    /// 2026-07-28 only.
    Modern,
    /// `initialize` only.
    Legacy,
}

/// `--log-format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object a line.
    Json,
}
