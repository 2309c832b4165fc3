//! How is a recipe built from Go modules (and one from C)?

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use crate::call::{call, said_by, start_error};
use crate::error::Error;
use crate::programs::recipe::{self, Recipe};
use crate::say::say;
use crate::wait::Stopwatch;

/// The newest `go` line that a recipe's module needs.
pub(crate) const GO: &str = "1.26.0";
/// Seconds between two lines of progress.
const EVERY: f64 = 15.0;
/// How often it is looked whether one is due.
const TICK: Duration = Duration::from_secs(1);

/// Builds the programs of a recipe into `stage`.
pub(crate) fn build(cache: &Path, recipe: &Recipe, stage: &Path) -> Result<(), Error> {
    if let Some(file) = &recipe.c {
        return build_c(file, recipe, stage);
    }
    let work = Workshop::new(cache, recipe)?;
    say(&format!("{}: fetching modules", recipe.title()));
    work.write_module()?;
    let packages = work.packages();
    let mut build = work.go();
    // Each recipe is asked for by name: the output folder keeps the names of the packages.
    build.args(["build", "-v", "-trimpath", "-o"]).arg(stage);
    if !recipe.tags.is_empty() {
        build.args(["-tags", &recipe.tags]);
    }
    build.args(["-ldflags", &recipe.ldflags()]).args(&packages);
    work.watch(&mut build)?;
    let _ = fs::remove_dir_all(&work.folder);
    Ok(())
}

/// Removes Go's own caches, ten times the size of what they made.
pub(crate) fn forget(cache: &Path) {
    let folder = cache.join("go");
    let mut go = Command::new("go");
    // Only Go can: it marks its modules read-only.
    go.args(["clean", "-modcache"])
        .env("GOMODCACHE", folder.join("modules"));
    if call(&mut go).is_ok() {
        let _ = fs::remove_dir_all(folder);
    }
}

fn build_c(file: &str, recipe: &Recipe, stage: &Path) -> Result<(), Error> {
    let source = stage.join(file);
    fs::write(&source, recipe::source(file)?).map_err(Error::file("write", &source))?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-static", "-Os", "-s", "-o"])
        .arg(stage.join(&recipe.name))
        .arg(&source);
    call(&mut gcc)?;
    fs::remove_file(&source).map_err(Error::file("remove", &source))
}

/// The folder of one module of ours, and Go called in it.
struct Workshop<'a> {
    folder: PathBuf,
    cache: &'a Path,
    recipe: &'a Recipe,
}

impl<'a> Workshop<'a> {
    fn new(cache: &'a Path, recipe: &'a Recipe) -> Result<Self, Error> {
        let folder = cache.join("go/work").join(recipe.folder());
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
        Ok(Self {
            folder,
            cache,
            recipe,
        })
    }

    fn go(&self) -> Command {
        let mut go = Command::new("go");
        go.current_dir(&self.folder)
            .env("CGO_ENABLED", if self.recipe.cgo { "1" } else { "0" })
            .env("GOTOOLCHAIN", "local")
            .env("GOWORK", "off")
            .env("GOFLAGS", "-buildvcs=false -mod=mod")
            .env("GOCACHE", self.cache.join("go/objects"))
            .env("GOMODCACHE", self.cache.join("go/modules"));
        go
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(Error::file("write", &path))
    }

    fn write_module(&self) -> Result<(), Error> {
        let recipe = self.recipe;
        if let Some(main) = &recipe.main {
            let folder = self.folder.join(&recipe.name);
            fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
            self.write(&format!("{}/main.go", recipe.name), recipe::source(main)?)?;
        }
        let Some(staging) = &recipe.staging else {
            let module = format!(
                "module example.test/{}\n\ngo {GO}\n\nrequire {} v{}\n",
                recipe.name, recipe.module, recipe.version
            );
            return self.write("go.mod", &module);
        };
        let wanted = format!("{}@v{}", recipe.module, recipe.version);
        let answer = call(self.go().args(["mod", "download", "-json", &wanted]))?;
        let fetched: Fetched = serde_json::from_str(&answer)
            .map_err(|error| Error::Invalid(format!("go mod download answers oddly: {error}")))?;
        let theirs =
            fs::read_to_string(&fetched.go_mod).map_err(Error::file("read", &fetched.go_mod))?;
        self.write("go.mod", &repeated(&theirs, recipe, staging))?;
        let sums = fetched.dir.join("go.sum");
        let sums = fs::read_to_string(&sums).map_err(Error::file("read", &sums))?;
        self.write("go.sum", &sums)
    }

