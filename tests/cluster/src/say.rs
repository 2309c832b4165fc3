//! What does a person see while it works?

use std::io::{self, Write as _};

/// One line of progress on standard error; with nobody listening it is dropped.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "cluster: {line}");
}
