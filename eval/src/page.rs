//! What does `docs/benchmarks.md` say? Printed from the records alone; every figure on it was
//! measured by a command that the page names.

mod cost;
mod quality;
mod rollouts;
mod speed;

use crate::records::{Answers, Rankings, Rollouts, Timings, Tokens, Wire, read};

/// Everything that was recorded.
#[derive(Debug)]
pub struct Records {
    timings: Timings,
    wire: Wire,
    ranking: Rankings,
    peers: Rankings,
    tokens: Tokens,
    answers: Answers,
    rollouts: Rollouts,
}

impl Records {
    /// Those that are committed.
    ///
    /// # Errors
    /// One is missing, or is not what it should be.
    pub fn committed() -> anyhow::Result<Self> {
        Ok(Self {
            timings: read("criterion.json")?,
            wire: read("wire.json")?,
            ranking: read("ranking.json")?,
            peers: read("peers.json")?,
            tokens: read("tokens.json")?,
            answers: read("answers.json")?,
            rollouts: read("rollouts.json")?,
        })
    }
}

const HEAD: &str = "\
# Benchmarks

How to run each, and what was last measured. This page is printed from the records in \
`eval/results`; nothing on it is typed by hand, and a test fails when it is not what they say. \
`cargo run --release -p toolsearch-eval -- record` measures again what it can here (`record --help` \
names the parts), `cargo run --release -p toolsearch-eval -- report` prints the page. Times are of \
one machine with shared cores; compare ratios.
";

/// The page.
#[must_use]
pub fn print(records: &Records) -> String {
    [
        HEAD.to_owned(),
        quality::own(&records.ranking),
        quality::public(&records.ranking),
        quality::peers(&records.ranking, &records.peers),
        cost::definitions(&records.tokens),
        cost::answers(&records.answers),
        speed::search(&records.timings),
        speed::arguments(&records.timings),
        speed::relayed(&records.wire),
        rollouts::rollouts(&records.rollouts),
    ]
    .join("\n")
}

/// The tables of tokens alone.
#[must_use]
pub fn tokens(tokens: &Tokens, answers: &Answers) -> String {
    [cost::definitions(tokens), cost::answers(answers)].join("\n")
}

/// The table of peers alone.
#[must_use]
pub fn peers(ours: &Rankings, theirs: &Rankings) -> String {
    quality::peer_table(ours, theirs)
}