    fn packages(&self) -> Vec<String> {
        let whole = |package: &String| match package.as_str() {
            "." => self.recipe.module.clone(),
            own if own.starts_with("./") => own.to_owned(),
            below => format!("{}/{below}", self.recipe.module),
        };
        self.recipe.packages.iter().map(whole).collect()
    }

    /// Runs the build, one line now and then; `-v` names each package as it is begun.
    fn watch(&self, build: &mut Command) -> Result<(), Error> {
        let title = self.recipe.title();
        let total = self.count();
        let watch = Stopwatch::start();
        let mut child = build
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start_error(build))?;
        // Lines come by another thread: the largest packages take a minute without saying a word.
        let (tell, told) = mpsc::channel();
        let stderr = child.stderr.take();
        let reader = thread::spawn(move || {
            let lines = stderr
                .into_iter()
                .flat_map(|stderr| BufReader::new(stderr).lines());
            // Once nobody listens there is nothing to read for.
            let _ = lines
                .map_while(Result::ok)
                .try_for_each(|line| tell.send(line));
        });
        let (mut seen, mut spoken, mut problems) = (0_usize, 0.0, String::new());
        loop {
            match told.recv_timeout(TICK) {
                Ok(line) if line.starts_with("go: downloading") => (),
                Ok(line) if line.contains(' ') || line.starts_with('#') => {
                    problems.push_str(&line);
                    problems.push('\n');
                }
                Ok(_) => seen += 1,
                Err(RecvTimeoutError::Timeout) => (),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if watch.seconds() - spoken >= EVERY {
                spoken = watch.seconds();
                say(&format!(
                    "{title}: {seen} of at most {total} packages after {spoken:.0} s"
                ));
            }
        }
        let _ = reader.join();
        let status = child.wait().map_err(start_error(build))?;
        if status.success() {
            return Ok(());
        }
        Err(Error::Command {
            command: format!("go build {}", self.packages().join(" ")),
            status: status.to_string(),
            said: said_by(&problems),
        })
    }

    /// How many packages there are at most: those built before are not counted again by Go.
    fn count(&self) -> usize {
        let mut list = self.go();
        list.args(["list", "-deps", "-tags", &self.recipe.tags]);
        call(list.args(self.packages())).map_or(0, |text| text.lines().count())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Fetched {
    dir: PathBuf,
    go_mod: PathBuf,
}

/// A `go.mod` of ours that repeats the pins of a module whose sub-modules live in its own folders,
/// pointing them at what is published.
fn repeated(theirs: &str, recipe: &Recipe, staging: &str) -> String {
    let mut ours = format!("module example.test/{}\n", recipe.name);
    let first = |line: &&str| line.starts_with("go ") || line.starts_with("godebug ");
    for line in theirs.lines().filter(first) {
        ours.push_str(&format!("{line}\n"));
    }
    ours.push_str(&format!("require {} v{}\n", recipe.module, recipe.version));
    let (mut requires, mut replaced) = (false, Vec::new());
    for line in theirs.lines() {
        requires |= line.starts_with("require (");
        if requires {
            ours.push_str(&format!("{}\n", published(line, staging)));
        }
        requires &= line != ")";
        let replace = line.split_once(" => ./");
        replaced.extend(replace.map(|(module, _)| module.trim().trim_start_matches("replace ")));
    }
    for module in replaced {
        ours.push_str(&format!("replace {module} => {module} {staging}\n"));
    }
    ours
}

/// Only the bare `v0.0.0` is a folder; `v0.0.0-DATE-HASH` is a real version and stays.
fn published(line: &str, staging: &str) -> String {
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some(_), Some("v0.0.0")) => line.replacen("v0.0.0", staging, 1),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_repeated_and_folders_become_versions() {
        let theirs = "module k8s.io/kubernetes\n\ngo 1.26.0\n\ngodebug default=go1.26\n\nrequire (\n\tk8s.io/api v0.0.0\n\tk8s.io/utils v0.0.0-2026-ab\n\tx.test/y v1.2.3 // indirect\n)\n\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n)\n";
        let recipes = recipe::all().unwrap();
        assert_eq!(
            repeated(theirs, &recipes[0], "v0.37.2"),
            "module example.test/kubernetes\ngo 1.26.0\ngodebug default=go1.26\nrequire k8s.io/kubernetes v1.37.2\nrequire (\n\tk8s.io/api v0.37.2\n\tk8s.io/utils v0.0.0-2026-ab\n\tx.test/y v1.2.3 // indirect\n)\nreplace k8s.io/api => k8s.io/api v0.37.2\n"
        );
    }
}
