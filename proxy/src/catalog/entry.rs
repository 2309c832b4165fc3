//! One tool of a catalog, with what follows from its definition.

use std::sync::{Once, OnceLock};

use serde_json::Value;

use crate::catalog::access::Access;
use crate::protocol::Tool;
use crate::validate::{Validator, Verdict};

/// One tool; interned, so that equal definitions exist once in the process.
#[derive(Debug)]
pub struct Entry {
    /// The definition.
    pub tool: Tool,
    /// Read or write, for every caller alike.
    pub access: Access,
    validator: OnceLock<Validator>,
    /// Whether it was said that a check was given up.
    is_told: Once,
}

impl Entry {
    /// An entry whose schema is not compiled yet.
    #[must_use]
    pub const fn new(tool: Tool, access: Access) -> Self {
        Self {
            tool,
            access,
            validator: OnceLock::new(),
            is_told: Once::new(),
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

    /// Checks arguments, and says once a definition that a check had to be given up.
    #[must_use]
    pub fn check(&self, arguments: &Value) -> Verdict {
        let validator = self.validator();
        let verdict = validator.check(arguments);
        if let Verdict::Unchecked(reason) = verdict
            && validator.unusable().is_none()
        {
            self.is_told.call_once(|| {
                tracing::warn!(
                    tool = self.tool.name,
                    reason,
                    "a check was given up, so the upstream alone checks such arguments"
                );
            });
        }
        verdict
    }
}
