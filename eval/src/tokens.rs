//! What does a model load? Tokens of tool definitions, by the o200k tokenizer.

use anyhow::Context;
use serde_json::Value;

/// Tokens of a text.
#[must_use]
pub fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

/// A table of definitions without and with the proxy, for growing parts of a catalog.
///
/// # Errors
/// The catalog or the definitions are no JSON.
pub fn table(catalog: &str, definitions: &str) -> anyhow::Result<String> {
    let catalog: Value = serde_json::from_str(catalog)?;
    let tools = catalog["tools"]
        .as_array()
        .context("the catalog has no list of tools")?;
    let definitions: Value = serde_json::from_str(definitions)?;
    let with = count(&definitions.to_string());
    let mut table =
        String::from("| tools | without the proxy | with it | saved |\n|---|---|---|---|\n");
    for size in [100, 250, 500, tools.len()] {
        let part = Value::from(tools.iter().take(size).cloned().collect::<Vec<_>>());
        let without = count(&part.to_string());
        let saved = 100.0 * (1.0 - with as f64 / without.max(1) as f64);
        table.push_str(&format!("| {size} | {without} | {with} | {saved:.1} % |\n"));
    }
    Ok(table)
}
