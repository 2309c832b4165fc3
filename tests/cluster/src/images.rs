//! How is an image made without a container engine, and which ones does the cluster need itself?

mod archive;
mod tar;

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::place::Place;

pub use archive::Image;

pub(crate) const PAUSE: &str = "localhost/toolsearch-pause:1";
const COREDNS: &str = "localhost/toolsearch-coredns:1";
const METRICS: &str = "localhost/toolsearch-metrics-server:1";

/// Packs the cluster's own images from its programs.
pub(crate) fn own(programs: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut archives = Vec::new();
    for (program, name) in [
        ("pause", PAUSE),
        ("coredns", COREDNS),
        ("metrics-server", METRICS),
    ] {
        let out = Place::file("images").join(format!("{program}.tar"));
        let mut image = Image::new(name);
        image.file(&programs.join(program), &format!("/{program}"))?;
        image.entrypoint = vec![format!("/{program}")];
        image.write(&out)?;
        archives.push(out);
    }
    Ok(archives)
}
