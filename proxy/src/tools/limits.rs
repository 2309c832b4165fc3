//! How large may an answer be?

/// Bounds of answers, from the settings.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many of the best hits bring their input schemas.
    pub search_schemas: usize,
    /// Tokens of one answer of `search_tools`.
    pub max_answer_tokens: usize,
    /// Bytes of the JSON of one answer.
    pub max_answer_bytes: usize,
    /// Tokens of the upstream's results in one answer; `None`: they pass as they come.
    pub max_result_tokens: Option<usize>,
}
