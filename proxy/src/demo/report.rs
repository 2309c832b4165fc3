//! What does the demo show? Tokens without and with the proxy, results, a client configuration.

use std::io::{Result, Write};
use std::net::SocketAddr;

use serde_json::{Value, json};

/// Prints what a client's model would load, counted with the o200k tokenizer.
pub(super) fn tokens(out: &mut impl Write, without: &[Value], with: &Value) -> Result<()> {
    let before = count(&Value::from(without.to_vec()));
    let after = count(with);
    let saved = 100.0 * (1.0 - after as f64 / before.max(1) as f64);
    writeln!(
        out,
        "What a model loads before its first word (o200k tokens of the tool definitions):\n"
    )?;
    writeln!(out, "  {:<24}{:>8}{:>12}", "", "tools", "tokens")?;
    writeln!(
        out,
        "  {:<24}{:>8}{:>12}",
        "without the proxy",
        without.len(),
        before
    )?;
    let tools = with.as_array().map_or(0, Vec::len);
    writeln!(out, "  {:<24}{tools:>8}{after:>12}", "with the proxy")?;
    writeln!(out, "  {:<24}{:>8}{:>11.1}%", "saved", "", saved)
}

/// Prints one query's results, best first.
pub(super) fn search(
    out: &mut impl Write,
    language: &str,
    query: &str,
    found: &Value,
) -> Result<()> {
    writeln!(out, "\nsearch_tools, {language}: {query}\n")?;
    let tools = found["tools"].as_array().map_or(&[][..], Vec::as_slice);
    for (rank, tool) in tools.iter().enumerate() {
        let kind = if tool["readOnly"] == true {
            "read"
        } else {
            "write"
        };
        let name = tool["name"].as_str().unwrap_or_default();
        let description = short(tool["description"].as_str().unwrap_or_default());
        writeln!(out, "  {:>2}  {kind:<6}{name:<40}  {description}", rank + 1)?;
    }
    writeln!(out, "      of {} tools", found["total"])
}

/// Prints what to put into a client's configuration file.
pub(super) fn configuration(out: &mut impl Write, address: SocketAddr) -> Result<()> {
    let url = format!("http://{address}/mcp");
    let servers = json!({ "mcpServers": { "toolsearch": { "type": "http", "url": url } } });
    writeln!(
        out,
        "\nA client's configuration (Claude Code's .mcp.json, Cursor's mcp.json):\n"
    )?;
    writeln!(out, "{servers:#}")?;
    writeln!(
        out,
        "\nor: claude mcp add --transport http toolsearch {url}"
    )
}

fn count(definitions: &Value) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(&definitions.to_string())
        .len()
}

fn short(text: &str) -> String {
    const WIDTH: usize = 60;
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WIDTH {
        return line;
    }
    line.chars().take(WIDTH - 1).chain(['…']).collect()
}
