//! Prints the definition of `ToolSearchProxy` as YAML.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let printed = toolsearch_crds::crd_yaml()
        .map_err(std::io::Error::other)
        .and_then(|yaml| std::io::stdout().write_all(yaml.as_bytes()));
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
