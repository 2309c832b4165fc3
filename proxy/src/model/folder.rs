//! When is the folder complete, and how does it become so all at once?
//!
//! Files gather in `.<name>.fetching` beside the folder, so that one rename on the same disk
//! brings them into place. A folder that is replaced waits as `.<name>.old` until the new one
//! stands, and is put back if the process dies in between. Never touches a folder that holds
//! anything else.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::model::digest::Digest;
use crate::model::failure::{Failure, Limit};
use crate::model::manifest::{Entry, Manifest};

const MARKER: &str = ".complete";

/// The folder, and the places beside it.
#[derive(Debug)]
pub(crate) struct Folder {
    target: PathBuf,
    stage: PathBuf,
    old: PathBuf,
    lock: PathBuf,
}

impl Folder {
    /// Puts back what an earlier run had moved aside; makes nothing.
    pub(crate) fn new(target: &Path) -> Result<Self, Failure> {
        let name = target.file_name().ok_or_else(|| Failure::Folder {
            path: target.to_owned(),
            source: io::Error::from(io::ErrorKind::InvalidFilename),
        })?;
        let beside = |suffix: &str| {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(suffix);
            target.with_file_name(hidden)
        };
        Ok(Self {
            target: target.to_owned(),
            stage: beside(".fetching"),
            old: beside(".old"),
            lock: beside(".lock"),
        })
    }

    /// Whether the folder has the marker of this manifest, and every byte that it promises.
    pub(crate) fn holds(&self, manifest: &Manifest) -> Result<bool, Failure> {
        if !has_marker(&self.target, Some(manifest)) {
            return Ok(false);
        }
        for entry in manifest.entries() {
            let path = self.target.join(&entry.path);
            match Digest::of_file(&path) {
                Ok((_, digest)) if digest == entry.digest => {}
                Ok(_) => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(Failure::io(&path, error)),
            }
        }
        Ok(true)
    }

    /// Keeps other processes out, those on other machines too where the disk is shared.
    pub(crate) async fn lock(&self, deadline: Instant) -> Result<File, Failure> {
        let broken = |error| Failure::io(&self.lock, error);
        if let Some(parent) = self.target.parent() {
            fs::create_dir_all(parent).map_err(|error| Failure::io(parent, error))?;
        }
        let file = File::create(&self.lock).map_err(broken)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(broken(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(Failure::Timeout(Limit::Lock));
                }
                Err(TryLockError::WouldBlock) => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
        }
        self.put_back()?;
        Ok(file)
    }

    /// After a death between the two renames of [`Folder::install`].
    fn put_back(&self) -> Result<(), Failure> {
        if !self.target.exists() && self.old.exists() {
            fs::rename(&self.old, &self.target)
                .map_err(|error| Failure::io(&self.target, error))?;
        }
        Ok(())
    }

    /// Refuses a folder that holds files and was not made by us.
    pub(crate) fn refuse_strangers(&self) -> Result<(), Failure> {
        let ours = has_marker(&self.target, None);
        let empty = match fs::read_dir(&self.target) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(Failure::io(&self.target, error)),
        };
        if ours || empty {
            return Ok(());
        }
        Err(Failure::Occupied {
            path: self.target.clone(),
        })
    }

    /// Where a file gathers; its folders are made.
    pub(crate) fn staged(&self, entry: &Entry) -> Result<PathBuf, Failure> {
        let path = self.stage.join(&entry.path);
        let parent = path.parent().unwrap_or(&self.stage);
        fs::create_dir_all(parent).map_err(|error| Failure::io(parent, error))?;
        Ok(path)
    }

    /// Puts the gathered files into place.
    pub(crate) fn install(&self, manifest: &Manifest) -> Result<(), Failure> {
        self.try_install(manifest)
            .map_err(|error| Failure::io(&self.target, error))
    }

    fn try_install(&self, manifest: &Manifest) -> io::Result<()> {
        self.sweep(manifest)?;
        let marker = self.stage.join(MARKER);
        fs::write(&marker, marker_text(manifest))?;
        File::open(&marker)?.sync_all()?;
        File::open(&self.stage)?.sync_all()?;
        remove_all(&self.old)?;
        if self.target.exists() {
            fs::rename(&self.target, &self.old)?;
        }
        if let Err(error) = fs::rename(&self.stage, &self.target) {
            if self.old.exists() {
                fs::rename(&self.old, &self.target)?;
            }
            return Err(error);
        }
        if let Some(parent) = self.target.parent().filter(|p| !p.as_os_str().is_empty()) {
            File::open(parent)?.sync_all()?;
        }
        remove_all(&self.old)?;
        // The lock file stays: to remove it would let two processes hold two locks of one name.
        Ok(())
    }

    /// What an earlier run for another manifest left in the stage does not come along.
    fn sweep(&self, manifest: &Manifest) -> io::Result<()> {
        let wanted = |name: &std::ffi::OsStr| {
            manifest.entries().iter().any(|entry| {
                entry
                    .path
                    .split('/')
                    .next()
                    .is_some_and(|first| name == first)
            })
        };
        for entry in fs::read_dir(&self.stage)? {
            let entry = entry?;
            if !wanted(&entry.file_name()) {
                remove_all(&entry.path())?;
            }
        }
        Ok(())
    }
}

fn has_marker(folder: &Path, manifest: Option<&Manifest>) -> bool {
    let text = fs::read_to_string(folder.join(MARKER));
    text.is_ok_and(|text| manifest.is_none_or(|manifest| text == marker_text(manifest)))
}

fn marker_text(manifest: &Manifest) -> String {
    format!("sha256:{}\n", manifest.digest())
}

fn remove_all(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
