//! What would a search find? One listing, one index, one ranked table: no server.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use http::HeaderValue;
use serde::Deserialize;
use serde_json::value::RawValue;
use toolsearch_search::{Document, Embedder, Explanation, Index, Vectors, Weights};

use toolsearch_settings::Settings;

use crate::caller::Callers;
use crate::protocol::Tool;
use crate::run::upstream_config;
use crate::upstream::Upstream;

/// What to search for, and how to show it.
#[derive(Debug, Clone)]
pub struct Query {
    /// In anybody's words and language.
    pub text: String,
    /// Rows of the table.
    pub limit: usize,
    /// Whether to show where each score comes from.
    pub explain: bool,
}

/// The tools of a saved `tools/list` answer, of `{"tools": […]}`, or of a list; also gzipped.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn read_catalog(file: &Path) -> anyhow::Result<Vec<Tool>> {
    let bytes =
        std::fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
    let json = unzipped(bytes).with_context(|| format!("failed to unzip {}", file.display()))?;
    let raw = tools_of(&json).with_context(|| {
        format!(
            "{} holds no tools: expected {{\"tools\": […]}} or a tools/list answer",
            file.display()
        )
    })?;
    Ok(raw
        .into_iter()
        .filter_map(|tool| Tool::parse(tool).ok())
        .collect())
}

/// The tools of an upstream, listed once, with a bearer token where one is given.
///
/// # Errors
/// The upstream cannot be listed.
pub async fn list(settings: &Settings, token: Option<&str>) -> anyhow::Result<Vec<Tool>> {
    let authorization =
        token.map(|token| HeaderValue::from_str(&format!("Bearer {}", token.trim())));
    let authorization = authorization
        .transpose()
        .context("the token holds characters that no header can carry")?;
    let caller = Callers::new()?.identify(authorization);
    let upstream = Upstream::new(upstream_config(settings)?, &prometheus::Registry::new())?;
    let listing = upstream
        .list(&caller)
        .await
        .with_context(|| format!("cannot list {}", settings.upstream))?;
    Ok(listing.tools)
}

/// Ranks the tools for a query and prints the table.
///
/// # Errors
/// There is nothing to search, the index cannot be built, or the output is gone.
pub fn search(
    tools: &[Tool],
    embedder: Option<Embedder>,
    query: &Query,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    if tools.is_empty() {
        bail!("the list has no tools, so there is nothing to search");
    }
    let documents: Vec<Document> = tools.iter().map(document).collect();
    let index = Index::build(&documents, embedder.map(Vectors::new).as_ref())?;
    let hits = index.explain(&query.text, query.limit, index.mode(), &Weights::default());
    for (rank, hit) in hits.iter().enumerate() {
        print(out, rank + 1, &tools[hit.hit.position], hit, query.explain)?;
    }
    writeln!(out, "{} of {} tools", hits.len(), tools.len())?;
    Ok(())
}

fn print(
    out: &mut impl Write,
    rank: usize,
    tool: &Tool,
    explained: &Explanation,
    explain: bool,
) -> std::io::Result<()> {
    let Explanation {
        hit,
        named,
        lexical,
        expansion,
        semantic,
        matched,
        near,
        known,
    } = explained;
    let description: String = tool
        .description
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let description: String = description.chars().take(80).collect();
    if !explain {
        return writeln!(
            out,
            "{rank:>3}  {:.3}  {:<44}  {description}",
            hit.score, tool.name
        );
    }
    let Tool { name, .. } = tool;
    let score = hit.score;
    write!(out, "{rank:>3}  {score:.3} = ")?;
    if *named > 0.0 {
        write!(out, "{named:.1} named + ")?;
    }
    writeln!(
        out,
        "{lexical:.3} words + {expansion:.3} near words + {semantic:.3} meaning  {name}"
    )?;
    let near = near
        .iter()
        .map(|(words, cosine)| format!("{words} {cosine:.2}"));
    let listed = |words: Vec<String>, none: &str| {
        if words.is_empty() {
            none.to_owned()
        } else {
            words.join(" ")
        }
    };
    let words = listed(matched.clone(), "none");
    let near = listed(near.collect(), "none");
    writeln!(out, "       words: {words}")?;
    writeln!(out, "       near words: {near}")?;
    if rank == 1 {
        let weights = Weights::default();
        writeln!(
            out,
            "       weights: words {:.2} = {} x {known:.2}^2 (the share of the query's words that some tool has, squared), near words {}, meaning {}",
            weights.lexical * known * known,
            weights.lexical,
            weights.expansion,
            weights.semantic
        )?;
    }
    Ok(())
}

fn document(tool: &Tool) -> Document {
    let schema = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    Document::new(
        &tool.name,
        tool.title.as_deref().unwrap_or_default(),
        &tool.description,
        &schema,
    )
}

fn unzipped(bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let mut json = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut json)?;
    Ok(json)
}

fn tools_of(json: &[u8]) -> Option<Vec<Box<RawValue>>> {
    #[derive(Deserialize)]
    struct Tools {
        tools: Vec<Box<RawValue>>,
    }
    #[derive(Deserialize)]
    struct Answer {
        result: Tools,
    }
    let listed = serde_json::from_slice::<Tools>(json).map(|tools| tools.tools);
    let listed = listed
        .or_else(|_| serde_json::from_slice::<Answer>(json).map(|answer| answer.result.tools));
    listed.or_else(|_| serde_json::from_slice(json)).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{tools_of, unzipped};

    #[test]
    fn every_saved_form_is_read() {
        for json in [
            r#"{"tools":[{"name":"a"},{"name":"b"}]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}]}}"#,
            r#"[{"name":"a"},{"name":"b"}]"#,
        ] {
            let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            zipped.write_all(json.as_bytes()).unwrap();
            for bytes in [json.as_bytes().to_vec(), zipped.finish().unwrap()] {
                let tools = tools_of(&unzipped(bytes).unwrap()).unwrap();
                assert_eq!(tools.len(), 2);
            }
        }
        assert!(tools_of(b"{}").is_none());
        assert!(tools_of(b"nonsense").is_none());
    }
}
