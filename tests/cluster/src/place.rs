//! Where does everything lie while the cluster runs?
//!
//! One fixed folder, for one cluster at a time, gone with it. Its `lock` is held by whoever sets the
//! cluster up and by the cluster's own first process: held means alive, free means left over.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::error::Error;

const ROOT: &str = "/tmp/toolsearch-cluster";

/// The folder of the one cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place;

impl Place {
    pub(crate) fn root() -> &'static Path {
        Path::new(ROOT)
    }

    pub(crate) fn file(name: &str) -> PathBuf {
        Self::root().join(name)
    }

    /// Programs, mounted here inside the sandboxes alone: the cache may lie under `/var`, which nodes hide.
    pub(crate) fn bin() -> PathBuf {
        Self::file("bin")
    }

    pub(crate) fn pki(name: &str) -> String {
        format!("{ROOT}/pki/{name}")
    }

    pub(crate) fn kubeconfig(user: &str) -> String {
        format!("{ROOT}/kubeconfig/{user}")
    }

    pub(crate) fn log(name: &str) -> PathBuf {
        Self::file("log").join(name)
    }

    /// The folder of one node.
    pub(crate) fn node(name: &str) -> PathBuf {
        Self::file("nodes").join(name)
    }

    pub(crate) fn write(name: &str, text: &str) -> Result<(), Error> {
        let path = Self::file(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        }
        fs::write(&path, text).map_err(Error::file("write", &path))
    }

    /// Removes all but the lock; what is mounted anywhere below is left alone and reported.
    pub(crate) fn empty() -> Result<(), Error> {
        let mounts = Path::new("/proc/self/mountinfo");
        let mounts = fs::read_to_string(mounts).map_err(Error::file("read", mounts))?;
        if mounts.contains(&format!("{ROOT}/")) {
            return Err(Error::Invalid(format!(
                "something is mounted below {ROOT}: nothing there is removed"
            )));
        }
        let Ok(entries) = fs::read_dir(ROOT) else {
            return Ok(());
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.file_name().is_some_and(|name| name == "lock") {
                continue;
            }
            let folder = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
            let removed = if folder {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.map_err(Error::file("remove", &path))?;
        }
        Ok(())
    }
}

/// The right to use the place; given up when every copy of the file is closed.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// None when somebody else holds it.
    pub(crate) fn take() -> Result<Option<Self>, Error> {
        let root = Place::root();
        loop {
            let made = DirBuilder::new().mode(0o755).recursive(true).create(root);
            made.map_err(Error::file("make", root))?;
            let meta = fs::symlink_metadata(root).map_err(Error::file("read", root))?;
            if !meta.is_dir() || meta.uid() != 0 {
                return Err(Error::Invalid(format!("{ROOT} is not root's own folder")));
            }
            let path = Place::file("lock");
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(&path)
                .map_err(Error::file("open", &path))?;
            match file.try_lock() {
                Ok(()) => (),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(source)) => return Err(Error::file("lock", &path)(source)),
            }
            // Whoever ended a cluster removes the file while holding it: ours must be the one there is.
            let mine = file.metadata().map_err(Error::file("read", &path))?;
            if fs::metadata(&path).is_ok_and(|there| there.ino() == mine.ino()) {
                return Ok(Some(Self(file)));
            }
        }
    }

    /// A copy for a process to hold.
    pub(crate) fn copy(&self) -> Result<File, Error> {
        self.0
            .try_clone()
            .map_err(Error::file("copy", &Place::file("lock")))
    }

    /// Removes the emptied place, the lock last.
    pub(crate) fn remove_place(self) -> Result<(), Error> {
        Place::empty()?;
        let lock = Place::file("lock");
        fs::remove_file(&lock).map_err(Error::file("remove", &lock))?;
        // Somebody else may be about to use it already: then it stays.
        let _ = fs::remove_dir(Place::root());
        Ok(())
    }
}
