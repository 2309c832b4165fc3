//! What the operator says about a resource: conditions, counts, and which generation they are of.
//!
//! Condition types and reasons travel as text, so that a newer operator's words do not make the
//! object unreadable; [`ConditionType`] and [`Reason`] name those that are ours.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

mod words;

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

pub use words::{ConditionStatus, ConditionType, Reason};

/// What was found and done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSearchProxyStatus {
    /// The generation of the spec that was acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Accepted, `ModelAvailable`, Progressing, Available, `UpstreamReachable` and Ready, each
    /// with its reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
    /// Pods there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Pods that serve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_replicas: Option<i32>,
    /// Pods of the newest template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_replicas: Option<i32>,
    /// The label selector of the pods, for autoscalers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Where clients in the cluster connect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The model that the pods have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelStatus>,
}

/// A model, as it was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelStatus {
    /// `builtin`, `none`, `huggingFace`, `http`, `persistentVolumeClaim` or `image`.
    pub source: String,
    /// The commit, or the image's digest, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// One digest over the digests of all files, as the fetching container verified them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_digest: Option<String>,
}

/// One aspect of the state, in the shape that Kubernetes tools expect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The aspect that it speaks of.
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
    /// Why, in one `CamelCase` word.
    #[schemars(length(min = 1, max = 1024))]
    pub reason: String,
    /// Why, in words for people.
    #[schemars(length(max = 32768))]
    pub message: String,
}
