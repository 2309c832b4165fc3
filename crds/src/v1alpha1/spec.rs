//! What a user may ask for, in parts: one file for each thing that a person looks for.
//!
//! Each source of a model is a field of its own, of which exactly one is set, so that later ones
//! are added without breaking anything. A setting of the proxy that is left out is left to the
//! proxy: its defaults are in the proxy's own reference.

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

/// The pattern of a duration: `500ms`, `10s`, `1h30m`.
const DURATION: &str = "^([0-9]+(ms|s|m|h))+$";
/// The pattern of a size: `64MiB`, `10kB`, `4096`.
const SIZE: &str = "^[0-9]+(B|kB|KiB|MB|MiB|GB|GiB)?$";
/// The pattern of a name of another object.
const OBJECT: &str = "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$";
