//! `compare`: is the second recorded run better than the first?

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Arg, ArgMatches, Command};
use toolsearch_eval::compare::{Comparison, compare};
use toolsearch_eval::measure::Metric;
use toolsearch_eval::run::Run;

use crate::commands::flags;

pub(crate) fn command() -> Command {
    let run = |name: &'static str| {
        Arg::new(name)
            .value_name(name)
            .required(true)
            .value_parser(clap::value_parser!(PathBuf))
            .help("A run kept by `rank --json`")
    };
    Command::new("compare")
        .about("Compare two runs question by question: paired bootstrap, and what moved")
        .arg(run("A"))
        .arg(run("B"))
        .arg(flags::data().help("Where the questions' texts stand [default: the project's own]"))
        .arg(
            Arg::new("mode")
                .long("mode")
                .default_value("hybrid")
                .help("The ranking to look at"),
        )
        .arg(
            Arg::new("metric")
                .long("metric")
                .value_parser(Metric::ALL.map(Metric::name))
                .default_value(Metric::MAIN.name())
                .help("The figure to look at"),
        )
        .arg(
            Arg::new("moved")
                .long("moved")
                .value_name("N")
                .default_value("25")
                .value_parser(clap::value_parser!(u32))
                .help("How many of the questions that moved are shown, each way"),
        )
}

pub(crate) fn run(given: &ArgMatches) -> anyhow::Result<()> {
    let file = |name| {
        let file: &PathBuf = given.get_one(name).context("two runs are needed")?;
        read(file)
    };
    let mut texts = HashMap::new();
    for set in flags::datasets(given)? {
        for question in set.questions {
            texts.insert((set.name.clone(), question.id), question.text);
        }
    }
    let metric = flags::text(given, "metric");
    let moved = given.get_one::<u32>("moved").copied().unwrap_or_default();
    let by = Comparison {
        ranking: flags::text(given, "mode").to_owned(),
        metric: Metric::ALL
            .into_iter()
            .find(|known| known.name() == metric)
            .unwrap_or(Metric::MAIN),
        moved: usize::try_from(moved)?,
        texts,
    };
    let text = compare(&file("A")?, &file("B")?, &by)?;
    write!(std::io::stdout(), "{text}")?;
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Run> {
    let json = std::fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
    serde_json::from_slice(&json)
        .with_context(|| format!("{} is no run kept by `rank --json`", file.display()))
}
