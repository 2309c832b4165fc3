//! Settings of the proxy that are worth a field; what is left out is left to the proxy, whose
//! reference of settings has the defaults and bounds.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{duration, size};

/// What a search answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    /// How many of the best hits bring their input schemas, such as `3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 25))]
    pub schemas: Option<i32>,
    /// The largest answer of `search_tools` and `describe_tool`, such as `64KiB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = size("4KiB", "4MiB"))]
    pub max_answer: Option<String>,
    /// Tokens that one answer of `search_tools` never exceeds, such as `4000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1000, max = 100_000))]
    pub max_answer_tokens: Option<i32>,
    /// Characters of instructions a client gets, ours and the upstream's, such as `10000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 600, max = 100_000))]
    pub max_instructions: Option<i32>,
}

/// How tool lists are kept, one a caller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Catalog {
    /// How long a caller's tool list is fresh, such as `10m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("1s", "24h"))]
    pub ttl: Option<String>,
    /// Callers whose catalogs are kept, such as `10000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub max_callers: Option<i32>,
    /// Distinct tool lists kept, such as `1000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_lists: Option<i32>,
    /// Tool lists fetched from the upstream at once, such as `8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_concurrent_lists: Option<i32>,
    /// Pages of one tool list, such as `1000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_pages: Option<i32>,
    /// Tools of one list, such as `20000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tools: Option<i32>,
    /// Bytes of one tool list, such as `64MiB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = size("1KiB", "1GiB"))]
    pub max_list_bytes: Option<String>,
}

/// What one pod takes on at most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// The largest request body, such as `4MiB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = size("1KiB", "256MiB"))]
    pub max_body: Option<String>,
    /// The largest result of one tool call, such as `256MiB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = size("1KiB", "1GiB"))]
    pub max_result: Option<String>,
    /// Tokens of tool results in one answer, such as `10000`: more is cut at a line or an element,
    /// with a note of what is missing. Left out: results pass as they come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2000, max = 1_000_000))]
    pub max_result_tokens: Option<i32>,
    /// Client connections held at once, such as `10000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_connections: Option<i32>,
    /// Requests under way at once, such as `1000`; beyond it the answer is 503.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_requests: Option<i32>,
    /// Tool calls that one credential may have under way at once, such as `100`; beyond it the
    /// answer is 429.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_calls_per_caller: Option<i32>,
    /// Handshakes and tool lists that one credential may have under way at once, such as `20`;
    /// beyond it the answer is 429.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_lists_per_caller: Option<i32>,
    /// Sessions kept with a legacy upstream, such as `10000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_sessions: Option<i32>,
}

/// What the proxy writes to its log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Logging {
    /// `json` for machines, `text` for people. Left out: `json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<LogFormat>,
    /// A level, or directives such as `info,toolsearch_proxy=debug`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub level: Option<String>,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object a line.
    Json,
}
