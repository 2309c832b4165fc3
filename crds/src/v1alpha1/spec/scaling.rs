//! How many pods, how they are replaced, and how they leave.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// As many pods as the load needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("self.minReplicas <= self.maxReplicas")
        .message("minReplicas must not be greater than maxReplicas")
)]
pub struct Autoscaling {
    /// The fewest pods; with less than 2 a node's end is an outage.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 1000))]
    pub min_replicas: i32,
    /// The most pods.
    #[schemars(range(min = 1, max = 1000))]
    pub max_replicas: i32,
    /// The load that is aimed at, in percent of the CPU that the proxy's container requests.
    #[serde(default = "seventy", rename = "targetCPUUtilization")]
    #[schemars(range(min = 1, max = 1000))]
    pub target_cpu_utilization: i32,
}

const fn two() -> i32 {
    2
}

const fn seventy() -> i32 {
    70
}

/// How pods are replaced when something changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("!(string(self.maxSurge).matches('^0+%?$') && string(self.maxUnavailable).matches('^0+%?$'))")
        .message("maxSurge and maxUnavailable must not both be 0: no pod could ever be replaced")
)]
pub struct Rollout {
    /// Pods beyond the wanted number while pods are replaced, such as `1` or `25%`.
    #[serde(default = "one")]
    #[schemars(schema_with = "count_or_share")]
    pub max_surge: IntOrString,
    /// Pods that may be missing meanwhile, such as `0` or `10%`; with 0 nobody notices.
    #[serde(default = "zero")]
    #[schemars(schema_with = "count_or_share")]
    pub max_unavailable: IntOrString,
}

impl Default for Rollout {
    fn default() -> Self {
        Self {
            max_surge: one(),
            max_unavailable: zero(),
        }
    }
}

const fn one() -> IntOrString {
    IntOrString::Int(1)
}

const fn zero() -> IntOrString {
    IntOrString::Int(0)
}

fn count_or_share(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "anyOf": [{ "type": "integer" }, { "type": "string" }],
        "x-kubernetes-int-or-string": true,
        "pattern": "^([0-9]{1,4}|[0-9]{1,3}%)$",
        "maxLength": 8
    })
}

/// How a pod leaves: it goes on serving for a while, then ends the calls it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drain {
    /// Seconds for which connections are still accepted after the signal to stop, until load
    /// balancers have noticed.
    #[serde(default = "ten")]
    #[schemars(range(min = 0, max = 3600))]
    pub delay_seconds: i32,
    /// Seconds that calls in flight may take after that.
    #[serde(default = "sixty")]
    #[schemars(range(min = 0, max = 86_400))]
    pub call_seconds: i32,
}

impl Default for Drain {
    fn default() -> Self {
        Self {
            delay_seconds: ten(),
            call_seconds: sixty(),
        }
    }
}

const fn ten() -> i32 {
    10
}

const fn sixty() -> i32 {
    60
}

/// What keeps maintenance from taking too many pods at once. Made only where there are at least
/// two pods: with one it would block every drain of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("!self.enabled || !string(self.maxUnavailable).matches('^0+%?$')")
        .message("maxUnavailable must not be 0: every drain of a node would be blocked; use 1 or more, or enabled: false")
)]
pub struct PodDisruptionBudget {
    /// Whether there is one.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Pods that may be missing, such as `1` or `25%`.
    #[serde(default = "one")]
    #[schemars(schema_with = "count_or_share")]
    pub max_unavailable: IntOrString,
}

impl Default for PodDisruptionBudget {
    fn default() -> Self {
        Self {
            enabled: yes(),
            max_unavailable: one(),
        }
    }
}

const fn yes() -> bool {
    true
}
