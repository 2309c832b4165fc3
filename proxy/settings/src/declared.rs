//! What may be set? Every setting in one table: flag, default, kind, help.
//!
//! The variable's name follows from the flag's: `--catalog-ttl` is `TOOLSEARCH_CATALOG_TTL`.

/// One setting as it is declared.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// The flag without its dashes; also the key of the parsed value.
    pub flag: &'static str,
    /// What its value looks like, bounds included.
    pub kind: Kind,
    /// The value when nothing is given; `None`: there is none.
    pub default: Option<&'static str>,
    /// One sentence for the help and the documentation.
    pub help: &'static str,
}

/// The form of a value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// An http or https URL without userinfo.
    Url,
    /// `address:port`.
    Address,
    /// A path.
    Path,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Names and globs, comma-separated; the flag may be repeated.
    Globs,
    /// Web origins or `*`, comma-separated; the flag may be repeated.
    Origins,
    /// Host names, comma-separated; the flag may be repeated.
    Hosts,
    /// Names and globs with a duration each, within bounds in milliseconds; the flag may be repeated.
    Timeouts(u64, u64),
    /// A whole number within bounds.
    Number(usize, usize),
    /// Bytes within bounds: `64MiB`, `10kB`, `4096`.
    Bytes(usize, usize),
    /// A duration within bounds, in milliseconds: `500ms`, `10s`, `1h30m`.
    Duration(u64, u64),
    /// Log filter directives.
    Filter,
}

impl Kind {
    /// Whether a value is a list of items.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            Self::Globs | Self::Origins | Self::Hosts | Self::Timeouts(..)
        )
    }
}

const SECOND: u64 = 1000;
const HOUR: u64 = 3600 * SECOND;
const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

const fn declare(
    flag: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    help: &'static str,
) -> Declaration {
    Declaration {
        flag,
        kind,
        default,
        help,
    }
}

