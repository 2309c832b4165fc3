//! Are the programs lying about packed, and are they what their sums say?
//!
//! A folder holds one `.xz` a program and `SHA256SUMS` over them, in the form of `sha256sum`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::call::start_error;
use crate::digest;
use crate::error::Error;
use crate::programs::recipe::Recipe;
use crate::say::say;

/// A folder whose list of sums could be read.
#[derive(Debug)]
pub(crate) struct Packed {
    folder: PathBuf,
    sums: BTreeMap<String, String>,
}

impl Packed {
    /// None, with the reason said, when the folder cannot serve.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        let list = folder.join("SHA256SUMS");
        match fs::read_to_string(&list) {
            Ok(text) => {
                say(&format!("packed programs: {}", folder.display()));
                Some(Self {
                    folder: folder.to_owned(),
                    sums: sums(&text),
                })
            }
            Err(error) => {
                say(&format!(
                    "TOOLSEARCH_CLUSTER_BIN is set, but {} cannot be read ({error}): everything is built",
                    list.display()
                ));
                None
            }
        }
    }

    /// Puts the programs of one recipe into `stage`, each one's sum checked first.
    pub(crate) fn unpack(&self, recipe: &Recipe, stage: &Path) -> Result<(), Error> {
        for program in recipe.programs() {
            let name = format!("{}.xz", recipe.packed_name(&program));
            let wanted = self
                .sums
                .get(&name)
                .ok_or_else(|| Error::Invalid(format!("{name} is not in SHA256SUMS")))?;
            let from = self.folder.join(&name);
            let (found, _) = digest::of_file(&from)?;
            if found != *wanted {
                return Err(Error::Invalid(format!("the sum of {name} does not fit")));
            }
            let to = stage.join(&program);
            let file = File::create(&to).map_err(Error::file("write", &to))?;
            let mut xz = Command::new("xz");
            xz.args(["--decompress", "--stdout"])
                .arg(&from)
                .stdout(file);
            let status = xz.status().map_err(start_error(&xz))?;
            if !status.success() {
                return Err(Error::Invalid(format!("{name} does not unpack")));
            }
            fs::set_permissions(&to, fs::Permissions::from_mode(0o755))
                .map_err(Error::file("mark as a program", &to))?;
        }
        Ok(())
    }
}

/// `digest  name` a line, the name perhaps with the star of binary mode.
fn sums(text: &str) -> BTreeMap<String, String> {
    let lines = text
        .lines()
        .filter_map(|line| line.split_once(char::is_whitespace));
    lines
        .map(|(sum, name)| {
            let name = name.trim_start().trim_start_matches('*');
            (name.to_owned(), sum.to_ascii_lowercase())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_read_in_both_modes() {
        let sums = sums("AA  kall.xz\nbb *ctr.xz\n\n");
        assert_eq!(sums["kall.xz"], "aa");
        assert_eq!(sums["ctr.xz"], "bb");
        assert_eq!(sums.len(), 2);
    }

    #[test]
    fn a_folder_without_sums_does_not_serve() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Packed::open(folder.path()).is_none());
    }

    #[test]
    fn a_wrong_sum_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let stage = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("helm.xz"), "not it").unwrap();
        fs::write(folder.path().join("SHA256SUMS"), "00  helm.xz\n").unwrap();
        let recipes = crate::programs::recipe::all().unwrap();
        let helm = recipes.iter().find(|recipe| recipe.name == "helm").unwrap();
        let packed = Packed::open(folder.path()).unwrap();
        let error = packed.unpack(helm, stage.path()).unwrap_err();
        assert_eq!(error.to_string(), "the sum of helm.xz does not fit");
        assert!(!stage.path().join("helm").exists());
    }
}
