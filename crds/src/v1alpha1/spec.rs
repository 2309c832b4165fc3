//! What a user may ask for, in parts: one file for each thing that a person looks for.
//!
//! Each source of a model is a field of its own, of which exactly one is set, so that later ones
//! are added without breaking anything. A setting of the proxy that is left out is left to the
//! proxy: its defaults are in the proxy's own reference.

use kube::core::Rule;

mod model;
mod network;
mod pod;
mod scaling;
mod settings;
mod upstream;

pub use model::{
    Fetch, HuggingFace, Mirror, Model, ModelFile, ModelImage, ModelVolume, Nothing, PullPolicy,
};
pub use network::{Monitoring, NetworkPeer, NetworkPolicy, Service, ServiceType};
pub use pod::{PodMetadata, Resources, Scheduling, Toleration};
pub use scaling::{Autoscaling, Drain, PodDisruptionBudget, Rollout};
pub use settings::{Catalog, Limits, LogFormat, Logging, Search};
pub use upstream::{
    Breaker, CaBundle, KeyReference, Timeouts, ToolTimeout, Upstream, UpstreamProtocol,
};

/// The pattern of a name of another object.
const OBJECT: &str = "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$";

/// A duration within bounds: `500ms`, `10s`, `1h30m`. A rule and no pattern, whose refusal would
/// not say what is wanted.
fn duration(least: &str, most: &str) -> Rule {
    let form = "self.matches('^([0-9]{1,6}(ms|s|m|h)){1,6}$')";
    let bounds =
        format!("duration(self) >= duration('{least}') && duration(self) <= duration('{most}')");
    let words =
        format!("must be a duration from {least} to {most} with its unit, such as 30s or 5m");
    Rule::new(format!("{form} && {bounds}")).message(words.as_str())
}

/// A size within bounds: `64MiB`, `10kB`, `4096`.
fn size(least: &str, most: &str) -> Rule {
    let form = "self.matches('^[0-9]{1,15}(B|kB|KiB|MB|MiB|GB|GiB)?$')";
    // Kubernetes' own amounts are written without the B.
    let bound = |text: &str| text.replace('B', "");
    let bounds = format!(
        "quantity(self.replace('B', '')).compareTo(quantity('{}')) >= 0 && \
         quantity(self.replace('B', '')).compareTo(quantity('{}')) <= 0",
        bound(least),
        bound(most)
    );
    let words = format!("must be a size from {least} to {most}, such as 4MiB");
    Rule::new(format!("{form} && {bounds}")).message(words.as_str())
}
