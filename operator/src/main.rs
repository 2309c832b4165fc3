//! The operator's command line: parse, dispatch, exit code.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Command;

/// What is asked for is not there (`EX_UNAVAILABLE`).
const UNAVAILABLE: u8 = 69;
/// The command line is wrong (`EX_USAGE`).
const USAGE: u8 = 64;

fn main() -> ExitCode {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let done = match matches.subcommand_name() {
        Some("crds") => print_crds().map_err(|error| (1, error)),
        _ => toolsearch_operator::run().map_err(|error| (UNAVAILABLE, error.into())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, error)) => {
            // With standard error closed there is nobody left to tell.
            let _ = writeln!(io::stderr(), "toolsearch-operator: {error:#}");
            ExitCode::from(code)
        }
    }
}

fn command() -> Command {
    Command::new("toolsearch-operator")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Makes a cluster match its ToolSearchProxy resources")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("crds").about("Print the ToolSearchProxy definition as YAML"))
        .subcommand(Command::new("run").about("Reconcile (not built yet: exits with 69)"))
}

fn print_crds() -> anyhow::Result<()> {
    let yaml = toolsearch_crds::crd_yaml().context("failed to write the definition as YAML")?;
    io::stdout()
        .write_all(yaml.as_bytes())
        .context("failed to print the definition")
}

fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(USAGE)
    } else {
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn running_is_refused_honestly() {
        assert!(toolsearch_operator::run().is_err());
    }
}
