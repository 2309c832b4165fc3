//! The operator's command line: parse, dispatch, exit code.

mod flags;

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ArgMatches;
use toolsearch_operator::render::{Form, render};
use toolsearch_telemetry::{Lifecycle, logging, signals};

/// The command line is wrong (`EX_USAGE`).
const USAGE: u8 = 64;

#[tokio::main]
async fn main() -> ExitCode {
    let matches = match flags::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Nobody reads a closed standard output.
            let _closed = error.print();
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    let done = match matches.subcommand() {
        Some(("crds", _)) => print_crds(),
        Some(("render", flags)) => print_objects(flags),
        Some((_, flags)) => run(flags).await,
        None => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With standard error closed there is nobody left to tell.
            let _closed = writeln!(io::stderr(), "toolsearch-operator: {error:#}");
            ExitCode::from(if error.is::<flags::Mistakes>() {
                USAGE
            } else {
                1
            })
        }
    }
}

fn print_crds() -> anyhow::Result<()> {
    let yaml = toolsearch_crds::crd_yaml().context("failed to write the definition as YAML")?;
    print(&yaml)
}

fn print_objects(matches: &ArgMatches) -> anyhow::Result<()> {
    let file = matches
        .get_one::<PathBuf>("filename")
        .cloned()
        .unwrap_or_default();
    let mut text = String::new();
    if file.as_os_str() == "-" {
        io::stdin()
            .read_to_string(&mut text)
            .context("failed to read standard input")?;
    } else {
        text = std::fs::read_to_string(&file)
            .with_context(|| format!("failed to read {}", file.display()))?;
    }
    let form = if matches.get_flag("sidecar") {
        Form::Sidecar
    } else {
        Form::Objects
    };
    print(&render(&text, &flags::defaults(matches)?, form)?)
}

fn print(text: &str) -> anyhow::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("failed to print"),
    }
}

async fn run(matches: &ArgMatches) -> anyhow::Result<()> {
    let (options, log) = flags::options(matches)?;
    logging::start(log.format, &log.filter)?;
    let lifecycle = Lifecycle::default();
    tokio::select! {
        ended = toolsearch_operator::run(options, lifecycle.clone()) => Ok(ended?),
        failed = signals::watch(lifecycle.clone()) => failed.context("signals cannot be watched"),
    }
}
