//! `rank`: how well does our search find the tools of these sets?

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toolsearch_eval::run::{Run, ask};
use toolsearch_eval::table;

use crate::commands::flags;

pub(crate) fn command() -> Command {
    Command::new("rank")
        .about("Measure the ranking: recall, MRR, nDCG by language and kind, both sides and hybrid")
        .arg(flags::data())
        .arg(flags::split())
        .arg(flags::embedder())
        .arg(flags::weights())
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("OUT")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Keep every question's figures, for `compare`"),
        )
        .arg(
            Arg::new("brief")
                .long("brief")
                .action(ArgAction::SetTrue)
                .help("One line a set"),
        )
}

pub(crate) fn run(given: &ArgMatches) -> anyhow::Result<()> {
    let vectors = flags::vectors(flags::text(given, "embedder"))?;
    let weights = flags::chosen_weights(flags::text(given, "weights"))?;
    let split = flags::text(given, "split");
    let sets = flags::datasets(given)?;
    let sets = sets
        .iter()
        .map(|set| ask(set, split, vectors.as_ref(), &weights));
    let run = Run {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        embedder: vectors.as_ref().map_or_else(
            || "none".to_owned(),
            |vectors| vectors.embedder().id().chars().take(12).collect(),
        ),
        weights: format!("{weights:?}"),
        split: split.to_owned(),
        sets: sets.collect::<anyhow::Result<_>>()?,
    };
    if let Some(file) = given.get_one::<PathBuf>("json") {
        let json = serde_json::to_vec(&run)?;
        std::fs::write(file, json)
            .with_context(|| format!("failed to write {}", file.display()))?;
    }
    let text = table::run(&run, given.get_flag("brief"));
    write!(std::io::stdout(), "{text}")?;
    Ok(())
}
