//! The ruler's command line.

mod commands;

use clap::Command;

fn main() -> anyhow::Result<()> {
    let command = Command::new("toolsearch-eval")
        .about("How well tools are found, what is saved, and the page that says so")
        .subcommand_required(true)
        .subcommands(commands::all());
    commands::run(&command.get_matches())
}
