//! What does a model load? Tokens of tool definitions without and with the proxy, by the o200k
//! tokenizer.
//!
//! What a search costs is measured where whole answers are made: `toolsearch-answers` in `tests`
//! asks a running proxy and counts with [`count`]; see `docs/architecture.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grow::grown;

/// How large the catalogs are that tokens are counted for.
pub const SIZES: [usize; 5] = [100, 500, 1000, 5000, 10_000];
/// The tokenizer's name.
pub const TOKENIZER: &str = "o200k";

const DEFINITIONS: &str = include_str!("../../proxy/src/tools/definitions.json");

/// Tokens of a text.
#[must_use]
pub fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

/// What the definitions of one catalog take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definitions {
    /// Tools in the catalog.
    pub tools: usize,
    /// Tokens of all their definitions.
    pub without: usize,
    /// Tokens of the proxy's own five.
    pub with: usize,
}

/// Counts for every size of [`SIZES`].
///
/// # Errors
/// The proxy's definitions are no JSON.
pub fn definitions(catalog: &[Value]) -> anyhow::Result<Vec<Definitions>> {
    let own: Value = serde_json::from_str(DEFINITIONS)?;
    let with = count(&own.to_string());
    let largest = grown(catalog, SIZES[SIZES.len() - 1]);
    let mut without = 0;
    let mut counted = Vec::new();
    for (at, tool) in largest.iter().enumerate() {
        // One by one: a definition's tokens do not depend on its neighbours, and a prefix of the
        // list costs what its parts cost.
        without += count(&tool.to_string());
        if SIZES.contains(&(at + 1)) {
            counted.push(Definitions {
                tools: at + 1,
                without,
                with,
            });
        }
    }
    Ok(counted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SIZES, count, definitions};

    #[test]
    fn definitions_grow_and_ours_do_not() {
        let tools = [json!({"name": "a_b", "description": "Lists the files of a user."})];
        let counted = definitions(&tools).unwrap();
        assert_eq!(counted.len(), SIZES.len());
        assert!(counted[0].without >= 100 * 12);
        assert!(counted.windows(2).all(|pair| {
            pair[0].without * 2 < pair[1].without + 1 || pair[1].tools < pair[0].tools * 3
        }));
        assert!(
            counted
                .iter()
                .all(|row| row.with == counted[0].with && row.with > 500)
        );
        assert_eq!(count("tiktoken"), 3);
    }
}
