//! How do arguments and environment become `Settings`? A flag wins over its variable, a variable
//! over the default; every mistake is reported, not only the first.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::declared::{DECLARATIONS, Kind, PREFIX};
use crate::mistake::{Mistake, Mistakes};
use crate::reader::Reader;
use crate::value;
use crate::{EmbedderChoice, LogFormat, Settings, UpstreamProtocol};

/// Adds a flag for every setting to a command; values stay text, so that all are checked together.
#[must_use]
pub fn add_flags(command: Command) -> Command {
    command.args(DECLARATIONS.iter().map(|declared| {
        let default = declared.default.filter(|default| !default.is_empty());
        let default = default.map_or(String::new(), |default| format!(" [default: {default}]"));
        Arg::new(declared.flag)
            .long(declared.flag)
            .value_name(value_name(declared.kind))
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help(format!(
                "{}{default} [{}]",
                declared.help,
                declared.variable()
            ))
    }))
}

/// Reads the settings out of parsed flags and the environment.
///
/// # Errors
/// Every mistake: a value of the wrong form or out of bounds, a variable of ours that no setting
/// has, settings that contradict each other.
pub fn settings(
    flags: &ArgMatches,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<Settings, Mistakes> {
    let environment: HashMap<_, _> = environment
        .into_iter()
        .filter(|(name, _)| name.starts_with(PREFIX))
        .collect();
    let mut reader = Reader::default();
    reader.refuse_unknown(&environment);
    for declared in &DECLARATIONS {
        reader.take(declared, flags, &environment);
    }
    let settings = reader.assemble();
    reader.cross_check();
    match settings {
        Some(settings) if reader.mistakes.is_empty() => Ok(settings),
        _ => Err(Mistakes(reader.mistakes)),
    }
}

/// The variables of this process that are text; the only place that reads the environment.
#[must_use]
pub fn environment() -> Vec<(String, String)> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate is where the environment is read"
    )]
    let variables = std::env::vars_os();
    variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

impl Reader {
    /// Every field, read one after the other so that every mistake is found.
    #[expect(clippy::too_many_lines, reason = "a flat list, one line a setting")]
    fn assemble(&mut self) -> Option<Settings> {
        if !self.is_given("upstream") {
            self.mistakes.push(Mistake::of(
                "upstream",
                "--upstream (or TOOLSEARCH_UPSTREAM)".to_owned(),
                "is missing: the URL of the MCP server behind the proxy, such as \
                 https://gateway.example.com/mcp"
                    .to_owned(),
            ));
        }
        let url = |text: &str| value::url(text).map_err(str::to_owned);
        let address = |text: &str| {
            value::address(text)
                .ok_or_else(|| "must be address:port, such as 127.0.0.1:8080".to_owned())
        };
        let path = |text: &str| Ok(PathBuf::from(text));
        let upstream = self.read("upstream", url);
        let listen = self.read("listen", address);
        let diagnostics = self.read("diagnostics", address);
        let embedder = self.choice(
            "embedder",
            &[
                EmbedderChoice::Auto,
                EmbedderChoice::Builtin,
                EmbedderChoice::Dir,
                EmbedderChoice::None,
            ],
        );
        let model_dir = self.read("model-dir", path);
        let (write_tools, read_tools) = (self.globs("write-tools"), self.globs("read-tools"));
        let tool_timeouts = self.tool_timeouts("tool-timeouts");
        let trust_hints = self.choice("trust-hints", &[true, false]);
        let upstream_protocol = self.choice(
            "upstream-protocol",
            &[
                UpstreamProtocol::Auto,
                UpstreamProtocol::Modern,
                UpstreamProtocol::Legacy,
            ],
        );
        let upstream_ca = self.read("upstream-ca", path);
        let public_url = self.read("public-url", url);
        let (allowed_origins, allowed_hosts) =
            (self.origins("allowed-origins"), self.hosts("allowed-hosts"));
        let log_format = self.choice("log-format", &[LogFormat::Text, LogFormat::Json]);
        let log_level = self.read("log-level", |text| {
            value::parse_log_filter(text).map_err(str::to_owned)
        });
        let numbers = NUMBERS.map(|flag| self.number(flag));
        let durations = DURATIONS.map(|flag| self.duration(flag));
        let [
            search_schemas,
            max_instructions,
            max_answer,
            max_answer_tokens,
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
            breaker_failures,
        ] = numbers;
        let [
            catalog_ttl,
            drain_delay,
            drain_timeout,
            connect,
            first_byte,
            idle,
            total,
            breaker_pause,
        ] = durations;
        Some(Settings {
            upstream: upstream?,
            listen: listen?,
            diagnostics: diagnostics?,
            embedder: embedder?,
            model_dir,
            write_tools: write_tools?,
            read_tools: read_tools?,
            trust_hints: trust_hints?,
            search_schemas: search_schemas?,
            max_instructions: max_instructions?,
            max_answer: max_answer?,
            max_answer_tokens: max_answer_tokens?,
            catalog_ttl: catalog_ttl?,
            upstream_protocol: upstream_protocol?,
            upstream_ca,
            public_url,
            allowed_origins: allowed_origins?,
            allowed_hosts: allowed_hosts?,
            drain_delay: drain_delay?,
            drain_timeout: drain_timeout?,
            log_format: log_format?,
            log_level: log_level?,
            max_body: max_body?,
            max_result: max_result?,
            max_result_tokens,
            max_connections: max_connections?,
            max_requests: max_requests?,
            max_calls_per_caller: max_calls_per_caller?,
            max_lists_per_caller: max_lists_per_caller?,
            max_callers: max_callers?,
            max_lists: max_lists?,
            max_concurrent_lists: max_concurrent_lists?,
            max_pages: max_pages?,
            max_tools: max_tools?,
            max_list_bytes: max_list_bytes?,
            max_sessions: max_sessions?,
            upstream_connect_timeout: connect?,
            upstream_first_byte_timeout: first_byte?,
            upstream_idle_timeout: idle?,
            upstream_total_timeout: total?,
            tool_timeouts: tool_timeouts?,
            breaker_failures: breaker_failures?,
            breaker_pause: breaker_pause?,
        })
    }

