//! A proxy in a process of its own, for tests that kill it or measure what it takes.
//!
//! Started by `toolsearch_tests::alone`, with the upstream's URL and further flags as arguments. Says
//! where it listens, and ends with its standard input.

use std::io::{BufRead as _, Write as _};

use anyhow::Context;
use toolsearch_tests::Running;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let told: Vec<String> = std::env::args().skip(1).collect();
    let (upstream, flags) = told.split_first().context("which upstream?")?;
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let running = Running::start(upstream, &flags).await;
    let mut out = std::io::stdout();
    writeln!(out, "{}", running.address)?;
    out.flush()?;
    let wait = || std::io::stdin().lock().read_line(&mut String::new());
    let _closed = tokio::task::spawn_blocking(wait).await?;
    Ok(())
}
