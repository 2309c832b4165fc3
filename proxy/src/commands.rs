//! Which commands are there? serve (the default), demo, search, fetch-model: flags in, exit code
//! out.
//!
//! Exit codes: 0 done, 1 it failed, 64 the command line or the settings are wrong (sysexits);
//! `fetch-model` has further ones of its own, see `model`.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toolsearch_proxy::{Proxy, demo, embedder, lookup, model};
use toolsearch_settings::{LogFormat, Settings, add_flags, environment, settings};
use toolsearch_telemetry::{Lifecycle, logging, signals};

const USAGE: u8 = 64;

/// Runs the command that the arguments ask for.
pub(crate) async fn run(mut args: Vec<OsString>) -> ExitCode {
    let first = args.get(1).and_then(|arg| arg.to_str()).unwrap_or_default();
    let asks_for_help = ["-h", "--help", "-V", "--version", "help"].contains(&first);
    if first.is_empty() || (first.starts_with('-') && !asks_for_help) {
        args.insert(1.min(args.len()), "serve".into());
    }
    let matches = match command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => {
            let code = if error.use_stderr() { USAGE } else { 0 };
            // Nobody reads a closed standard output.
            let _closed = error.print();
            return ExitCode::from(code);
        }
    };
    match matches.subcommand() {
        Some(("demo", flags)) => run_demo(flags).await,
        Some(("demo-upstream", flags)) => run_upstream(flags).await,
        Some(("search", flags)) => search(flags).await,
        Some(("fetch-model", flags)) => ExitCode::from(model::run(flags).await),
        Some((_, flags)) => serve(flags).await,
        None => fail(USAGE, "no command; see --help"),
    }
}

/// Says why on standard error.
pub(crate) fn fail(code: u8, message: &str) -> ExitCode {
    // Nobody reads a closed standard error.
    let _closed = writeln!(
        std::io::stderr(),
        "toolsearch-proxy: {}",
        message.trim_end()
    );
    ExitCode::from(code)
}

fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .help(help)
            .action(ArgAction::SetTrue)
    };
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help(help)
    };
    let serve = Command::new("serve")
        .about("Serve the five tools in front of --upstream (the default command)");
    let demo = Command::new("demo")
        .about("Show it all on this machine: a made-up upstream, the proxy, searches, a client configuration")
        .arg(flag("once", "End after the searches"));
    let search = Command::new("search")
        .about("List an upstream once (or read a saved list), search it and print the ranked table")
        .arg(
            Arg::new("query")
                .value_name("QUERY")
                .required(true)
                .num_args(1..)
                .help("What is wanted, in any language"),
        )
        .arg(path(
            "catalog",
            "A saved tools/list answer or {\"tools\": […]}, also gzipped, instead of --upstream",
        ))
        .arg(path(
            "token-file",
            "A file with the token that the upstream wants; sent as Authorization: Bearer",
        ))
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .default_value("10")
                .value_parser(clap::value_parser!(u16).range(1..=1000))
                .help("Rows of the table"),
        )
        .arg(flag("explain", "Show where each score comes from"));
    let upstream = Command::new("demo-upstream")
        .about("Serve the demo's made-up upstream alone, for a demo on a cluster")
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value("127.0.0.1:8000")
                .value_parser(clap::value_parser!(SocketAddr))
                .help("Where it is served; the path is /mcp"),
        );
    Command::new("toolsearch-proxy")
        .about("Five tools in front of an MCP server that has far too many")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .subcommand(add_flags(serve))
        .subcommand(add_flags(demo))
        .subcommand(add_flags(search))
        .subcommand(upstream)
        .subcommand(model::command())
}

async fn serve(flags: &ArgMatches) -> ExitCode {
    match settings(flags, environment()) {
        Ok(settings) => finish(start(settings).await),
        Err(mistakes) => fail(USAGE, &mistakes.to_string()),
    }
}

