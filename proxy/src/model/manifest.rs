//! Which files make up a model, and what must each of them be?
//!
//! The default repository's are pinned here; any other's are given by whoever asks for it.

use std::str::FromStr;

use crate::model::digest::Digest;

pub(crate) use toolsearch_settings::pinned::{
    FILES as PINNED, REPOSITORY as DEFAULT_REPOSITORY, REVISION as DEFAULT_REVISION,
};

/// One file of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the folder, with forward slashes.
    pub path: String,
    /// What it must hash to.
    pub digest: Digest,
    /// How long it must be, where known.
    pub size: Option<u64>,
}

/// The files of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest(Vec<Entry>);

/// What is wrong with the text of an [`Entry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// Not of the form at all.
    #[error("is not of the form path=sha256:DIGEST or path=sha256:DIGEST:BYTES")]
    Form,
    /// Another number or kind of digits.
    #[error("has a digest that is not 64 hexadecimal digits")]
    Digest,
    /// A size that is no number.
    #[error("has a size that is no number of bytes")]
    Size,
    /// A path that leads out of the folder or hides in it.
    #[error("has a path that is not plain names separated by slashes")]
    Path,
}

impl Manifest {
    /// The default repository's files.
    ///
    /// # Errors
    /// Never; a test holds that the pinned digests parse.
    pub fn pinned() -> Result<Self, NoEntry> {
        PINNED
            .iter()
            .map(|(path, size, digest)| {
                Ok(Entry {
                    path: (*path).to_owned(),
                    digest: digest.parse().map_err(|_| NoEntry::Digest)?,
                    size: Some(*size),
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// These files.
    #[must_use]
    pub const fn new(entries: Vec<Entry>) -> Self {
        Self(entries)
    }

    /// Smallest first as pinned, or in the order given.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// One digest for all: of the sorted lines `DIGEST  PATH`, which `sha256sum` prints too.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut lines: Vec<String> = self
            .0
            .iter()
            .map(|entry| format!("{}  {}\n", entry.digest, entry.path))
            .collect();
        lines.sort();
        Digest::of(lines.concat().as_bytes())
    }

    /// The bytes of all files whose sizes are known.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.iter().filter_map(|entry| entry.size).sum()
    }
}

impl FromStr for Entry {
    type Err = NoEntry;

    fn from_str(text: &str) -> Result<Self, NoEntry> {
        let (path, rest) = text.split_once("=sha256:").ok_or(NoEntry::Form)?;
        if !path.split('/').all(is_plain) {
            return Err(NoEntry::Path);
        }
        let (digest, size) = match rest.split_once(':') {
            Some((digest, size)) => (digest, Some(size.parse().map_err(|_| NoEntry::Size)?)),
            None => (rest, None),
        };
        Ok(Self {
            path: path.to_owned(),
            digest: digest.parse().map_err(|_| NoEntry::Digest)?,
            size,
        })
    }
}

/// A name that neither climbs, nor hides, nor meets our own files in the folder.
fn is_plain(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    !name.is_empty()
        && !name.starts_with('.')
        && !name.ends_with(".part")
        && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn the_pinned_files_are_those_that_a_loader_reads() {
        let manifest = Manifest::pinned().unwrap();
        let paths: Vec<_> = manifest.entries().iter().map(|e| e.path.as_str()).collect();
        assert_eq!(
            paths,
            ["config.json", "tokenizer.json", "model.safetensors"]
        );
        assert_eq!(manifest.bytes(), 530_977_962);
    }

    #[test]
    fn the_pinned_config_is_known_to_the_byte() {
        let config = "{\n    \"model_type\": \"model2vec\",\n    \"architectures\": [\n        \
            \"StaticModel\"\n    ],\n    \"tokenizer_name\": \"BAAI/bge-m3\",\n    \
            \"apply_pca\": null,\n    \"apply_zipf\": null,\n    \"sif_coefficient\": null,\n    \
            \"hidden_dim\": 256,\n    \"seq_length\": 1000000,\n    \"normalize\": true\n}";
        let manifest = Manifest::pinned().unwrap();
        let entry = &manifest.entries()[0];
        assert_eq!(Some(config.len() as u64), entry.size);
        assert_eq!(Digest::of(config.as_bytes()), entry.digest);
    }

    #[test]
    fn entries_are_read() {
        let entry: Entry = format!("sub/model.safetensors=sha256:{DIGEST}:42")
            .parse()
            .unwrap();
        assert_eq!(
            (entry.path.as_str(), entry.size),
            ("sub/model.safetensors", Some(42))
        );
        let entry: Entry = format!("config.json=sha256:{DIGEST}").parse().unwrap();
        assert_eq!(entry.size, None);
    }

    #[test]
    fn entries_that_are_none_say_why() {
        let check =
            |text: &str, why: NoEntry| assert_eq!(text.parse::<Entry>(), Err(why), "{text}");
        check("config.json", NoEntry::Form);
        check("config.json=md5:00", NoEntry::Form);
        check("config.json=sha256:00", NoEntry::Digest);
        check(&format!("config.json=sha256:{DIGEST}:many"), NoEntry::Size);
        for path in [
            "../a",
            "/a",
            "a//b",
            ".complete",
            "a/.b",
            "a b",
            "",
            "a.part",
            "a\\b",
        ] {
            check(&format!("{path}=sha256:{DIGEST}"), NoEntry::Path);
        }
    }

    #[test]
    fn the_order_of_files_does_not_matter() {
        let mut entries = Manifest::pinned().unwrap().entries().to_vec();
        let before = Manifest::new(entries.clone()).digest();
        entries.reverse();
        assert_eq!(Manifest::new(entries.clone()).digest(), before);
        entries.pop();
        assert_ne!(Manifest::new(entries).digest(), before);
    }
}
