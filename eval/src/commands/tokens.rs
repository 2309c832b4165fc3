//! `tokens`: what does a model load without and with the proxy?

use std::io::Write;

use clap::Command;
use toolsearch_eval::dataset::Dataset;
use toolsearch_eval::records::{Answers, Stamp, Tokens, read};
use toolsearch_eval::{page, tokens};

pub(crate) fn command() -> Command {
    Command::new("tokens").about(
        "Tokens of tool definitions without and with the proxy, and of the answers last recorded",
    )
}

pub(crate) fn run() -> anyhow::Result<()> {
    let answers: Answers = read("answers.json")?;
    let text = page::tokens(&counted()?, &answers);
    write!(std::io::stdout(), "{text}")?;
    Ok(())
}

/// Counts now.
pub(crate) fn counted() -> anyhow::Result<Tokens> {
    Ok(Tokens {
        recorded: Stamp::now(),
        tokenizer: tokens::TOKENIZER.to_owned(),
        definitions: tokens::definitions(&Dataset::own()?.tools)?,
    })
}
