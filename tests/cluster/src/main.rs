//! The command line: parse, dispatch, exit code.

mod commands;

use std::error::Error as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use toolsearch_cluster::Error;

/// The command line is wrong (`EX_USAGE`).
const USAGE: u8 = 64;
/// This machine cannot do it (`EX_UNAVAILABLE`).
const UNAVAILABLE: u8 = 69;
/// Somebody else is at it: try again later (`EX_TEMPFAIL`).
const BUSY: u8 = 75;

fn main() -> ExitCode {
    let matches = match commands::line().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // With its stream closed there is nobody left to tell.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    match commands::run(&matches) {
        Ok(code) => code,
        Err(error) => {
            let mut message = error.to_string();
            let mut cause = error.source();
            while let Some(source) = cause {
                message.push_str(&format!(": {source}"));
                cause = source.source();
            }
            let _ = writeln!(io::stderr(), "cluster: {message}");
            ExitCode::from(match error {
                Error::Unsupported(_) => UNAVAILABLE,
                Error::Busy(_) => BUSY,
                _ => 1,
            })
        }
    }
}
