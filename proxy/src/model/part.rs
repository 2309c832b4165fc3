//! What is already there of a file, and its hash so far.
//!
//! `<name>.part` holds the bytes, `<name>.part.etag` the version they are of. Opening hashes what
//! is there, so that the digest covers every byte whichever run fetched it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use http::HeaderValue;
use sha2::{Digest as _, Sha256};

use crate::model::digest::{Digest, hash};
use crate::model::failure::Failure;

/// A file that is being fetched.
#[derive(Debug)]
pub(crate) struct Part {
    path: PathBuf,
    file: File,
    hasher: Sha256,
    length: u64,
}

impl Part {
    /// Opens what an earlier run left of `target`, or begins.
    pub(crate) fn open(target: &Path) -> Result<Self, Failure> {
        let path = beside(target, ".part");
        Self::try_open(&path).map_err(|error| Failure::io(&path, error))
    }

    fn try_open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let (length, hasher) = hash(&mut file, path.metadata()?.len())?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            hasher,
            length,
        })
    }

    /// Bytes so far.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Adds bytes at the end.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file
            .write_all(bytes)
            .map_err(|error| Failure::io(&self.path, error))?;
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Forgets all bytes.
    pub(crate) fn restart(&mut self) -> Result<(), Failure> {
        self.try_restart()
            .map_err(|error| Failure::io(&self.path, error))?;
        self.hasher = Sha256::new();
        self.length = 0;
        Ok(())
    }

    fn try_restart(&mut self) -> io::Result<()> {
        remove(&beside(&self.path, ".etag"))?;
        if self.length > 0 {
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
        }
        Ok(())
    }

    /// The version that the bytes are of, where the server said so.
    pub(crate) fn etag(&self) -> Option<HeaderValue> {
        let text = fs::read_to_string(beside(&self.path, ".etag")).ok()?;
        HeaderValue::try_from(text).ok()
    }

    /// Remembers that version; a weak one cannot vouch for bytes and is not kept.
    pub(crate) fn remember(&self, etag: Option<&HeaderValue>) -> Result<(), Failure> {
        let path = beside(&self.path, ".etag");
        let strong = etag.filter(|value| value.as_bytes().starts_with(b"\""));
        match strong {
            Some(value) => fs::write(&path, value.as_bytes()),
            None => remove(&path),
        }
        .map_err(|error| Failure::io(&path, error))
    }

    /// The digest of all bytes.
    pub(crate) fn digest(&self) -> Digest {
        Digest::finish(self.hasher.clone())
    }

    /// Gives the file its name, once its bytes are on the disk.
    pub(crate) fn keep(self, target: &Path) -> Result<(), Failure> {
        self.file
            .sync_all()
            .and_then(|()| fs::rename(&self.path, target))
            .and_then(|()| remove(&beside(&self.path, ".etag")))
            .map_err(|error| Failure::io(target, error))
    }

    /// Removes the file: its bytes are wrong.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        remove(&beside(&self.path, ".etag"))
            .and_then(|()| remove(&self.path))
            .map_err(|error| Failure::io(&self.path, error))
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        let mut part = Part::open(&target).unwrap();
        part.append(b"ab").unwrap();
        part.remember(Some(&HeaderValue::from_static("\"v1\"")))
            .unwrap();
        drop(part);
        let mut part = Part::open(&target).unwrap();
        assert_eq!(
            (part.length(), part.etag()),
            (2, Some(HeaderValue::from_static("\"v1\"")))
        );
        part.append(b"c").unwrap();
        assert_eq!(part.digest(), Digest::of(b"abc"));
        part.keep(&target).unwrap();
        let names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(names, ["model"]);
    }

    #[test]
    fn a_restart_forgets_bytes_and_version() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        let mut part = Part::open(&target).unwrap();
        part.append(b"wrong and longer").unwrap();
        part.remember(Some(&HeaderValue::from_static("\"v1\"")))
            .unwrap();
        part.restart().unwrap();
        assert_eq!((part.length(), part.etag()), (0, None));
        part.append(b"abc").unwrap();
        part.remember(Some(&HeaderValue::from_static("W/\"v2\"")))
            .unwrap();
        assert_eq!((part.digest(), part.etag()), (Digest::of(b"abc"), None));
        part.keep(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"abc");
    }
}
