//! What is the SHA-256 of a file, and how long is it?

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// The digest in hexadecimal digits, and the length; read in pieces, for files may be large.
pub(crate) fn of_file(path: &Path) -> Result<(String, u64), Error> {
    let mut file = File::open(path).map_err(Error::file("read", path))?;
    let (mut hash, mut length) = (Sha256::new(), 0);
    let mut piece = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut piece).map_err(Error::file("read", path))?;
        if read == 0 {
            return Ok((hex(&hash.finalize()), length));
        }
        hash.update(&piece[..read]);
        length += read as u64;
    }
}

/// The digest of something short.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