/// Every setting, in the order of the documentation.
pub const DECLARATIONS: [Declaration; 43] = [
    declare(
        "upstream",
        Kind::Url,
        None,
        "The MCP server behind the proxy (streamable HTTP).",
    ),
    declare(
        "listen",
        Kind::Address,
        Some("127.0.0.1:8080"),
        "Where MCP clients connect; the path is /mcp.",
    ),
    declare(
        "diagnostics",
        Kind::Address,
        Some("127.0.0.1:9090"),
        "Where probes and metrics are served.",
    ),
    declare(
        "embedder",
        Kind::Choice(&["auto", "builtin", "dir", "none"]),
        Some("auto"),
        "The model that finds by meaning: the folder of --model-dir where given and the built-in one otherwise (auto), or always one of them, or none: search is then by words alone.",
    ),
    declare(
        "model-dir",
        Kind::Path,
        None,
        "A folder in the Model2Vec format, as fetch-model makes it.",
    ),
    declare(
        "write-tools",
        Kind::Globs,
        Some(""),
        "Tools that are writes whatever the upstream says: exact names and globs.",
    ),
    declare(
        "read-tools",
        Kind::Globs,
        Some(""),
        "Unmarked tools that you vouch for as read-only: exact names and globs; --write-tools wins.",
    ),
    declare(
        "trust-hints",
        Kind::Choice(&["on", "off"]),
        Some("on"),
        "Whether the upstream's readOnlyHint is believed.",
    ),
    declare(
        "search-schemas",
        Kind::Number(0, 25),
        Some("3"),
        "How many of the best hits bring their input schemas.",
    ),
    declare(
        "max-instructions",
        Kind::Number(600, 100_000),
        Some("10000"),
        "Characters of instructions a client gets: ours first, then the upstream's, cut with a note.",
    ),
    declare(
        "max-answer",
        Kind::Bytes(4 * KIB, 4 * MIB),
        Some("64KiB"),
        "The largest answer of search_tools and describe_tool, in bytes; schemas go first, and the answer says so.",
    ),
    declare(
        "max-answer-tokens",
        Kind::Number(1000, 100_000),
        Some("4000"),
        "Tokens that one answer of search_tools never exceeds, by a bound that is about twice what tokenizers count; schemas are shortened first, and the answer says so.",
    ),
    declare(
        "catalog-ttl",
        Kind::Duration(SECOND, 24 * HOUR),
        Some("10m"),
        "How long a caller's tool list is fresh; older ones are served while one refresh runs.",
    ),
    declare(
        "upstream-protocol",
        Kind::Choice(&["auto", "modern", "legacy"]),
        Some("auto"),
        "Speak 2026-07-28 (modern), the revisions with a handshake (legacy), or find out (auto).",
    ),
    declare(
        "upstream-ca",
        Kind::Path,
        None,
        "A PEM file of certificate authorities trusted beside the system's.",
    ),
    declare(
        "public-url",
        Kind::Url,
        None,
        "The URL clients know the proxy by, where it is not the upstream's own: challenges then name the proxy's own protected-resource metadata, which is the upstream's with this URL as resource. Without it both pass unchanged.",
    ),
    declare(
        "allowed-origins",
        Kind::Origins,
        Some(""),
        "Browser origins that may call, such as https://chat.example.com; others get 403.",
    ),
    declare(
        "allowed-hosts",
        Kind::Hosts,
        Some(""),
        "Host names accepted; none: loopback names on a loopback address, any name elsewhere.",
    ),
    declare(
        "drain-delay",
        Kind::Duration(0, HOUR),
        Some("10s"),
        "How long connections are still accepted after the signal to stop, until load balancers have noticed.",
    ),
    declare(
        "drain-timeout",
        Kind::Duration(0, 24 * HOUR),
        Some("60s"),
        "How long calls in flight may take after that.",
    ),
    declare(
        "log-format",
        Kind::Choice(&["text", "json"]),
        Some("text"),
        "The form of log lines on standard error.",
    ),
    declare(
        "log-level",
        Kind::Filter,
        Some("info"),
        "A level, or directives such as info,toolsearch_proxy=debug.",
    ),
    declare(
        "max-body",
        Kind::Bytes(KIB, 256 * MIB),
        Some("4MiB"),
        "The largest request body accepted.",
    ),
    declare(
        "max-result",
        Kind::Bytes(KIB, 1024 * MIB),
        Some("256MiB"),
        "The largest result of one tool call. One over 1MiB is passed on as it comes and not held; of \
         several calls at once, and for clients of 2025-03-26 or older, at most 32MiB a result.",
    ),
    declare(
        "max-result-tokens",
        Kind::Number(2000, 1_000_000),
        None,
        "Tokens of tool results in one answer, by the bound of --max-answer-tokens: what is over them is cut at a \
         line or an element, and a note says what is missing and how to get it. None: results pass byte for byte. \
         With it no result is passed on before it has come whole, and one has at most 32MiB, of which up to \
         seven times as much memory is taken while it is cut.",
    ),
    declare(
        "max-connections",
        Kind::Number(1, 1_000_000),
        Some("10000"),
        "Client connections held at once.",
    ),
    declare(
        "max-requests",
        Kind::Number(1, 1_000_000),
        Some("1000"),
        "Requests under way at once; beyond it the answer is 503.",
    ),
    declare(
        "max-calls-per-caller",
        Kind::Number(1, 1_000_000),
        Some("100"),
        "Tool calls that one credential may have under way at once; beyond it the answer is 429. Requests without a credential are many callers' and count against max-requests alone.",
    ),
    declare(
        "max-lists-per-caller",
        Kind::Number(1, 1_000_000),
        Some("20"),
        "Handshakes and tool lists that one credential may have under way at once; beyond it the answer is 429.",
    ),
    declare(
        "max-callers",
        Kind::Number(1, 10_000_000),
        Some("10000"),
        "Callers whose catalogs are kept.",
    ),
    declare(
        "max-lists",
        Kind::Number(1, 100_000),
        Some("1000"),
        "Distinct tool lists kept.",
    ),
    declare(
        "max-concurrent-lists",
        Kind::Number(1, 1000),
        Some("8"),
        "Tool lists fetched from the upstream at once.",
    ),
    declare(
        "max-pages",
        Kind::Number(1, 100_000),
        Some("1000"),
        "Pages of one tool list.",
    ),
    declare(
        "max-tools",
        Kind::Number(1, 1_000_000),
        Some("20000"),
        "Tools of one list.",
    ),
    declare(
        "max-list-bytes",
        Kind::Bytes(KIB, 1024 * MIB),
        Some("64MiB"),
        "Bytes of one tool list.",
    ),
    declare(
        "max-sessions",
        Kind::Number(1, 1_000_000),
        Some("10000"),
        "Sessions kept with a legacy upstream, one a credential.",
    ),
    declare(
        "upstream-connect-timeout",
        Kind::Duration(100, HOUR),
        Some("5s"),
        "TCP and TLS to the upstream.",
    ),
    declare(
        "upstream-first-byte-timeout",
        Kind::Duration(100, 24 * HOUR),
        Some("60s"),
        "From the end of a request to the first byte of its answer.",
    ),
    declare(
        "upstream-idle-timeout",
        Kind::Duration(100, 24 * HOUR),
        Some("60s"),
        "The longest silence within an answer.",
    ),
    declare(
        "upstream-total-timeout",
        Kind::Duration(100, 24 * HOUR),
        Some("5m"),
        "One upstream request, whatever happens.",
    ),
    declare(
        "tool-timeouts",
        Kind::Timeouts(100, 24 * HOUR),
        Some(""),
        "How long one call of these tools may take, such as export_*=10m,ping=2s: names and globs, the first that matches counts. It replaces --upstream-total-timeout, and a silence within it is no failure: the first byte may take as long.",
    ),
    declare(
        "breaker-failures",
        Kind::Number(0, 10_000),
        Some("5"),
        "So many connections in a row that fail, or handshakes without an answer, and requests are refused at once instead of sent, until the upstream answers; 0: they are always sent. What fails in single tools or for single callers never counts.",
    ),
    declare(
        "breaker-pause",
        Kind::Duration(100, HOUR),
        Some("1s"),
        "How long requests are refused before one asks whether the upstream answers again.",
    ),
];

impl Declaration {
    /// The variable that sets it.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}", self.flag.to_uppercase().replace('-', "_"))
    }
}

/// What every variable of ours begins with.
pub const PREFIX: &str = "TOOLSEARCH_";

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::DECLARATIONS;

    #[test]
    fn every_setting_is_declared_once_with_a_sentence() {
        let flags: HashSet<_> = DECLARATIONS.iter().map(|declared| declared.flag).collect();
        assert_eq!(flags.len(), DECLARATIONS.len());
        for declared in DECLARATIONS {
            assert!(declared.help.ends_with('.'), "{}", declared.flag);
        }
    }
}
