//! How a fetch that went well went.

/// How a folder came to be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// By downloading what was missing.
    Fetched,
    /// It was so before.
    AlreadyComplete,
}

impl Outcome {
    /// A static name, in the form of a condition's reason.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Fetched => "Fetched",
            Self::AlreadyComplete => "AlreadyComplete",
        }
    }
}
