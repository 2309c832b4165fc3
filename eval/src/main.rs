//! The ruler's command line: `rank` measures rankings, `tokens` counts definitions.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use toolsearch_eval::dataset::Dataset;
use toolsearch_eval::{measure, report, tokens};
use toolsearch_search::{Embedder, Index, Mode, Vectors, Weights};

fn main() -> anyhow::Result<()> {
    let matches = command().get_matches();
    match matches.subcommand() {
        Some(("rank", flags)) => rank(flags),
        Some(("tokens", _)) => count_tokens(),
        _ => bail!("no command; see --help"),
    }
}

fn command() -> Command {
    let rank = Command::new("rank")
        .about("Measure the ranking: recall, MRR, nDCG by language and kind")
        .arg(
            Arg::new("data")
                .long("data")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_parser(clap::value_parser!(PathBuf))
                .help("A set to ask; repeat for several [default: the project's own]"),
        )
        .arg(
            Arg::new("split")
                .long("split")
                .value_name("tune|test")
                .default_value("")
                .help("Only this part of a set that is split"),
        )
        .arg(
            Arg::new("embedder")
                .long("embedder")
                .value_name("builtin|none|DIR")
                .default_value("builtin")
                .help("The model"),
        )
        .arg(
            Arg::new("weights")
                .long("weights")
                .value_name("SEMANTIC,COVERAGE,LEXICAL")
                .help("Other weights than production's"),
        )
        .arg(
            Arg::new("brief")
                .long("brief")
                .action(ArgAction::SetTrue)
                .help("One line a set and mode"),
        );
    Command::new("toolsearch-eval")
        .about("How well tools are found, and what is saved")
        .subcommand_required(true)
        .subcommand(rank)
        .subcommand(
            Command::new("tokens").about("Tokens of tool definitions without and with the proxy"),
        )
}

fn rank(flags: &ArgMatches) -> anyhow::Result<()> {
    let vectors = vectors(
        flags
            .get_one::<String>("embedder")
            .map_or("builtin", String::as_str),
    )?;
    let weights = weights(flags.get_one::<String>("weights").map(String::as_str))?;
    let split = flags.get_one::<String>("split").map_or("", String::as_str);
    let mut out = std::io::stdout().lock();
    write!(out, "{}", report::head())?;
    for dataset in datasets(flags)? {
        let index = Index::build(&dataset.documents, vectors.as_ref())?;
        let modes: &[Mode] = if vectors.is_some() {
            &[Mode::Lexical, Mode::Semantic, Mode::Hybrid]
        } else {
            &[Mode::Lexical]
        };
        for &mode in modes {
            let measured = measure::ask(&index, &dataset, split, mode, &weights);
            let table = report::table(&dataset.name, name(mode), &measured);
            let lines = if flags.get_flag("brief") {
                1
            } else {
                usize::MAX
            };
            for line in table.lines().take(lines) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

fn count_tokens() -> anyhow::Result<()> {
    let read = |path: &str| {
        std::fs::read_to_string(root().join(path)).with_context(|| format!("failed to read {path}"))
    };
    let table = tokens::table(
        &read("eval/data/catalog.json")?,
        &read("proxy/src/tools/definitions.json")?,
    )?;
    write!(std::io::stdout(), "{table}")?;
    Ok(())
}

fn datasets(flags: &ArgMatches) -> anyhow::Result<Vec<Dataset>> {
    let given: Vec<&PathBuf> = flags
        .get_many::<PathBuf>("data")
        .into_iter()
        .flatten()
        .collect();
    if given.is_empty() {
        let data = root().join("eval/data");
        return Ok(vec![Dataset::read(
            &data.join("questions.json"),
            Some(&data.join("catalog.json")),
        )?]);
    }
    given
        .into_iter()
        .map(|file| Dataset::read(file, None))
        .collect()
}

fn vectors(embedder: &str) -> anyhow::Result<Option<Vectors>> {
    Ok(match embedder {
        "none" => None,
        "builtin" => Some(Vectors::new(Embedder::builtin()?)),
        folder => Some(Vectors::new(Embedder::open(Path::new(folder))?)),
    })
}

fn weights(given: Option<&str>) -> anyhow::Result<Weights> {
    let Some(given) = given else {
        return Ok(Weights::default());
    };
    let numbers: Vec<f32> = given
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .context("--weights takes three numbers")?;
    let &[semantic, coverage, lexical] = numbers.as_slice() else {
        bail!("--weights takes three numbers")
    };
    Ok(Weights {
        semantic,
        coverage,
        lexical,
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

const fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Lexical => "lexical",
        Mode::Semantic => "semantic",
        Mode::Hybrid => "hybrid",
    }
}
