//! What is a model's folder made of?

/// How vectors are finished.
pub(super) const CONFIG: &str = "config.json";
/// How texts are split.
pub(super) const TOKENIZER: &str = "tokenizer.json";
/// The numbers.
pub(super) const TABLE: &str = "model.safetensors";
