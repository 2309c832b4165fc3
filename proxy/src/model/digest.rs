//! A SHA-256 digest, as it is written: 64 hexadecimal digits.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

/// Not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct NoDigest;

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of what a hasher has seen.
    #[must_use]
    pub fn finish(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// The length and digest of a file; reads it whole.
    ///
    /// # Errors
    /// Those of opening and reading.
    pub fn of_file(path: &Path) -> io::Result<(u64, Self)> {
        let mut file = File::open(path)?;
        let (length, hasher) = hash(&mut file, u64::MAX)?;
        Ok((length, Self::finish(hasher)))
    }
}

/// Hashes at most `limit` bytes from where the file stands.
pub(crate) fn hash(file: &mut File, limit: u64) -> io::Result<(u64, Sha256)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut length = 0;
    let mut file = file.take(limit);
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((length, hasher));
        }
        hasher.update(&buffer[..count]);
        length += count as u64;
    }
}

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Self, NoDigest> {
        if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(NoDigest);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| NoDigest)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| NoDigest)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn text_and_back() {
        assert_eq!(Digest::of(b"abc").to_string(), ABC);
        assert_eq!(ABC.parse(), Ok(Digest::of(b"abc")));
        assert_eq!(ABC.to_uppercase().parse(), Ok(Digest::of(b"abc")));
        assert_eq!("abc".parse::<Digest>(), Err(NoDigest));
        assert_eq!(ABC.replace('b', "é").parse::<Digest>(), Err(NoDigest));
    }
}
