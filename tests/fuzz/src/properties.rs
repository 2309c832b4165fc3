//! What must hold, whatever comes: one file a target, each with one door.

pub mod headers;
pub mod jsonrpc;
pub mod repair;
pub mod schema;
pub mod sse;
