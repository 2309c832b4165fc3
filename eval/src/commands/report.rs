//! `report`: prints the page of benchmarks from the records.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toolsearch_eval::page::{Records, print};

pub(crate) fn command() -> Command {
    Command::new("report")
        .about("Print docs/benchmarks.md from the records in eval/results")
        .arg(
            Arg::new("stdout")
                .long("stdout")
                .action(ArgAction::SetTrue)
                .help("To standard output instead of the file"),
        )
}

pub(crate) fn run(given: &ArgMatches) -> anyhow::Result<()> {
    let page = print(&Records::committed()?);
    if given.get_flag("stdout") {
        write!(std::io::stdout(), "{page}")?;
        return Ok(());
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks.md");
    std::fs::write(file, page).context("failed to write docs/benchmarks.md")
}
