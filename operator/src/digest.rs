//! One digest for everything that is compared by content: SHA-256, cut to what a name can hold.

use sha2::{Digest as _, Sha256};

/// The first 16 hexadecimal digits.
#[must_use]
pub(crate) fn short(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
