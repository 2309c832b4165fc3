//! Which flags are there, and what do they say? All mistakes are reported together.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolsearch_operator::options::{Defaults, Lease, Options};
use toolsearch_settings::{parse_duration, parse_log_filter};
use toolsearch_telemetry::logging::Format;

/// Everything that is wrong with the flags.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub(crate) struct Mistakes(Vec<String>);

/// Name, variable, default, help.
type Row = (
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static str,
);

const DEFAULTS: &[Row] = &[
    (
        "proxy-image",
        "TOOLSEARCH_OPERATOR_PROXY_IMAGE",
        None,
        "The image of pods whose resource names none, by digest where you can",
    ),
    (
        "proxy-image-pull-policy",
        "TOOLSEARCH_OPERATOR_PROXY_IMAGE_PULL_POLICY",
        None,
        "When it is pulled: Always, IfNotPresent or Never",
    ),
    (
        "proxy-image-pull-secrets",
        "TOOLSEARCH_OPERATOR_PROXY_IMAGE_PULL_SECRETS",
        None,
        "Secrets in the resource's namespace with credentials for it, comma-separated",
    ),
];

const RUN: &[Row] = &[
    (
        "watch-namespaces",
        "TOOLSEARCH_OPERATOR_WATCH_NAMESPACES",
        None,
        "Namespaces to watch, comma-separated; none: all",
    ),
    (
        "instance-label-selector",
        "TOOLSEARCH_OPERATOR_INSTANCE_LABEL_SELECTOR",
        None,
        "Only resources with these labels, so that two operators can share a cluster",
    ),
    (
        "diagnostics",
        "TOOLSEARCH_OPERATOR_DIAGNOSTICS",
        Some("0.0.0.0:9090"),
        "Where /livez, /readyz and /metrics are served",
    ),
    (
        "leader-election",
        "TOOLSEARCH_OPERATOR_LEADER_ELECTION",
        Some("true"),
        "Whether a lease says who writes",
    ),
    (
        "lease-name",
        "TOOLSEARCH_OPERATOR_LEASE_NAME",
        Some("toolsearch-operator"),
        "The lease",
    ),
    (
        "lease-duration",
        "TOOLSEARCH_OPERATOR_LEASE_DURATION",
        Some("15s"),
        "How long it is valid without renewal",
    ),
    (
        "concurrency",
        "TOOLSEARCH_OPERATOR_CONCURRENCY",
        Some("8"),
        "Reconciles under way at once",
    ),
    (
        "resync",
        "TOOLSEARCH_OPERATOR_RESYNC",
        Some("10m"),
        "How often everything of a resource is read again though no watch told of a change",
    ),
    (
        "rollout-delay",
        "TOOLSEARCH_OPERATOR_ROLLOUT_DELAY",
        Some("10s"),
        "The pause between two rollouts that no user asked for, as after an upgrade",
    ),
    (
        "kube-api-qps",
        "TOOLSEARCH_OPERATOR_KUBE_API_QPS",
        Some("20"),
        "Requests to the API server a second",
    ),
    (
        "kube-api-burst",
        "TOOLSEARCH_OPERATOR_KUBE_API_BURST",
        Some("40"),
        "Requests at once",
    ),
    (
        "log-format",
        "TOOLSEARCH_OPERATOR_LOG_FORMAT",
        Some("json"),
        "text or json",
    ),
    (
        "log-level",
        "TOOLSEARCH_OPERATOR_LOG_LEVEL",
        Some("info,kube=warn"),
        "A level, or directives",
    ),
    ("pod-name", "POD_NAME", None, "Who we are, from the pod"),
    (
        "pod-namespace",
        "POD_NAMESPACE",
        None,
        "Where the lease is, from the pod",
    ),
];

fn args(rows: &[Row]) -> Vec<Arg> {
    rows.iter()
        .map(|(name, variable, default, help)| {
            let arg = Arg::new(*name)
                .long(*name)
                .env(*variable)
                .value_name("VALUE")
                .help(*help);
            default
                .iter()
                .fold(arg, |arg, default| arg.default_value(*default))
        })
        .collect()
}

/// The whole command line.
pub(crate) fn command() -> Command {
    let file = Arg::new("filename")
        .short('f')
        .long("filename")
        .required(true)
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .help("A file with ToolSearchProxy resources; - reads standard input");
    let sidecar = Arg::new("sidecar")
        .long("sidecar")
        .action(ArgAction::SetTrue)
        .help("Print the parts of a pod's spec that run the proxy beside a gateway instead");
    Command::new("toolsearch-operator")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Makes a cluster match its ToolSearchProxy resources")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("crds").about("Print the ToolSearchProxy definition as YAML"))
        .subcommand(
            Command::new("run")
                .about("Reconcile until told to stop")
                .args(args(DEFAULTS))
                .args(args(RUN)),
        )
        .subcommand(
            Command::new("render")
                .about("Print the objects that would be applied; needs no cluster")
                .args(args(DEFAULTS))
                .arg(file)
                .arg(sidecar),
        )
}

fn text<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches
        .get_one::<String>(name)
        .map(String::as_str)
        .filter(|text| !text.is_empty())
}

