//! The kind itself, version `v1alpha1`: its names, its columns, and what a user may ask for.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

mod spec;
mod status;

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

pub use spec::{Model, Nothing, Upstream};
pub use status::{Condition, ConditionType, ToolSearchProxyStatus};

/// What the proxy stands in front of, and how it searches and guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "toolsearch.dev",
    version = "v1alpha1",
    kind = "ToolSearchProxy",
    plural = "toolsearchproxies",
    singular = "toolsearchproxy",
    shortname = "tsp",
    category = "mcp",
    namespaced,
    derive = "PartialEq",
    status = "ToolSearchProxyStatus",
    doc = "A tool-search proxy for MCP in front of one upstream server.",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    validation = Rule::new("self.metadata.name.size() <= 52")
        .message("the name is longer than 52 characters: the objects made for it need room for a suffix"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether clients are served."
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        description = "Why, or why not."
    ),
    printcolumn(
        name = "Replicas",
        type_ = "integer",
        json_path = ".status.readyReplicas",
        description = "Pods that serve."
    ),
    printcolumn(
        name = "Upstream",
        type_ = "string",
        json_path = ".spec.upstream.url",
        description = "The server behind the proxy.",
        priority = "1"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ToolSearchProxySpec {
    /// The MCP server behind the proxy.
    pub upstream: Upstream,
    /// Tools that are writes whatever the upstream says: exact names and globs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000), inner(length(min = 1, max = 256)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub write_tools: Vec<String>,
    /// Tools that are vouched for as read-only though the upstream does not mark them so: exact
    /// names and globs. A tool that `writeTools` matches too is a write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000), inner(length(min = 1, max = 256)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub read_tools: Vec<String>,
    /// Whether a tool that the upstream marks as read-only is one.
    #[serde(default = "yes")]
    pub trust_hints: bool,
    /// Which model finds tools by meaning: exactly one of the sources.
    #[serde(default)]
    pub model: Model,
    /// Pods to run.
    #[serde(default = "two")]
    #[schemars(range(min = 0, max = 1000))]
    pub replicas: i32,
    /// The proxy's container image, where it is not the operator's own version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub image: Option<String>,
}

const fn yes() -> bool {
    true
}

const fn two() -> i32 {
    2
}
