//! What the operator says about a resource: conditions, counts, and which generation they are of.
//!
//! Condition types and reasons travel as text, so that a newer operator's words do not make the
//! object unreadable; [`ConditionType`] names those that are ours.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// What was found and done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSearchProxyStatus {
    /// The generation of the spec that was acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Accepted, Available, Progressing and Ready, each with its reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
    /// Pods there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Pods that serve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_replicas: Option<i32>,
    /// The label selector of the pods, for autoscalers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

/// One aspect of the state, in the shape that Kubernetes tools expect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The aspect.
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 316))]
    pub type_: String,
    /// True, False or Unknown.
    #[schemars(regex(pattern = "^(True|False|Unknown)$"))]
    pub status: String,
    /// The generation of the spec that this was found for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When the status last changed, as RFC 3339 text.
    #[schemars(extend("format" = "date-time"))]
    pub last_transition_time: String,
    /// Why, in one CamelCase word.
    #[schemars(length(min = 1, max = 1024))]
    pub reason: String,
    /// Why, in words for people.
    #[schemars(length(max = 32768))]
    pub message: String,
}

/// The aspects that the operator speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionType {
    /// The spec is valid.
    Accepted,
    /// Enough pods serve.
    Available,
    /// A change is being rolled out.
    Progressing,
    /// The sum of the others.
    Ready,
}

impl ConditionType {
    /// All of them, in the order in which a status lists them.
    pub const ALL: &[Self] = &[
        Self::Accepted,
        Self::Available,
        Self::Progressing,
        Self::Ready,
    ];

    /// The word in the status.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::Available => "Available",
            Self::Progressing => "Progressing",
            Self::Ready => "Ready",
        }
    }
}
