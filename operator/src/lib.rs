//! `toolsearch-operator`: makes a cluster match its `ToolSearchProxy` resources.
//!
//! One reconcile is a line: `references` finds what a spec refers to, `desired` checks and
//! completes the spec, `resources` builds the objects, `apply` sends what differs, `observe` looks
//! at what came of it, `status` says so. Everything between the first and the last two is pure.
//! `looks` remembers what was found, so that at rest little is read again.

mod apply;
mod backoff;
mod client;
mod cluster;
mod controller;
pub mod desired;
mod digest;
mod journal;
mod lease;
mod looks;
mod metrics;
pub mod names;
mod observe;
pub mod options;
mod reach;
mod reconcile;
pub mod references;
pub mod render;
pub mod resources;
mod run;
mod status;
mod watchdog;

pub use metrics::Metrics;
pub use run::{Error, run};
