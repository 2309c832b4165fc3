//! How are settings written? As environment for a container, and as the reference page.

use std::fmt::Write as _;
use std::time::Duration;

use crate::declared::{DECLARATIONS, Kind};
use crate::value::{duration_text, size_text};
use crate::{EmbedderChoice, LogFormat, Settings, ToolTimeout, UpstreamProtocol};

/// Name and value of every variable, in the order of the declarations; reading them gives the
/// same settings back.
#[must_use]
pub fn environment(settings: &Settings) -> Vec<(String, String)> {
    let texts = texts(settings);
    let pairs = DECLARATIONS.iter().zip(texts);
    pairs
        .filter_map(|(declared, text)| Some((declared.variable(), text?)))
        .collect()
}

/// The reference of all settings, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut page = String::from(
        "# Configuration\n\n\
         <!-- Printed from proxy/settings/src/declared.rs by its tests; do not edit. -->\n\n\
         Every setting is a flag and a variable of the environment; the flag wins. All mistakes are \
         reported together, and the process exits with 64. Secrets are never settings: callers bring \
         their own credentials with each request.\n\n\
         | flag | variable | value | default | what for |\n|---|---|---|---|---|\n",
    );
    for declared in &DECLARATIONS {
        let default = declared.default.filter(|default| !default.is_empty());
        let default = default.map_or("–".to_owned(), |default| format!("`{default}`"));
        // Writing to a string never fails.
        let _ = writeln!(
            page,
            "| `--{}` | `{}` | {} | {default} | {} |",
            declared.flag,
            declared.variable(),
            form(declared.kind),
            declared.help
        );
    }
    page
}

fn form(kind: Kind) -> String {
    match kind {
        Kind::Url => "http or https URL".to_owned(),
        Kind::Address => "`address:port`".to_owned(),
        Kind::Path => "path".to_owned(),
        Kind::Choice(words) => words
            .iter()
            .map(|word| format!("`{word}`"))
            .collect::<Vec<_>>()
            .join(", "),
        Kind::Globs => "names and globs, comma-separated".to_owned(),
        Kind::Origins => "origins or `*`, comma-separated".to_owned(),
        Kind::Hosts => "host names, comma-separated".to_owned(),
        Kind::Number(least, most) => format!("{least} to {most}"),
        Kind::Bytes(least, most) => format!("{} to {}", size_text(least), size_text(most)),
        Kind::Duration(least, most) => span_text(least, most),
        Kind::Timeouts(least, most) => {
            format!(
                "`glob=duration`, comma-separated; {}",
                span_text(least, most)
            )
        }
        Kind::Filter => "log filter".to_owned(),
    }
}

fn span_text(least: u64, most: u64) -> String {
    let text = |millis| duration_text(Duration::from_millis(millis));
    format!("{} to {}", text(least), text(most))
}

/// One text a declaration, in its order. Takes the settings apart without `..`: a new one that
/// is not rendered does not compile.
#[expect(clippy::too_many_lines, reason = "a flat list, one line a setting")]
fn texts(settings: &Settings) -> [Option<String>; 43] {
    let Settings {
        upstream,
        listen,
        diagnostics,
        embedder,
        model_dir,
        write_tools,
        read_tools,
        trust_hints,
        search_schemas,
        max_instructions,
        max_answer,
        max_answer_tokens,
        catalog_ttl,
        upstream_protocol,
        upstream_ca,
        public_url,
        allowed_origins,
        allowed_hosts,
        drain_delay,
        drain_timeout,
        log_format,
        log_level,
        max_body,
        max_result,
        max_result_tokens,
        max_connections,
        max_requests,
        max_calls_per_caller,
        max_lists_per_caller,
        max_callers,
        max_lists,
        max_concurrent_lists,
        max_pages,
        max_tools,
        max_list_bytes,
        max_sessions,
        upstream_connect_timeout,
        upstream_first_byte_timeout,
        upstream_idle_timeout,
        upstream_total_timeout,
        tool_timeouts,
        breaker_failures,
        breaker_pause,
    } = settings;
    [
        Some(upstream.to_string()),
        Some(listen.to_string()),
        Some(diagnostics.to_string()),
        Some(embedder_text(*embedder).to_owned()),
        model_dir.as_ref().map(|path| path.display().to_string()),
        list_text(write_tools),
        list_text(read_tools),
        Some(if *trust_hints { "on" } else { "off" }.to_owned()),
        Some(search_schemas.to_string()),
        Some(max_instructions.to_string()),
        Some(size_text(*max_answer)),
        Some(max_answer_tokens.to_string()),
        Some(duration_text(*catalog_ttl)),
        Some(protocol_text(*upstream_protocol).to_owned()),
        upstream_ca.as_ref().map(|path| path.display().to_string()),
        public_url.as_ref().map(ToString::to_string),
        list_text(allowed_origins),
        list_text(allowed_hosts),
        Some(duration_text(*drain_delay)),
        Some(duration_text(*drain_timeout)),
        Some(
            match log_format {
                LogFormat::Text => "text",
                LogFormat::Json => "json",
            }
            .to_owned(),
        ),
        Some(log_level.clone()),
        Some(size_text(*max_body)),
        Some(size_text(*max_result)),
        max_result_tokens.map(|tokens| tokens.to_string()),
        Some(max_connections.to_string()),
        Some(max_requests.to_string()),
        Some(max_calls_per_caller.to_string()),
        Some(max_lists_per_caller.to_string()),
        Some(max_callers.to_string()),
        Some(max_lists.to_string()),
        Some(max_concurrent_lists.to_string()),
        Some(max_pages.to_string()),
        Some(max_tools.to_string()),
        Some(size_text(*max_list_bytes)),
        Some(max_sessions.to_string()),
        Some(duration_text(*upstream_connect_timeout)),
        Some(duration_text(*upstream_first_byte_timeout)),
        Some(duration_text(*upstream_idle_timeout)),
        Some(duration_text(*upstream_total_timeout)),
        list_text(&tool_timeouts.iter().map(pair_text).collect::<Vec<_>>()),
        Some(breaker_failures.to_string()),
        Some(duration_text(*breaker_pause)),
    ]
}

fn pair_text(ToolTimeout { tools, timeout }: &ToolTimeout) -> String {
    format!("{tools}={}", duration_text(*timeout))
}

fn list_text(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join(","))
}

const fn embedder_text(choice: EmbedderChoice) -> &'static str {
    match choice {
        EmbedderChoice::Auto => "auto",
        EmbedderChoice::Builtin => "builtin",
        EmbedderChoice::Dir => "dir",
        EmbedderChoice::None => "none",
    }
}

const fn protocol_text(protocol: UpstreamProtocol) -> &'static str {
    match protocol {
        UpstreamProtocol::Auto => "auto",
        UpstreamProtocol::Modern => "modern",
        UpstreamProtocol::Legacy => "legacy",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    #[test]
    fn the_reference_page_is_fresh() {
        expect_file!["../../../docs/configuration.md"].assert_eq(&super::reference());
    }
}
