//! How many pods may maintenance take at once? Only where there are at least two: with one, every
//! drain of a node would be blocked.

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::desired::Desired;
use crate::names::selector;
use crate::resources::metadata::metadata;

pub(super) fn budget(desired: &Desired) -> Option<PodDisruptionBudget> {
    (desired.disruption.enabled && desired.replicas.least() >= 2).then(|| PodDisruptionBudget {
        metadata: metadata(desired, &desired.name),
        spec: Some(PodDisruptionBudgetSpec {
            max_unavailable: Some(desired.disruption.max_unavailable.clone()),
            selector: Some(LabelSelector {
                match_labels: Some(selector(&desired.name)),
                ..LabelSelector::default()
            }),
            // A pod that crashes anyway does not block the drain of its node.
            unhealthy_pod_eviction_policy: Some("AlwaysAllow".to_owned()),
            ..PodDisruptionBudgetSpec::default()
        }),
        ..PodDisruptionBudget::default()
    })
}
