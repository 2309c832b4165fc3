//! Which settings does the proxy get? Only what the spec says, so that an operator of another
//! version renders the same; all of it is checked by the proxy's own parser.

use clap::Command;
use toolsearch_crds::v1alpha1::{LogFormat, ToolSearchProxySpec, UpstreamProtocol};
use toolsearch_settings::{DECLARATIONS, Mistake, add_flags, settings};

use crate::desired::model::DesiredModel;
use crate::names::{DIAGNOSTICS_PORT, MCP_PORT, UPSTREAM_CA};

/// Names and values in the order of the declarations.
pub(super) fn environment(
    spec: &ToolSearchProxySpec,
    model: &DesiredModel,
    mistakes: &mut Vec<String>,
) -> Vec<(String, String)> {
    let given = given(spec, model);
    let pairs: Vec<(String, String)> = DECLARATIONS
        .iter()
        .filter_map(|declared| {
            let (_, value) = given.iter().find(|(flag, _)| *flag == declared.flag)?;
            Some((declared.variable(), value.clone()))
        })
        .collect();
    let flags = add_flags(Command::new("proxy")).get_matches_from(["proxy"]);
    // A folder is looked for where the proxy runs, not here.
    let paths = ["TOOLSEARCH_MODEL_DIR", "TOOLSEARCH_UPSTREAM_CA"];
    let here = pairs
        .iter()
        .filter(|(name, _)| !paths.contains(&name.as_str()));
    let here = here.map(|(name, value)| {
        let value = if name == "TOOLSEARCH_EMBEDDER" {
            "auto".to_owned()
        } else {
            value.clone()
        };
        (name.clone(), value)
    });
    if let Err(found) = settings(&flags, here) {
        mistakes.extend(found.all().iter().map(in_words_of_the_spec));
    }
    pairs
}

/// A mistake as whoever wrote the spec knows the setting.
fn in_words_of_the_spec(mistake: &Mistake) -> String {
    match mistake.flag().and_then(field) {
        Some(field) => format!("spec.{field} {}", mistake.words()),
        None => format!("setting {mistake}"),
    }
}

/// The field of the spec that gives a setting; none where the operator gives it.
fn field(flag: &str) -> Option<&'static str> {
    let found = FIELDS.iter().find(|(name, _)| *name == flag);
    found.map(|(_, field)| *field)
}

/// Settings by flag, with the fields of the spec that give them.
pub(super) const FIELDS: [(&str, &str); 40] = [
    ("upstream", "upstream.url"),
    ("upstream-protocol", "upstream.protocol"),
    ("upstream-ca", "upstream.caBundle"),
    ("upstream-connect-timeout", "upstream.timeouts.connect"),
    ("upstream-first-byte-timeout", "upstream.timeouts.firstByte"),
    ("upstream-idle-timeout", "upstream.timeouts.idle"),
    ("upstream-total-timeout", "upstream.timeouts.total"),
    ("tool-timeouts", "upstream.timeouts.tools"),
    ("breaker-failures", "upstream.breaker.failures"),
    ("breaker-pause", "upstream.breaker.pause"),
    ("write-tools", "writeTools"),
    ("read-tools", "readTools"),
    ("trust-hints", "trustHints"),
    ("embedder", "model"),
    ("public-url", "publicUrl"),
    ("allowed-origins", "allowedOrigins"),
    ("allowed-hosts", "allowedHosts"),
    ("drain-delay", "drain.delaySeconds"),
    ("drain-timeout", "drain.callSeconds"),
    ("log-format", "logging.format"),
    ("log-level", "logging.level"),
    ("search-schemas", "search.schemas"),
    ("max-answer", "search.maxAnswer"),
    ("max-answer-tokens", "search.maxAnswerTokens"),
    ("max-instructions", "search.maxInstructions"),
    ("catalog-ttl", "catalog.ttl"),
    ("max-callers", "catalog.maxCallers"),
    ("max-lists", "catalog.maxLists"),
    ("max-concurrent-lists", "catalog.maxConcurrentLists"),
    ("max-pages", "catalog.maxPages"),
    ("max-tools", "catalog.maxTools"),
    ("max-list-bytes", "catalog.maxListBytes"),
    ("max-body", "limits.maxBody"),
    ("max-result", "limits.maxResult"),
    ("max-result-tokens", "limits.maxResultTokens"),
    ("max-connections", "limits.maxConnections"),
    ("max-requests", "limits.maxRequests"),
    ("max-calls-per-caller", "limits.maxCallsPerCaller"),
    ("max-lists-per-caller", "limits.maxListsPerCaller"),
    ("max-sessions", "limits.maxSessions"),
];

