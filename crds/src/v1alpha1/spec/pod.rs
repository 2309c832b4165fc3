//! What the pods may use, where they run, and what is written on them.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use std::collections::BTreeMap;

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

use super::network::texts;

/// What a container asks for and what it may use at most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) || !isQuantity(self.requests[name]) || !isQuantity(self.limits[name]) || quantity(self.requests[name]).compareTo(quantity(self.limits[name])) <= 0)")
        .message("requests must not be greater than limits of the same name")
)]
pub struct Resources {
    /// Asked for, such as `{cpu: 250m, memory: 256Mi}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantities")]
    pub requests: BTreeMap<String, String>,
    /// At most, such as `{memory: 512Mi}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantities")]
    pub limits: BTreeMap<String, String>,
}

fn quantities(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "object",
        "maxProperties": 16,
        "additionalProperties": {
            "type": "string",
            "maxLength": 32,
            "pattern": "^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$"
        }
    })
}

/// Where the pods run. Affinity and spreading rules of your own go into `podTemplate`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scheduling {
    /// Labels that a node must have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "texts")]
    pub node_selector: BTreeMap<String, String>,
    /// Taints of nodes that do not keep the pods away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub tolerations: Vec<Toleration>,
    /// The name of a priority class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub priority_class_name: Option<String>,
}

/// A taint that does not keep the pods away, in Kubernetes' own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Toleration {
    /// The taint's key. Left out: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 317))]
    pub key: Option<String>,
    /// `Exists` or `Equal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16), regex(pattern = "^(Exists|Equal)$"))]
    pub operator: Option<String>,
    /// The taint's value, for `Equal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub value: Option<String>,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`. Left out: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 32),
        regex(pattern = "^(NoSchedule|PreferNoSchedule|NoExecute)$")
    )]
    pub effect: Option<String>,
    /// Seconds before a `NoExecute` taint counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

/// What is written on the pods beside our own labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodMetadata {
    /// Labels; those that begin with `app.kubernetes.io/` or `toolsearch.dev/` are ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "texts")]
    #[x_kube(
        validation = Rule::new("self.all(key, !key.startsWith('app.kubernetes.io/') && !key.startsWith('toolsearch.dev/'))")
            .message("labels of app.kubernetes.io/ and toolsearch.dev/ are set by the operator: choose other names")
    )]
    pub labels: BTreeMap<String, String>,
    /// Annotations to put on the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "texts")]
    #[x_kube(
        validation = Rule::new("self.all(key, !key.startsWith('toolsearch.dev/'))")
            .message("annotations of toolsearch.dev/ are set by the operator: choose other names")
    )]
    pub annotations: BTreeMap<String, String>,
}
