//! Who reaches the pods, whom the pods reach, and who counts.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use std::collections::BTreeMap;

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration;

/// The Service that clients connect to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// How it is reached.
    #[serde(default, rename = "type")]
    pub type_: ServiceType,
    /// Its port; clients use `http://NAME.NAMESPACE:PORT/mcp`.
    #[serde(default = "eighty")]
    #[schemars(range(min = 1, max = 65_535))]
    pub port: i32,
    /// Annotations for whatever watches Services, such as a cloud's load balancer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "texts")]
    pub annotations: BTreeMap<String, String>,
    /// `PreferSameZone` keeps traffic in its zone where it can, at the price of an uneven load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 64),
        regex(pattern = "^(PreferSameZone|PreferSameNode|PreferClose)$")
    )]
    pub traffic_distribution: Option<String>,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            type_: ServiceType::default(),
            port: eighty(),
            annotations: BTreeMap::new(),
            traffic_distribution: None,
        }
    }
}

const fn eighty() -> i32 {
    80
}

/// A schema of text by name, bounded.
pub(super) fn texts(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "object",
        "maxProperties": 64,
        "additionalProperties": { "type": "string", "maxLength": 4096 }
    })
}

/// How a Service is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ServiceType {
    /// From within the cluster.
    #[default]
    #[serde(rename = "ClusterIP")]
    ClusterIp,
    /// On a port of every node too.
    NodePort,
    /// Through a load balancer of the platform.
    LoadBalancer,
}

/// What may connect to the pods and what they may connect to. Enforced by the cluster's network,
/// where it enforces policies at all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkPolicy {
    /// Whether there is one.
    #[serde(default)]
    pub enabled: bool,
    /// Who may call the proxy. Left out: everybody in the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub allow_from: Vec<NetworkPeer>,
    /// Where the upstream (and the model's mirror) are. Left out: any address, at the ports of
    /// their URLs and of `allowPorts`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub allow_to: Vec<NetworkPeer>,
    /// Ports beside those of the URLs, such as `8080`. A policy sees the pods behind a Service,
    /// not the Service: where a Service of the cluster listens on 80 and its pods on 8080, name
    /// 8080 here, or the pods by `allowTo`. Left out, with `allowTo`: any port of theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), inner(range(min = 1, max = 65_535)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub allow_ports: Vec<i32>,
}

/// Some pods, or a range of addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("has(self.cidr) != (has(self.podLabels) || has(self.namespaceLabels))")
        .message("either cidr, or podLabels and namespaceLabels, must be set")
)]
pub struct NetworkPeer {
    /// Labels of the pods. Left out, with `namespaceLabels`: all pods there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "texts")]
    pub pod_labels: Option<BTreeMap<String, String>>,
    /// Labels of their namespaces. Left out: this namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "texts")]
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// A range of addresses, such as `10.0.0.0/8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 64),
        regex(pattern = "^[0-9a-fA-F:.]+/[0-9]{1,3}$")
    )]
    pub cidr: Option<String>,
}

/// Objects for a Prometheus operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Monitoring {
    /// Whether a `ServiceMonitor` is made; where its definition is not installed, a condition
    /// says so.
    #[serde(default)]
    pub service_monitor: bool,
    /// How often to scrape, such as `30s`. Left out: as Prometheus is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("1s", "24h"))]
    pub interval: Option<String>,
    /// Labels that Prometheus selects by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "texts")]
    pub labels: BTreeMap<String, String>,
}
