//! What should there be? A spec, checked and completed: the only reader of the spec.

mod check;
mod environment;
mod escape;
mod model;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{Resource as _, ResourceExt as _};
use toolsearch_crds::ToolSearchProxy;
use toolsearch_crds::v1alpha1::{
    Autoscaling, Drain, KeyReference, Monitoring, NetworkPolicy, PodDisruptionBudget, PodMetadata,
    Resources, Rollout, Scheduling, Service,
};

pub use escape::Escape;
pub use model::{DesiredModel, Fetched};

use crate::names;
use crate::options::Defaults;
use crate::references::{Found, Reference};

/// Pods of a resource that names no number. Not a default of the schema: a number that the API
/// server fills in would stand beside `autoscaling`, which excludes it.
const REPLICAS: i32 = 2;

/// A resource as the builders see it: nothing left to default, nothing left to check.
#[derive(Debug, Clone)]
pub struct Desired {
    /// The resource's name, and that of most objects.
    pub name: String,
    /// Its namespace, and that of all objects.
    pub namespace: String,
    /// Points every object at its resource.
    pub owner: OwnerReference,
    /// Image and its credentials.
    pub image: Image,
    /// The proxy's settings as environment.
    pub environment: Vec<(String, String)>,
    /// The model.
    pub model: DesiredModel,
    /// Where pods read the authorities of the upstream's certificate.
    pub upstream_ca: Option<Reference>,
    /// A copy of them that never changes; none where nobody looked for them.
    pub authorities: Option<Authorities>,
    /// The port of the upstream, for the network policy.
    pub upstream_port: u16,
    /// How many pods.
    pub replicas: Replicas,
    /// How pods are replaced.
    pub rollout: Rollout,
    /// How pods leave.
    pub drain: Drain,
    /// What keeps maintenance in bounds.
    pub disruption: PodDisruptionBudget,
    /// Who reaches whom.
    pub network: NetworkPolicy,
    /// What clients connect to.
    pub service: Service,
    /// Who counts.
    pub monitoring: Monitoring,
    /// What the proxy's container may use.
    pub resources: Resources,
    /// Where the pods run.
    pub scheduling: Scheduling,
    /// What is written on the pods.
    pub pod_metadata: PodMetadata,
    /// Whether user and group ids are the platform's.
    pub platform_assigns_user: bool,
    /// What the user writes into the pod template.
    pub escape: Escape,
    /// A digest of the contents that roll the pods.
    pub content: Option<String>,
}

/// An image and how it is pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its name.
    pub name: String,
    /// When it is pulled.
    pub pull_policy: Option<String>,
    /// Secrets with credentials.
    pub pull_secrets: Vec<String>,
}

/// A copy of the authorities of the upstream's certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorities {
    /// Of its content, in its name.
    pub digest: String,
    /// PEM certificates.
    pub certificates: String,
}

/// How many pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replicas {
    /// So many.
    Fixed(i32),
    /// As many as the load needs.
    Auto(Autoscaling),
}

impl Replicas {
    /// The fewest there will be.
    #[must_use]
    pub const fn least(&self) -> i32 {
        match self {
            Self::Fixed(count) => *count,
            Self::Auto(auto) => auto.min_replicas,
        }
    }
}

/// Everything that is wrong with a spec, a sentence each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct Mistakes(pub Vec<String>);

impl Desired {
    /// Checks and completes a spec.
    ///
    /// # Errors
    /// Every mistake that the schema cannot refuse.
    pub fn new(
        resource: &ToolSearchProxy,
        defaults: &Defaults,
        found: &Found,
    ) -> Result<Self, Mistakes> {
        let spec = &resource.spec;
        let mut mistakes = Vec::new();
        check::write_lists(spec, &mut mistakes);
        let model = DesiredModel::new(&spec.model, &mut mistakes);
        let environment = environment::environment(spec, &model, &mut mistakes);
        let escape = Escape::new(spec.pod_template.as_ref(), &mut mistakes);
        let upstream_port = check::port(&spec.upstream.url).unwrap_or_default();
        if !mistakes.is_empty() {
            return Err(Mistakes(mistakes));
        }
        let authorities = found.authorities.clone().map(|certificates| Authorities {
            digest: crate::digest::short(certificates.as_bytes()),
            certificates,
        });
        let bundle = spec.upstream.ca_bundle.as_ref();
        // The copy: what it was made of changes under the pods that are there.
        let upstream_ca = match &authorities {
            Some(copy) => bundle.map(|_| {
                Reference::ConfigMap(KeyReference {
                    name: names::authorities(&resource.name_any(), &copy.digest),
                    key: names::AUTHORITIES_KEY.to_owned(),
                })
            }),
            None => bundle.map(Reference::from),
        };
        let owner = resource.controller_owner_ref(&()).unwrap_or_default();
        let mut pull_secrets = defaults.pull_secrets.clone();
        pull_secrets.extend(spec.image_pull_secrets.iter().cloned());
        if let DesiredModel::Image {
            pull_secrets: more, ..
        } = &model
        {
            pull_secrets.extend(more.iter().cloned());
        }
        let mut seen = std::collections::BTreeSet::new();
        pull_secrets.retain(|name| seen.insert(name.clone()));
        let named = spec.image_pull_policy.map(|policy| format!("{policy:?}"));
        Ok(Self {
            name: resource.name_any(),
            namespace: resource.namespace().unwrap_or_default(),
            owner,
            image: Image {
                name: spec
                    .image
                    .clone()
                    .unwrap_or_else(|| defaults.proxy_image.clone()),
                pull_policy: named.or_else(|| defaults.pull_policy.clone()),
                pull_secrets,
            },
            environment,
            upstream_ca,
            upstream_port,
            replicas: match &spec.autoscaling {
                Some(auto) => Replicas::Auto(auto.clone()),
                None => Replicas::Fixed(spec.replicas.unwrap_or(REPLICAS)),
            },
            rollout: spec.rollout.clone(),
            drain: spec.drain,
            disruption: spec.pod_disruption_budget.clone(),
            network: spec.network_policy.clone(),
            service: spec.service.clone(),
            monitoring: spec.monitoring.clone(),
            resources: spec.resources.clone().unwrap_or_else(|| model.resources()),
            scheduling: spec.scheduling.clone().unwrap_or_default(),
            pod_metadata: spec.pod_metadata.clone().unwrap_or_default(),
            platform_assigns_user: spec.platform_assigns_user,
            escape,
            content: authorities.as_ref().map(|copy| copy.digest.clone()),
            authorities,
            model,
        })
    }

    /// Where clients in the cluster connect.
    #[must_use]
    pub fn url(&self) -> String {
        let port = match self.service.port {
            80 => String::new(),
            port => format!(":{port}"),
        };
        format!("http://{}.{}.svc{port}/mcp", self.name, self.namespace)
    }
}

#[cfg(test)]
mod tests;
