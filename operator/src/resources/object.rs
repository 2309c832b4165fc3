//! One object that is applied: its kind, its name, and the fields that are ours.

use kube::core::{ApiResource, GroupVersionKind};
use serde::Serialize;
use serde_json::Value;

/// The kinds that are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Who the pods are.
    ServiceAccount,
    /// What clients connect to.
    Service,
    /// Who reaches whom.
    NetworkPolicy,
    /// What a template's pods read, for as long as there are any.
    ConfigMap,
    /// The pods.
    Deployment,
    /// What keeps maintenance in bounds.
    PodDisruptionBudget,
    /// How many pods.
    HorizontalPodAutoscaler,
    /// What Prometheus scrapes.
    ServiceMonitor,
}

impl Kind {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::ServiceAccount,
        Self::Service,
        Self::NetworkPolicy,
        Self::ConfigMap,
        Self::Deployment,
        Self::PodDisruptionBudget,
        Self::HorizontalPodAutoscaler,
        Self::ServiceMonitor,
    ];

    /// Group, version, kind, plural.
    #[must_use]
    pub const fn names(self) -> [&'static str; 4] {
        match self {
            Self::ServiceAccount => ["", "v1", "ServiceAccount", "serviceaccounts"],
            Self::Service => ["", "v1", "Service", "services"],
            Self::NetworkPolicy => [
                "networking.k8s.io",
                "v1",
                "NetworkPolicy",
                "networkpolicies",
            ],
            Self::ConfigMap => ["", "v1", "ConfigMap", "configmaps"],
            Self::Deployment => ["apps", "v1", "Deployment", "deployments"],
            Self::PodDisruptionBudget => [
                "policy",
                "v1",
                "PodDisruptionBudget",
                "poddisruptionbudgets",
            ],
            Self::HorizontalPodAutoscaler => [
                "autoscaling",
                "v2",
                "HorizontalPodAutoscaler",
                "horizontalpodautoscalers",
            ],
            Self::ServiceMonitor => [
                "monitoring.coreos.com",
                "v1",
                "ServiceMonitor",
                "servicemonitors",
            ],
        }
    }

    /// How the API server is asked about it.
    #[must_use]
    pub fn api(self) -> ApiResource {
        let [group, version, kind, plural] = self.names();
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
    }

    /// Whether a cluster may lack it.
    #[must_use]
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::ServiceMonitor)
    }
}

/// The fields of one object that are ours; nothing empty, no defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its JSON, with `apiVersion` and `kind`.
    pub body: Value,
}

impl Object {
    /// Writes a typed object as JSON.
    ///
    /// # Errors
    /// It cannot be written, which the tests rule out.
    pub(super) fn new(kind: Kind, object: &impl Serialize) -> Result<Self, serde_json::Error> {
        let mut body = serde_json::to_value(object)?;
        if kind == Kind::Deployment {
            hand_over_replicas(&mut body);
        }
        let name = body["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        Ok(Self { kind, name, body })
    }

    /// An object that has no type here.
    pub(super) fn untyped(kind: Kind, body: Value) -> Self {
        let name = body["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        Self { kind, name, body }
    }
}

/// A type that insists on a member writes `null` or an empty object for what is left out; neither
/// may be sent, since whoever sends a field owns it.
fn hand_over_replicas(body: &mut Value) {
    if let Some(spec) = body["spec"].as_object_mut() {
        spec.retain(|_, value| !value.is_null());
    }
}
