//! The credential of a download. Cannot be shown.

use std::fmt;
use std::path::Path;

use http::HeaderValue;

/// A bearer token, read from a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(HeaderValue);

/// The file gives no token.
#[derive(Debug, thiserror::Error)]
pub enum NoToken {
    /// It cannot be read.
    #[error("cannot be read")]
    Read(#[source] std::io::Error),
    /// It is empty, or holds what no header may hold.
    #[error("must hold one token and nothing else")]
    Form,
}

impl Token {
    /// Reads a file that holds the token; white space around it does no harm.
    ///
    /// # Errors
    /// See [`NoToken`], which never repeats the content.
    pub fn read(path: &Path) -> Result<Self, NoToken> {
        Self::new(&std::fs::read_to_string(path).map_err(NoToken::Read)?)
    }

    fn new(text: &str) -> Result<Self, NoToken> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(NoToken::Form);
        }
        let mut value =
            HeaderValue::try_from(format!("Bearer {text}")).map_err(|_| NoToken::Form)?;
        value.set_sensitive(true);
        Ok(Self(value))
    }

    /// The value of `Authorization`.
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_and_stays_hidden() {
        let token = Token::new(" canary\n").unwrap();
        assert_eq!(token.header(), "Bearer canary");
        assert!(!format!("{token:?} {:?}", token.header()).contains("canary"));
        for text in ["", " \n", "two words", "two\nlines", "caf\u{e9}"] {
            assert!(Token::new(text).is_err(), "{text:?}");
        }
    }
}
