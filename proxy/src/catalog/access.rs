//! Is it a read or a write? The operator's lists first, then the upstream's hint.

use crate::protocol::Tool;

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only reads: may be called through the read tools.
    Read,
    /// May create, change or delete: through `call_write_tool` only.
    Write,
}

/// The operator's word on reads and writes.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Exact names and globs that are writes whatever the upstream says. Wins over everything.
    pub write_tools: globset::GlobSet,
    /// Globs that the operator vouches for as read-only.
    pub read_tools: globset::GlobSet,
    /// Whether the upstream's `readOnlyHint: true` is believed.
    pub trust_hints: bool,
}

impl Policy {
    /// Decides for one tool: anything not known to be a read is a write.
    #[must_use]
    pub fn access(&self, tool: &Tool) -> Access {
        if self.write_tools.is_match(&tool.name) {
            return Access::Write;
        }
        if self.read_tools.is_match(&tool.name) {
            return Access::Read;
        }
        if self.trust_hints && tool.read_only_hint == Some(true) {
            return Access::Read;
        }
        Access::Write
    }
}