    fn cross_check(&mut self) {
        let embedder = self.given.get("embedder").map(|(text, _)| text.as_str());
        match (embedder, self.is_given("model-dir")) {
            (Some("dir"), false) => self.mistakes.push(Mistake::sentence(
                "--embedder dir needs --model-dir: the folder that fetch-model made".to_owned(),
            )),
            (Some(choice @ ("none" | "builtin")), true) => {
                self.mistakes.push(Mistake::sentence(format!(
                    "--model-dir is given, and --embedder {choice} would ignore it; drop one of the two"
                )));
            }
            _ => (),
        }
        let (listen, diagnostics) = (self.given.get("listen"), self.given.get("diagnostics"));
        let same = listen
            .zip(diagnostics)
            .is_some_and(|(a, b)| a.0 == b.0 && !a.0.ends_with(":0"));
        if same {
            self.mistakes.push(Mistake::sentence(
                "--listen and --diagnostics are the same address; give each its own".to_owned(),
            ));
        }
    }
}

/// Settings that are numbers or sizes, in the order `assemble` takes them.
const NUMBERS: [&str; 19] = [
    "search-schemas",
    "max-instructions",
    "max-answer",
    "max-answer-tokens",
    "max-body",
    "max-result",
    "max-result-tokens",
    "max-connections",
    "max-requests",
    "max-calls-per-caller",
    "max-lists-per-caller",
    "max-callers",
    "max-lists",
    "max-concurrent-lists",
    "max-pages",
    "max-tools",
    "max-list-bytes",
    "max-sessions",
    "breaker-failures",
];

/// Settings that are durations, in the order `assemble` takes them.
const DURATIONS: [&str; 8] = [
    "catalog-ttl",
    "drain-delay",
    "drain-timeout",
    "upstream-connect-timeout",
    "upstream-first-byte-timeout",
    "upstream-idle-timeout",
    "upstream-total-timeout",
    "breaker-pause",
];

pub(crate) const fn value_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Url => "URL",
        Kind::Address => "ADDRESS:PORT",
        Kind::Path => "PATH",
        Kind::Choice(_) => "CHOICE",
        Kind::Globs => "GLOB,…",
        Kind::Origins => "ORIGIN,…",
        Kind::Hosts => "HOST,…",
        Kind::Timeouts(..) => "GLOB=DURATION,…",
        Kind::Number(..) => "NUMBER",
        Kind::Bytes(..) => "SIZE",
        Kind::Duration(..) => "DURATION",
        Kind::Filter => "FILTER",
    }
}

#[cfg(test)]
mod tests;
