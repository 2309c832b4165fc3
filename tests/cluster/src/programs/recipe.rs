//! Which programs are there, in which version, and how is each made and recognised?

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::call::words;
use crate::error::Error;

const RECIPES: &str = include_str!("../../programs/recipes.yaml");
/// Sources of our own that the recipes name.
const SOURCES: [(&str, &str); 3] = [
    (
        "kubernetes.go",
        include_str!("../../programs/kubernetes.go"),
    ),
    ("coredns.go", include_str!("../../programs/coredns.go")),
    ("pause.c", include_str!("../../programs/pause.c")),
];

/// One module and the programs that are built from it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recipe {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The Go module; none for what is written in C.
    #[serde(default)]
    pub(crate) module: String,
    /// The version of the sub-modules that the module replaces by folders of its own.
    pub(crate) staging: Option<String>,
    /// A `main` of ours, in a folder named after the recipe.
    pub(crate) main: Option<String>,
    /// A C file of ours.
    pub(crate) c: Option<String>,
    /// Packages below the module, or below the recipe's own folder with `./`.
    pub(crate) packages: Vec<String>,
    #[serde(default)]
    pub(crate) links: Vec<String>,
    /// Names in the folder of packed programs, where they differ.
    #[serde(default)]
    packed: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) cgo: bool,
    #[serde(default)]
    pub(crate) tags: String,
    #[serde(default)]
    ldflags: String,
    #[serde(default)]
    checks: Vec<Check>,
}

/// What a program says about itself when it is the right one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    run: Vec<String>,
    prints: String,
}

/// Every recipe, in the order of building.
pub(crate) fn all() -> Result<Vec<Recipe>, Error> {
    serde_yaml::from_str(RECIPES)
        .map_err(|error| Error::Invalid(format!("programs/recipes.yaml: {error}")))
}

/// One of our own source files.
pub(crate) fn source(name: &str) -> Result<&'static str, Error> {
    let found = SOURCES.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, text)| *text)
        .ok_or_else(|| Error::Invalid(format!("no source called {name}")))
}

/// One name for the whole set: it changes with any version, flag or source.
pub(crate) fn key(recipes: &[Recipe]) -> String {
    let folders: Vec<String> = recipes.iter().map(Recipe::folder).collect();
    let kubernetes = recipes.first().map_or("", |recipe| recipe.version.as_str());
    format!("{kubernetes}-{}", digest(&folders.join(" ")))
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest[..5]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Recipe {
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// The folder of this recipe's programs, named by everything that decides what they are.
    pub(crate) fn folder(&self) -> String {
        let own = [&self.main, &self.c].into_iter().flatten();
        let own: Vec<&str> = own.filter_map(|name| source(name).ok()).collect();
        let all = format!(
            "{} {:?} {:?} {} {} {} {own:?} {}",
            self.module,
            self.staging,
            self.packages,
            self.cgo,
            self.tags,
            self.ldflags(),
            std::env::consts::ARCH,
        );
        format!("{}-{}-{}", self.name, self.version, digest(&all))
    }

    pub(crate) fn ldflags(&self) -> String {
        self.ldflags.replace("{version}", &self.version)
    }

    /// The files that building makes, links not counted.
    pub(crate) fn programs(&self) -> Vec<String> {
        let last = |package: &String| match package.rsplit('/').next() {
            Some(".") | None => self.name.clone(),
            Some(last) => last.to_owned(),
        };
        self.packages.iter().map(last).collect()
    }

    /// The name of a program in a folder of packed ones, without its ending.
    pub(crate) fn packed_name<'a>(&'a self, program: &'a str) -> &'a str {
        self.packed.get(program).map_or(program, String::as_str)
    }

    /// Runs every program that has something to say about its version.
    pub(crate) fn check(&self, folder: &Path) -> Result<(), Error> {
        for check in &self.checks {
            let Some((program, arguments)) = check.run.split_first() else {
                continue;
            };
            let wanted = check.prints.replace("{version}", &self.version);
            let said = words(Command::new(folder.join(program)).args(arguments))?;
            if !said.contains(&wanted) {
                let first = said.lines().next().unwrap_or_default();
                return Err(Error::Invalid(format!(
                    "`{}` should say {wanted:?} and says {first:?}",
                    check.run.join(" ")
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_reads_and_finds_its_sources() {
        let recipes = all().unwrap();
        assert_eq!(recipes[0].name, "kubernetes");
        for recipe in &recipes {
            for name in [&recipe.main, &recipe.c].into_iter().flatten() {
                assert!(!source(name).unwrap().is_empty(), "{name}");
            }
            assert!(!recipe.programs().is_empty(), "{}", recipe.name);
        }
    }

    #[test]
    fn a_program_is_named_by_the_end_of_its_package() {
        let recipes = all().unwrap();
        let of = |name: &str| recipes.iter().find(|recipe| recipe.name == name).unwrap();
        assert_eq!(of("runc").programs(), ["runc"]);
        assert_eq!(of("kubernetes").programs(), ["kubernetes"]);
        assert_eq!(of("kubernetes").packed_name("kubernetes"), "kall");
        assert_eq!(of("helm").packed_name("helm"), "helm");
        assert!(of("containerd").programs().contains(&"ctr".to_owned()));
    }

    #[test]
    fn the_key_follows_the_version() {
        let before = key(&all().unwrap());
        let mut recipes = all().unwrap();
        recipes[2].version = "9.9.9".to_owned();
        assert_ne!(before, key(&recipes));
    }
}
