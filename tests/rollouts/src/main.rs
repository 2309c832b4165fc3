//! What only a real cluster can show. Starts one, installs the chart, runs every check in turn and
//! prints a line for each; exits with 1 when one failed.
//!
//! Checks are named after the rules of `docs/operator-checklist.md`.

#![expect(clippy::print_stdout, reason = "the program's answer")]
#![expect(
    clippy::disallowed_types,
    reason = "a cluster has its own clock, which no test can pause"
)]

mod bench;
mod checks;
mod load;
mod table;
mod up;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::bench::Bench;
use crate::table::Table;

#[derive(Debug, Parser)]
struct Arguments {
    /// The operator's program
    #[arg(long)]
    operator: PathBuf,
    /// The proxy's program
    #[arg(long)]
    proxy: PathBuf,
    /// The program of upstream, mirror and clients
    #[arg(long)]
    load: PathBuf,
    /// The chart
    #[arg(long, default_value = "charts/toolsearch-operator")]
    chart: PathBuf,
    /// The folder of a small model
    #[arg(long, default_value = "proxy/search/fixtures")]
    models: PathBuf,
    /// The folder of the SDKs' clients
    #[arg(long, default_value = "tests/interop")]
    sdks: PathBuf,
    /// How often each change is made under load
    #[arg(long, default_value_t = 1)]
    repeats: usize,
    /// Seconds without any write that count as quiet
    #[arg(long, default_value_t = 60)]
    quiet: u64,
    /// Where to keep the figures of the run under load
    #[arg(long)]
    record: Option<PathBuf>,
    /// Leave the cluster running for a person, with a sample in it, instead of the checks
    #[arg(long)]
    leave: bool,
    /// Only checks whose names hold this
    #[arg(long)]
    only: Option<String>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    if arguments.leave {
        up::up(&arguments)?;
        return Ok(ExitCode::SUCCESS);
    }
    let bench = Bench::start(&arguments)?;
    let mut table = Table::new(arguments.only.clone());
    checks::all(&bench, &mut table);
    println!("{table}");
    if table.has_failed() {
        println!("{}", bench.aftermath());
    }
    println!(
        "cluster: {} passed, {} failed",
        table.passed(),
        table.failed()
    );
    Ok(if table.has_failed() {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}
