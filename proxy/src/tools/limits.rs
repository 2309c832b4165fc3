//! How large may an answer of ours be?

/// Bounds of our own answers, from the settings.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many of the best hits bring their input schemas.
    pub search_schemas: usize,
    /// Tokens of one answer of `search_tools`.
    pub max_answer_tokens: usize,
    /// Bytes of the JSON of one answer.
    pub max_answer_bytes: usize,
}
