//! `record`: measures again and writes `eval/results`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

use anyhow::{Context, bail};
use clap::{Arg, ArgMatches, Command};
use toolsearch_eval::criterion::{loops, timings};
use toolsearch_eval::dataset::Dataset;
use toolsearch_eval::records::{Rankings, Stamp, Timings, Wire, folder, read, write};
use toolsearch_search::Weights;

use crate::commands::{flags, peers, tokens};

/// Each with what it measures; the peers last, because they need the network.
const PARTS: [&str; 7] = [
    "own",
    "public",
    "tokens",
    "answers",
    "criterion",
    "wire",
    "peers",
];

pub(crate) fn command() -> Command {
    Command::new("record")
        .about("Measure again and write eval/results, which the page of benchmarks is printed from")
        .after_help(
            "own: our questions. public: the sets of --public. tokens: definitions. answers: a \
             running proxy, built and started. criterion: what the last benchmarks left in the \
             target folder. wire: target/wire/relay.json where a harness left it. peers: other \
             searches over our set and those of --public; needs python3 and its registry.",
        )
        .arg(
            Arg::new("parts")
                .value_name("PART")
                .num_args(0..)
                .value_parser(PARTS)
                .help("Only these parts [default: all]"),
        )
        .arg(
            Arg::new("public")
                .long("public")
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .help("A folder of further sets, .json or .json.gz"),
        )
}

pub(crate) fn run(given: &ArgMatches) -> anyhow::Result<()> {
    let chosen = given.get_many::<String>("parts").into_iter().flatten();
    let chosen: Vec<&str> = chosen.map(String::as_str).collect();
    let sets = given.get_one::<PathBuf>("public");
    let mut log = std::io::stderr();
    for part in PARTS {
        if !chosen.is_empty() && !chosen.contains(&part) {
            continue;
        }
        writeln!(log, "recording {part}")?;
        match part {
            "own" => rank(&[Dataset::own()?], "test")?,
            "public" => match sets {
                Some(folder) => rank(&public(folder)?, "all")?,
                None if chosen.is_empty() => {
                    writeln!(log, "  kept as recorded: no --public folder was given")?;
                }
                None => bail!("the public sets are not in the repository: give --public DIR"),
            },
            "tokens" => write("tokens.json", &tokens::counted()?)?,
            "answers" => answers()?,
            "criterion" => criterion(&mut log)?,
            "wire" => wire(&mut log)?,
            _ => others(sets.map(PathBuf::as_path))?,
        }
    }
    Ok(())
}

/// The sets of a folder, by name.
fn public(folder: &Path) -> anyhow::Result<Vec<Dataset>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("failed to read {}", folder.display()))?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    files.retain(|file| {
        let name = file.to_string_lossy();
        name.ends_with(".json") || name.ends_with(".json.gz")
    });
    files.sort();
    if files.is_empty() {
        bail!("{} holds no set", folder.display());
    }
    files.iter().map(|file| Dataset::read(file, None)).collect()
}

fn rank(sets: &[Dataset], split: &str) -> anyhow::Result<()> {
    let mut ranking: Rankings = read("ranking.json").unwrap_or_default();
    let vectors = flags::vectors("builtin")?;
    for set in sets {
        ranking.renew(peers::own(set, split, vectors.as_ref())?);
    }
    let id = vectors.as_ref().map(|vectors| vectors.embedder().id());
    ranking.embedder = id.unwrap_or_default().chars().take(12).collect();
    ranking.weights = format!("{:?}", Weights::default());
    write("ranking.json", &ranking)
}

fn others(sets: Option<&Path>) -> anyhow::Result<()> {
    let mut record: Rankings = read("peers.json").unwrap_or_default();
    let own = (Dataset::own()?, "test");
    let public = sets.map(public).transpose()?.unwrap_or_default();
    let public = public.into_iter().map(|set| (set, "all"));
    for (set, split) in [own].into_iter().chain(public) {
        peers::measure(&set, split, &mut record)?;
        // Set by set: a long run that ends early has not run for nothing.
        write("peers.json", &record)?;
    }
    Ok(())
}

/// The proxy makes its answers, so a program that may know the proxy measures them.
fn answers() -> anyhow::Result<()> {
    let mut program = Program::new("cargo");
    program.args([
        "run",
        "--release",
        "-p",
        "toolsearch-tests",
        "--bin",
        "toolsearch-answers",
        "--",
    ]);
    program.arg(folder().join("answers.json"));
    program.current_dir(env!("CARGO_MANIFEST_DIR"));
    let status = program.status().context("failed to start cargo")?;
    if !status.success() {
        bail!("measuring the answers ended with {status}");
    }
    Ok(())
}

/// The target folder that this program stands in.
fn target() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2);
    Ok(target
        .context("this program stands in no target folder")?
        .to_owned())
}

fn criterion(log: &mut impl Write) -> anyhow::Result<()> {
    let mut new = timings(&target()?.join("criterion"))?;
    new.extend(loops(&target()?)?);
    if new.is_empty() {
        writeln!(
            log,
            "  kept as recorded: no benchmark was run here; see docs/benchmarks.md"
        )?;
        return Ok(());
    }
    let mut kept: Vec<_> =
        read::<Timings>("criterion.json").map_or_else(|_| Vec::new(), |old| old.timings);
    kept.retain(|old| new.iter().all(|new| new.id != old.id));
    let mut timings = [new, kept].concat();
    timings.sort_by(|a, b| a.id.cmp(&b.id));
    let recorded = Stamp::now();
    write("criterion.json", &Timings { recorded, timings })
}

fn wire(log: &mut impl Write) -> anyhow::Result<()> {
    let file = target()?.join("wire/relay.json");
    let Ok(json) = std::fs::read(&file) else {
        writeln!(
            log,
            "  kept as recorded: no harness left target/wire/relay.json"
        )?;
        return Ok(());
    };
    let rows = serde_json::from_slice(&json).context("target/wire/relay.json is no such record")?;
    let recorded = Stamp::now();
    write("wire.json", &Wire { recorded, rows })
}