async fn start(settings: Settings) -> anyhow::Result<()> {
    log(&settings)?;
    let proxy = Proxy::bind(settings).await?;
    let signals = signals::watch(proxy.lifecycle());
    tokio::select! {
        ended = proxy.run() => Ok(ended?),
        failed = signals => failed.context("signals cannot be watched"),
    }
}

async fn run_demo(flags: &ArgMatches) -> ExitCode {
    // The demo's own upstream takes the place of a given one.
    let upstream = [(
        "TOOLSEARCH_UPSTREAM".to_owned(),
        "http://127.0.0.1/mcp".to_owned(),
    )];
    let quiet = [("TOOLSEARCH_LOG_LEVEL".to_owned(), "warn".to_owned())];
    let given = environment()
        .into_iter()
        .filter(|(name, _)| name != "TOOLSEARCH_UPSTREAM");
    let environment = quiet.into_iter().chain(given).chain(upstream);
    let settings = match settings(flags, environment) {
        Ok(settings) => settings,
        Err(mistakes) => return fail(USAGE, &mistakes.to_string()),
    };
    let lifecycle = Lifecycle::default();
    let demo = async {
        log(&settings)?;
        demo::run(
            settings,
            flags.get_flag("once"),
            lifecycle.clone(),
            &mut std::io::stdout(),
        )
        .await
    };
    tokio::select! {
        ended = demo => finish(ended),
        failed = signals::watch(lifecycle.clone()) => finish(failed.context("signals cannot be watched")),
    }
}

async fn run_upstream(flags: &ArgMatches) -> ExitCode {
    let Some(address) = flags.get_one::<SocketAddr>("listen") else {
        return fail(USAGE, "no address; see --help");
    };
    let lifecycle = Lifecycle::default();
    tokio::select! {
        ended = demo::run_upstream(*address, lifecycle.clone()) => finish(ended),
        failed = signals::watch(lifecycle.clone()) => finish(failed.context("signals cannot be watched")),
    }
}

async fn search(flags: &ArgMatches) -> ExitCode {
    let catalog = flags.get_one::<PathBuf>("catalog");
    // With a saved list there is no upstream to be given.
    let none = catalog.map(|_| {
        (
            "TOOLSEARCH_UPSTREAM".to_owned(),
            "http://127.0.0.1/mcp".to_owned(),
        )
    });
    match settings(flags, environment().into_iter().chain(none)) {
        Ok(settings) => finish(look_up(&settings, flags, catalog).await),
        Err(mistakes) => fail(USAGE, &mistakes.to_string()),
    }
}

async fn look_up(
    settings: &Settings,
    flags: &ArgMatches,
    catalog: Option<&PathBuf>,
) -> anyhow::Result<()> {
    let tools = match catalog {
        Some(file) => lookup::read_catalog(file)?,
        None => {
            let token = flags.get_one::<PathBuf>("token-file");
            let token = token.map(|file| {
                let text = std::fs::read_to_string(file);
                text.with_context(|| format!("failed to read {}", file.display()))
            });
            lookup::list(settings, token.transpose()?.as_deref()).await?
        }
    };
    let words: Vec<&str> = flags
        .get_many::<String>("query")
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let limit = usize::from(*flags.get_one::<u16>("limit").unwrap_or(&10));
    let query = lookup::Query {
        text: words.join(" "),
        limit,
        explain: flags.get_flag("explain"),
    };
    let embedder = embedder(settings.embedder, settings.model_dir.as_deref()).await?;
    lookup::search(&tools, embedder, &query, &mut std::io::stdout().lock())
}

fn log(settings: &Settings) -> anyhow::Result<()> {
    let format = match settings.log_format {
        LogFormat::Text => logging::Format::Text,
        LogFormat::Json => logging::Format::Json,
    };
    Ok(logging::start(format, &settings.log_level)?)
}

fn finish(ended: anyhow::Result<()>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        // A reader who closed the pipe has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let terminal = std::io::stderr().is_terminal();
            let separator = if terminal { "\n  because: " } else { ": " };
            let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
            fail(1, &chain.join(separator))
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
