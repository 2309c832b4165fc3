//! What does a repair give, and how far may it go?

use std::fmt;

use crate::repair::kind::Kind;

/// Arguments in the form the schema asks for.
#[derive(Clone, PartialEq, Eq)]
pub struct Mended {
    /// Whole JSON, the parts that fitted byte for byte.
    pub arguments: Box<str>,
    /// What was done, each once, in the order it was done.
    pub kinds: Vec<Kind>,
}

/// By hand, so that no argument is printed.
impl fmt::Debug for Mended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mended")
            .field("kinds", &self.kinds)
            .finish_non_exhaustive()
    }
}

/// What is done where text that is itself a JSON list stands for a list of texts: the list it
/// says, or a list of that one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The list it says: right for a call that changes nothing.
    Likelier,
    /// Neither: right for a call that may.
    Neither,
}
