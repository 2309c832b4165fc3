//! What any of the binaries needs to be run: logs, diagnostics, an orderly end.
//!
//! Knows no metric's name but that of the build, and nothing about what the binary does.

pub mod diagnostics;
mod lifecycle;
pub mod logging;
pub mod reference;
pub mod signals;

pub use lifecycle::{Lifecycle, Phase};
