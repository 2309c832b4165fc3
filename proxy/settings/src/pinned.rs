//! Which model is fetched where none is named? One commit of one repository, file by file.
//!
//! Here because both ends of the contract need it: the program that fetches, and the operator,
//! which makes the volume large enough.

/// The repository that is fetched where none is named (MIT licence).
pub const REPOSITORY: &str = "minishlab/potion-multilingual-128M";
/// Its pinned commit, 40 hexadecimal digits.
pub const REVISION: &str = "73908c3438cf03b6a01bcb9611d62b23d0726f08";

/// Path, bytes and digest at that commit. Only what a loader reads.
pub const FILES: &[(&str, u64, &str)] = &[
    (
        "config.json",
        271,
        "595e4cab2093732efd5dbe084fd5c1826b5eea693b73b4c1fd971672867d2e54",
    ),
    (
        "tokenizer.json",
        18_616_131,
        "19f1909063da3cfe3bd83a782381f040dccea475f4816de11116444a73e1b6a1",
    ),
    (
        "model.safetensors",
        512_361_560,
        "14b5eb39cb4ce5666da8ad1f3dc6be4346e9b2d601c073302fa0a31bf7943397",
    ),
];

/// Bytes of all files together.
#[must_use]
pub const fn bytes() -> u64 {
    let (mut sum, mut at) = (0, 0);
    while at < FILES.len() {
        sum += FILES[at].1;
        at += 1;
    }
    sum
}
