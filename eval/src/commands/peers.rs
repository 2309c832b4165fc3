//! `peers`: how do others do on the same data?

use std::io::Write;

use clap::{ArgMatches, Command};
use toolsearch_eval::dataset::Dataset;
use toolsearch_eval::page;
use toolsearch_eval::peers::Environment;
use toolsearch_eval::records::{Rankings, SetRecord};
use toolsearch_eval::run::ask;
use toolsearch_search::{Vectors, Weights};

use crate::commands::flags;

pub(crate) fn command() -> Command {
    Command::new("peers")
        .about("Ask other searches the same questions: one table, ours beside theirs")
        .arg(flags::data())
        .arg(flags::split())
}

pub(crate) fn run(given: &ArgMatches) -> anyhow::Result<()> {
    let split = flags::text(given, "split");
    let vectors = flags::vectors("builtin")?;
    let (mut ours, mut theirs) = (Rankings::default(), Rankings::default());
    for set in flags::datasets(given)? {
        measure(&set, split, &mut theirs)?;
        ours.renew(own(&set, split, vectors.as_ref())?);
    }
    let versions = theirs
        .peers
        .iter()
        .map(|peer| format!("{} {}", peer.name, peer.version));
    let versions = versions.collect::<Vec<_>>().join(", ");
    let table = page::peers(&ours, &theirs);
    write!(std::io::stdout(), "recall at 5\n\n{table}\n{versions}\n")?;
    Ok(())
}

/// Asks our own search, with production's weights.
pub(crate) fn own(
    set: &Dataset,
    split: &str,
    vectors: Option<&Vectors>,
) -> anyhow::Result<SetRecord> {
    let run = ask(set, split, vectors, &Weights::default())?;
    Ok(SetRecord::of(&run, split))
}

/// Asks the peers and puts what they answered into the record.
pub(crate) fn measure(set: &Dataset, split: &str, into: &mut Rankings) -> anyhow::Result<()> {
    let mut progress = std::io::stderr();
    let environment = Environment::prepare(&mut progress)?;
    writeln!(progress, "asking the peers about {}", set.name)?;
    let (peers, run) = environment.rank(set, split)?;
    into.peers = peers;
    into.renew(SetRecord::of(&run, split));
    Ok(())
}
