//! What is the operator told? Everything that `run` takes, read from flags and environment.

use std::net::SocketAddr;
use std::time::Duration;

/// What `run` and `render` need to know beside the resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    /// The image of pods whose resource names none.
    pub proxy_image: String,
    /// When it is pulled, where the resource does not say.
    pub pull_policy: Option<String>,
    /// Secrets with credentials for it.
    pub pull_secrets: Vec<String>,
}

/// Everything that `run` takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What a resource leaves out.
    pub defaults: Defaults,
    /// Namespaces to watch; none: all.
    pub namespaces: Vec<String>,
    /// Only resources with these labels.
    pub instances: Option<String>,
    /// Where probes and metrics are served.
    pub diagnostics: SocketAddr,
    /// The lease, where one is held.
    pub lease: Option<Lease>,
    /// Reconciles under way at once.
    pub concurrency: u16,
    /// How often everything of a resource is read again when nothing happens.
    pub resync: Duration,
    /// The pause between two rollouts that no user asked for.
    pub rollout_delay: Duration,
    /// Requests to the API server a second, in the long run.
    pub qps: u32,
    /// Requests at once.
    pub burst: u32,
}

/// Which lease says who writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Who we are.
    pub identity: String,
    /// How long it is valid without renewal.
    pub duration: Duration,
}
