//! The ruler's command line.

mod commands;

use std::io::Write;
use std::process::ExitCode;

use clap::Command;

fn main() -> ExitCode {
    let command = Command::new("toolsearch-eval")
        .about("How well tools are found, what is saved, and the page that says so")
        .subcommand_required(true)
        .subcommands(commands::all());
    match commands::run(&command.get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody reads a closed standard error.
            let _closed = writeln!(std::io::stderr(), "toolsearch-eval: {error:#}");
            ExitCode::FAILURE
        }
    }
}
