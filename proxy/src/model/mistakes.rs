//! What is wrong with the command line, and what is to be done about it?
//!
//! Never repeats an address, which may hold a password, nor a token.

use crate::model::manifest::NoEntry;
use crate::model::token::NoToken;

/// All that is wrong with a command line.
#[derive(Debug)]
pub struct Mistakes(pub(crate) Vec<(&'static str, Mistake)>);

/// One thing that is wrong with a flag.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Mistake {
    #[error("is missing: give the folder for the model")]
    Missing,
    #[error("has no name of its own: give a folder that can be made or replaced")]
    NoName,
    #[error("is no http or https URL without user name, password and fragment")]
    Url,
    #[error("is not of the form owner/name")]
    Repository,
    #[error("is no commit of 40 hexadecimal digits; branches and tags move")]
    Revision,
    #[error("is missing: only the default repository's commit is known here")]
    NoRevision,
    #[error(
        "is missing: only the default repository's digests are known here; give one for each file, \
         config.json, tokenizer.json and model.safetensors at least, as sha256sum prints them: \
         --file config.json=sha256:DIGEST"
    )]
    NoDigests,
    #[error("{0:?} {1}")]
    File(String, NoEntry),
    #[error("names {0} twice")]
    Twice(String),
    #[error("does not name {0}, without which there is no model")]
    Incomplete(&'static str),
    #[error("{0}")]
    Token(NoToken),
    #[error("would send the token over plain http: give an https endpoint")]
    PlainToken,
    #[error("cannot be read")]
    Ca,
    #[error("is no duration such as 30s or 15m")]
    Duration,
    #[error("is no whole number up to 1000")]
    Number,
    #[error("does not go with --base-url: leave one of them out")]
    TwoSources,
}

impl Mistakes {
    /// `EX_USAGE`.
    pub(crate) const EXIT_CODE: u8 = 64;
}

impl std::fmt::Display for Mistakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("mistakes on the command line")?;
        self.0
            .iter()
            .try_for_each(|(flag, mistake)| write!(f, "\n  --{flag} {mistake}"))
    }
}
