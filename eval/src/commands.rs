//! Which commands are there, and what do they share?

mod compare;
mod flags;
mod peers;
mod rank;
mod record;
mod report;
mod tokens;

use anyhow::bail;
use clap::{ArgMatches, Command};

/// All of them.
pub(crate) fn all() -> [Command; 6] {
    [
        rank::command(),
        compare::command(),
        tokens::command(),
        peers::command(),
        record::command(),
        report::command(),
    ]
}

/// Carries one out.
pub(crate) fn run(matches: &ArgMatches) -> anyhow::Result<()> {
    match matches.subcommand() {
        Some(("rank", flags)) => rank::run(flags),
        Some(("compare", flags)) => compare::run(flags),
        Some(("tokens", _)) => tokens::run(),
        Some(("peers", flags)) => peers::run(flags),
        Some(("record", flags)) => record::run(flags),
        Some(("report", flags)) => report::run(flags),
        _ => bail!("no command; see --help"),
    }
}