/// Every setting that the operator can render, by its flag.
fn given(spec: &ToolSearchProxySpec, model: &DesiredModel) -> Vec<(&'static str, String)> {
    let mut given: Vec<(&'static str, String)> = vec![
        ("upstream", spec.upstream.url.clone()),
        ("listen", format!("0.0.0.0:{}", MCP_PORT.1)),
        ("diagnostics", format!("0.0.0.0:{}", DIAGNOSTICS_PORT.1)),
        ("embedder", model.embedder().to_owned()),
        (
            "trust-hints",
            if spec.trust_hints { "on" } else { "off" }.to_owned(),
        ),
        ("drain-delay", format!("{}s", spec.drain.delay_seconds)),
        ("drain-timeout", format!("{}s", spec.drain.call_seconds)),
    ];
    let mut put = |flag, value: Option<String>| given.extend(value.map(|value| (flag, value)));
    put("model-dir", model.folder());
    put("write-tools", list(&spec.write_tools));
    put("read-tools", list(&spec.read_tools));
    put("allowed-origins", list(&spec.allowed_origins));
    put("allowed-hosts", list(&spec.allowed_hosts));
    put("public-url", spec.public_url.clone());
    put(
        "upstream-protocol",
        spec.upstream.protocol.map(|protocol| {
            match protocol {
                UpstreamProtocol::Auto => "auto",
                UpstreamProtocol::Modern => "modern",
                UpstreamProtocol::Legacy => "legacy",
            }
            .to_owned()
        }),
    );
    put(
        "upstream-ca",
        spec.upstream
            .ca_bundle
            .as_ref()
            .map(|_| format!("{}/ca.pem", UPSTREAM_CA.1)),
    );
    let logging = spec.logging.clone().unwrap_or_default();
    put(
        "log-format",
        Some(match logging.format {
            Some(LogFormat::Text) => "text".to_owned(),
            Some(LogFormat::Json) | None => "json".to_owned(),
        }),
    );
    put("log-level", logging.level);
    let search = spec.search.clone().unwrap_or_default();
    put("search-schemas", number(search.schemas));
    put("max-answer", search.max_answer);
    put("max-answer-tokens", number(search.max_answer_tokens));
    put("max-instructions", number(search.max_instructions));
    let catalog = spec.catalog.clone().unwrap_or_default();
    put("catalog-ttl", catalog.ttl);
    put("max-callers", number(catalog.max_callers));
    put("max-lists", number(catalog.max_lists));
    put("max-concurrent-lists", number(catalog.max_concurrent_lists));
    put("max-pages", number(catalog.max_pages));
    put("max-tools", number(catalog.max_tools));
    put("max-list-bytes", catalog.max_list_bytes);
    let limits = spec.limits.clone().unwrap_or_default();
    put("max-body", limits.max_body);
    put("max-result", limits.max_result);
    put("max-result-tokens", number(limits.max_result_tokens));
    put("max-connections", number(limits.max_connections));
    put("max-requests", number(limits.max_requests));
    put("max-calls-per-caller", number(limits.max_calls_per_caller));
    put("max-lists-per-caller", number(limits.max_lists_per_caller));
    put("max-sessions", number(limits.max_sessions));
    for (flag, value) in patience(spec) {
        put(flag, value);
    }
    given
}

/// How long the upstream is waited for, and when it no longer is.
fn patience(spec: &ToolSearchProxySpec) -> [(&'static str, Option<String>); 7] {
    let timeouts = spec.upstream.timeouts.clone().unwrap_or_default();
    let breaker = spec.upstream.breaker.clone().unwrap_or_default();
    let tools = timeouts.tools.iter();
    let tools: Vec<_> = tools
        .map(|one| format!("{}={}", one.tool, one.timeout))
        .collect();
    [
        ("upstream-connect-timeout", timeouts.connect),
        ("upstream-first-byte-timeout", timeouts.first_byte),
        ("upstream-idle-timeout", timeouts.idle),
        ("upstream-total-timeout", timeouts.total),
        ("tool-timeouts", list(&tools)),
        ("breaker-failures", number(breaker.failures)),
        ("breaker-pause", breaker.pause),
    ]
}

fn list(items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| items.join(","))
}

fn number(value: Option<i32>) -> Option<String> {
    value.map(|value| value.to_string())
}
