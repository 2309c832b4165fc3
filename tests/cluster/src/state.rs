//! What does a later command need to know of the cluster that is running?

use std::fs;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::place::Place;
use crate::processes::Process;
use crate::sandbox::Sandbox;

const FILE: &str = "state.json";

/// Written as soon as the control plane's sandbox exists, and again when the owner lets go of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) control: Sandbox,
    pub(crate) nodes: u8,
    /// Whose cluster it is, with whom it ends; none when it was left running for a person.
    pub(crate) owner: Option<Process>,
    /// The folder with the programs, as seen from outside of the sandboxes.
    pub(crate) programs: std::path::PathBuf,
}

impl State {
    /// None when nothing was started here, or it was not written to the end.
    pub(crate) fn read() -> Option<Self> {
        let text = fs::read_to_string(Place::file(FILE)).ok()?;
        serde_json::from_str(&text).ok()
    }

    pub(crate) fn write(&self) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Error::Invalid(format!("the state cannot be written: {error}")))?;
        Place::write(FILE, &text)
    }
}
