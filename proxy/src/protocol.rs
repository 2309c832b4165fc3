//! The wire types that both ends of the proxy share, and nothing else.
//!
//! Results, schemas and arguments stay raw JSON: a typed round trip would lose unknown fields,
//! key order and the text of numbers.

pub mod challenge;
mod header_params;
mod jsonrpc;
mod members;
mod progress;
mod scan;
mod tool;
mod version;

pub use header_params::{HeaderParam, HeaderType};
pub use jsonrpc::{ErrorObject, Id, code};
pub use members::{Key, Members};
pub use progress::{Progress, ProgressSender};
pub use scan::{Broken, Event, Scan};
pub use tool::{BadTool, Tool};
pub use version::Revision;
