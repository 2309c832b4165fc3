//! Where do the cluster's programs come from? Unpacked or built, checked, kept by version.
//!
//! ```text
//! <cache>/parts/<recipe>-<version>-<hash>/   one recipe's programs, complete or absent
//! <cache>/<key>/                             all of them, hard links, with cni/ for the plugins
//! <cache>/go/                                Go's own caches, removed once everything is built
//! ```

mod golang;
mod packed;
mod recipe;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::environment;
use crate::error::Error;
use crate::host;
use crate::say::say;
use crate::wait::Stopwatch;
use packed::Packed;
use recipe::Recipe;

/// The folder that holds every program of the cluster, made now if it is not there.
pub(crate) fn provide() -> Result<PathBuf, Error> {
    let cache = environment::cache()?;
    let recipes = recipe::all()?;
    let whole = cache.join(recipe::key(&recipes));
    if whole.is_dir() {
        return Ok(whole);
    }
    let _one_at_a_time = alone(&cache)?;
    let packed = environment::packed().and_then(|folder| Packed::open(&folder));
    if whole.is_dir() {
        return Ok(whole);
    }
    let mut parts = Vec::new();
    let mut built = false;
    for recipe in &recipes {
        let part = cache.join("parts").join(recipe.folder());
        if part.is_dir() {
            say(&format!("{}: kept from before", recipe.title()));
        } else {
            let unpacked = packed
                .as_ref()
                .is_some_and(|packed| from_packed(packed, recipe, &part));
            if !unpacked {
                if !built {
                    host::install_for_building();
                    host::ready_to_build(golang::GO)?;
                    built = true;
                }
                build(&cache, recipe, &part)?;
            }
        }
        parts.push(part);
    }
    assemble(&recipes, &parts, &whole)?;
    if built {
        golang::forget(&cache);
    }
    Ok(whole)
}

/// Two that build into the same cache would be in each other's way: the second waits, and finds it done.
fn alone(cache: &Path) -> Result<File, Error> {
    fs::create_dir_all(cache).map_err(Error::file("make", cache))?;
    let path = cache.join("lock");
    let file = File::create(&path).map_err(Error::file("write", &path))?;
    if file.try_lock().is_err() {
        say("waiting for another build to end");
        file.lock().map_err(Error::file("lock", &path))?;
    }
    Ok(file)
}

/// True when the packed programs are in place; says why not otherwise.
fn from_packed(packed: &Packed, recipe: &Recipe, part: &Path) -> bool {
    let done = staged(part, |stage| {
        packed.unpack(recipe, stage)?;
        finish(recipe, stage)
    });
    match done {
        Ok(()) => {
            say(&format!(
                "{}: unpacked, sums and versions fit",
                recipe.title()
            ));
            true
        }
        Err(why) => {
            say(&format!(
                "{}: the packed one is not used, it is built instead: {why}",
                recipe.title()
            ));
            false
        }
    }
}

fn build(cache: &Path, recipe: &Recipe, part: &Path) -> Result<(), Error> {
    let watch = Stopwatch::start();
    staged(part, |stage| {
        golang::build(cache, recipe, stage)?;
        finish(recipe, stage)
    })?;
    say(&format!(
        "{}: built in {:.0} s",
        recipe.title(),
        watch.seconds()
    ));
    Ok(())
}

/// Makes a folder beside its place and moves it there when complete: what exists is whole.
fn staged(place: &Path, make: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    let mut stage = place.as_os_str().to_owned();
    stage.push(format!(".stage-{}", std::process::id()));
    let stage = PathBuf::from(stage);
    let _ = fs::remove_dir_all(&stage);
    fs::create_dir_all(&stage).map_err(Error::file("make", &stage))?;
    let done = make(&stage)
        .and_then(|()| fs::rename(&stage, place).map_err(Error::file("move into place", place)));
    if done.is_err() {
        let _ = fs::remove_dir_all(&stage);
    }
    done
}

/// Adds the links and asks every program for its version.
fn finish(recipe: &Recipe, stage: &Path) -> Result<(), Error> {
    for link in &recipe.links {
        let place = stage.join(link);
        std::os::unix::fs::symlink(&recipe.name, &place).map_err(Error::file("link", &place))?;
    }
    recipe.check(stage)
}

fn assemble(recipes: &[Recipe], parts: &[PathBuf], whole: &Path) -> Result<(), Error> {
    staged(whole, |stage| {
        for (recipe, part) in recipes.iter().zip(parts) {
            // containerd looks for its network plugins in a folder of their own.
            let folder = if recipe.name == "cni" {
                stage.join("cni")
            } else {
                stage.to_owned()
            };
            fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
            for program in recipe.programs() {
                let place = folder.join(&program);
                fs::hard_link(part.join(&program), &place).map_err(Error::file("link", &place))?;
            }
            for link in &recipe.links {
                let place = folder.join(link);
                std::os::unix::fs::symlink(&recipe.name, &place)
                    .map_err(Error::file("link", &place))?;
            }
        }
        Ok(())
    })
}
