//! The kit of the whole-proxy tests: a scripted upstream, a running proxy, a client that writes
//! its JSON by hand, and a capture of everything that is logged.
//!
//! The network is faked, never our own code: both ends are real sockets on port 0.

pub mod alone;
pub mod balancer;
pub mod client;
pub mod fake;
pub mod logs;
pub mod running;
pub mod wire;

pub use alone::Alone;
pub use client::{Client, Reply};
pub use fake::{Answer, Fake, Seen};
pub use logs::Logs;
pub use running::Running;
pub use wire::{Raw, Step, Wire};
