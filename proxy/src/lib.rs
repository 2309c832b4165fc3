//! A tool-search proxy for MCP: five tools in front of one upstream server that has far too many.
//!
//! Read in this order: `tools/call.rs` (the guard), `catalog/snapshot.rs`, `endpoint.rs`, `server.rs`.
//! The direction of imports is the table in `docs/architecture.md`; a test holds it.

pub mod cache;
pub mod caller;
pub mod catalog;
pub mod demo;
pub mod endpoint;
mod fold;
pub mod lookup;
pub mod model;
pub mod protocol;
mod reach;
pub mod repair;
mod run;
pub mod server;
pub mod spans;
mod task;
pub mod tools;
pub mod upstream;
pub mod validate;

pub use run::{Proxy, StartError, embedder};
