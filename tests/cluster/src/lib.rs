//! A real Kubernetes for tests: API server, controllers, scheduler, and nodes with kubelet,
//! containerd, kube-proxy and enforced policies, in namespaces of their own on one Linux machine.
//!
//! Start with [`Cluster::up`]; the cluster ends when it is dropped. Everything lies in one folder,
//! so there is one cluster at a time. Knows nothing of what is tested in it.
//!
//! # Guarantees
//! - The machine's addresses, firewall, settings, `/var` and `/run` are not written.
//! - A process that started a cluster and is killed leaves nothing running.
//! - Two clusters at once are refused before the second has started anything.
//!
//! # Caveats
//! - Linux and root only; [`Error::Unsupported`] says what is missing.
//! - After a kill, control groups and files lie about until the next start or `down`.

mod addons;
mod audit;
mod call;
mod cgroups;
mod claim;
mod cluster;
mod control;
mod digest;
mod environment;
mod error;
mod host;
mod images;
mod network;
mod node;
mod pki;
mod place;
mod processes;
mod programs;
mod sandbox;
mod say;
mod start;
mod state;
mod traces;
mod wait;

pub use audit::{Write, counts};
pub use claim::down;
pub use cluster::Cluster;
pub use error::Error;
pub use images::Image;
pub use processes::Process;
pub use start::Options;
pub use traces::Traces;

/// Whether this machine can carry the cluster; installs from Debian what is missing, where it can.
///
/// # Errors
/// [`Error::Unsupported`] with everything that is missing.
pub fn check() -> Result<(), Error> {
    host::install_for_running();
    host::ready_to_run()
}

/// Makes every program of the cluster, or finds them made, and gives their folder.
///
/// # Errors
/// [`Error::Unsupported`] with what is missing for building.
pub fn build() -> Result<std::path::PathBuf, Error> {
    host::install_for_running();
    programs::provide()
}
