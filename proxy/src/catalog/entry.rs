//! One tool of a catalog, with what follows from its definition.

use std::sync::OnceLock;

use crate::catalog::access::Access;
use crate::protocol::Tool;
use crate::validate::Validator;

/// One tool; interned, so that equal definitions exist once in the process.
#[derive(Debug)]
pub struct Entry {
    /// The definition.
    pub tool: Tool,
    /// Read or write, for every caller alike.
    pub access: Access,
    validator: OnceLock<Validator>,
}

impl Entry {
    /// An entry whose schema is not compiled yet.
    #[must_use]
    pub const fn new(tool: Tool, access: Access) -> Self {
        Self {
            tool,
            access,
            validator: OnceLock::new(),
        }
    }

    /// The compiled input schema; made at first use, then kept.
    #[must_use]
    pub fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            let validator = Validator::compile(&self.tool.input_schema);
            if let Some(reason) = validator.unusable() {
                // Once a definition: it is compiled once, at the first call.
                tracing::warn!(
                    tool = self.tool.name,
                    reason,
                    "the input schema cannot be used, so the upstream alone checks arguments"
                );
            }
            validator
        })
    }
}
