//! Which variables of the environment are read?

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one file of the harness that reads the environment"
)]

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::Error;

/// The folder with packed programs, where somebody has set one.
pub(crate) fn packed() -> Option<PathBuf> {
    set("TOOLSEARCH_CLUSTER_BIN").map(PathBuf::from)
}

/// Where programs are kept between runs: the same place as the rest of the project's test tools.
pub(crate) fn cache() -> Result<PathBuf, Error> {
    let base = set("TOOLSEARCH_CACHE")
        .map(PathBuf::from)
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("toolsearch")))
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache/toolsearch")));
    let base = base.ok_or_else(|| {
        Error::Invalid("neither XDG_CACHE_HOME nor HOME is set: no place for programs".to_owned())
    })?;
    std::path::absolute(base.join("cluster")).map_err(Error::file("find", &base))
}

/// The caller's search path, behind which the cluster's own programs are put.
pub(crate) fn search_path() -> String {
    set("PATH").map_or_else(String::new, |path| path.to_string_lossy().into_owned())
}

fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