fn list(matches: &ArgMatches, name: &str) -> Vec<String> {
    let items = text(matches, name)
        .unwrap_or_default()
        .split(',')
        .map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What a resource leaves out.
pub(crate) fn defaults(matches: &ArgMatches) -> Result<Defaults, Mistakes> {
    let mut mistakes = Vec::new();
    let read = read_defaults(matches, &mut mistakes);
    if mistakes.is_empty() {
        Ok(read)
    } else {
        Err(Mistakes(mistakes))
    }
}

fn read_defaults(matches: &ArgMatches, mistakes: &mut Vec<String>) -> Defaults {
    let proxy_image = text(matches, "proxy-image").unwrap_or_default().to_owned();
    if proxy_image.is_empty() {
        mistakes.push(
            "--proxy-image (TOOLSEARCH_OPERATOR_PROXY_IMAGE) must name the proxy's image"
                .to_owned(),
        );
    }
    let pull_policy = text(matches, "proxy-image-pull-policy").map(str::to_owned);
    if pull_policy
        .as_deref()
        .is_some_and(|policy| !["Always", "IfNotPresent", "Never"].contains(&policy))
    {
        mistakes.push("--proxy-image-pull-policy must be Always, IfNotPresent or Never".to_owned());
    }
    Defaults {
        proxy_image,
        pull_policy,
        pull_secrets: list(matches, "proxy-image-pull-secrets"),
    }
}

/// Everything that `run` takes.
pub(crate) fn options(matches: &ArgMatches) -> Result<(Options, Logging), Mistakes> {
    let mut mistakes = Vec::new();
    let defaults = read_defaults(matches, &mut mistakes);
    let mut duration = |name: &str| {
        let read = text(matches, name).and_then(parse_duration);
        read.unwrap_or_else(|| {
            mistakes.push(format!("--{name} must be a duration such as 30s"));
            Duration::ZERO
        })
    };
    let (resync, rollout_delay, lease_duration) = (
        duration("resync"),
        duration("rollout-delay"),
        duration("lease-duration"),
    );
    let mut number = |name: &str, most: u32| {
        let read = text(matches, name).and_then(|text| text.parse().ok());
        read.filter(|number| (1..=most).contains(number))
            .unwrap_or_else(|| {
                mistakes.push(format!("--{name} must be a whole number from 1 to {most}"));
                1
            })
    };
    let (concurrency, qps, burst) = (
        number("concurrency", 64),
        number("kube-api-qps", 10_000),
        number("kube-api-burst", 10_000),
    );
    let diagnostics = text(matches, "diagnostics").and_then(|text| text.parse().ok());
    if diagnostics.is_none() {
        mistakes.push("--diagnostics must be address:port, such as 0.0.0.0:9090".to_owned());
    }
    let lease = lease(matches, lease_duration, &mut mistakes);
    let logging = logging(matches, &mut mistakes);
    if let (true, Some(diagnostics)) = (mistakes.is_empty(), diagnostics) {
        let options = Options {
            defaults,
            namespaces: list(matches, "watch-namespaces"),
            instances: text(matches, "instance-label-selector").map(str::to_owned),
            diagnostics,
            lease,
            concurrency: u16::try_from(concurrency).unwrap_or(1),
            resync,
            rollout_delay,
            qps,
            burst,
        };
        return Ok((options, logging));
    }
    Err(Mistakes(mistakes))
}

fn lease(matches: &ArgMatches, duration: Duration, mistakes: &mut Vec<String>) -> Option<Lease> {
    match text(matches, "leader-election") {
        Some("true") => {}
        Some("false") => return None,
        _ => mistakes.push("--leader-election must be true or false".to_owned()),
    }
    if duration < Duration::from_secs(5) {
        mistakes.push("--lease-duration must be at least 5s".to_owned());
    }
    let (name, namespace) = (text(matches, "pod-name"), text(matches, "pod-namespace"));
    let (Some(identity), Some(namespace)) = (name, namespace) else {
        mistakes.push(
            "a lease needs POD_NAME and POD_NAMESPACE; outside a cluster use --leader-election false".to_owned(),
        );
        return None;
    };
    Some(Lease {
        name: text(matches, "lease-name")
            .unwrap_or("toolsearch-operator")
            .to_owned(),
        namespace: namespace.to_owned(),
        identity: identity.to_owned(),
        duration,
    })
}

/// How to log: the form of a line, and the filter.
#[derive(Debug)]
pub(crate) struct Logging {
    pub(crate) format: Format,
    pub(crate) filter: String,
}

fn logging(matches: &ArgMatches, mistakes: &mut Vec<String>) -> Logging {
    let format = match text(matches, "log-format") {
        Some("text") => Format::Text,
        None | Some("json") => Format::Json,
        Some(other) => {
            mistakes.push(format!(
                "--log-format must be text or json (it is {other:?})"
            ));
            Format::Json
        }
    };
    let level = text(matches, "log-level").unwrap_or("info");
    let filter = parse_log_filter(level).unwrap_or_else(|problem| {
        mistakes.push(format!("--log-level {problem} (it is {level:?})"));
        String::new()
    });
    Logging { format, filter }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }
}
