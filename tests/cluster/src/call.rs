//! How is another program called, and what is said when it fails?

use std::process::{Command, Output, Stdio};

use crate::error::Error;

/// Characters of a program's own words that an error repeats: its end, where the reason stands.
const REPEATED: usize = 1500;

/// Runs to the end and gives what was written to standard output.
pub(crate) fn call(command: &mut Command) -> Result<String, Error> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    Err(Error::Command {
        command: described(command),
        status: output.status.to_string(),
        said: said_by(&String::from_utf8_lossy(&said)),
    })
}

/// Whether it ends well; its words are dropped.
pub(crate) fn works(command: &mut Command) -> bool {
    output(command).is_ok_and(|output| output.status.success())
}

/// Both streams together, however it ended; for programs that print their version to either.
pub(crate) fn words(command: &mut Command) -> Result<String, Error> {
    let output = output(command)?;
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn output(command: &mut Command) -> Result<Output, Error> {
    command
        .stdin(Stdio::null())
        .output()
        .map_err(start_error(command))
}

/// The error for a program that cannot be started.
pub(crate) fn start_error(command: &Command) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let program = command.get_program().to_string_lossy().into_owned();
    move |source| Error::Start { program, source }
}

/// The end of what was said, on a line of its own, or nothing.
pub(crate) fn said_by(text: &str) -> String {
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(REPEATED);
    let end: String = text.chars().skip(skipped).collect();
    if end.is_empty() {
        end
    } else {
        format!("\n{end}")
    }
}

fn described(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(
        command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned()),
    );
    let line = words.join(" ");
    line.chars().take(300).collect()
}
