//! Who is asking? The caller's credential, which cannot be printed, and the key it is known by.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use http::HeaderValue;
use sha2::Sha256;

/// One caller: the `Authorization` header of its request, or none.
///
/// There is no `Display`, no `Serialize`, and `Debug` prints a fixed word: the credential goes to
/// the configured upstream and nowhere else.
#[derive(Clone)]
pub struct Caller {
    authorization: Option<HeaderValue>,
    key: CallerKey,
}

impl Caller {
    /// The header to send upstream, marked sensitive.
    #[must_use]
    pub const fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    /// What catalogs and sessions are kept under.
    #[must_use]
    pub const fn key(&self) -> CallerKey {
        self.key
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller")
    }
}

/// HMAC-SHA-256 of the whole `Authorization` value under a secret of this process.
///
/// Keyed, so that a leaked key proves nothing about a token; of the whole value, because a claim
/// inside a token that nobody verified proves nothing about its bearer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallerKey([u8; 32]);

impl fmt::Debug for CallerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerKey")
    }
}

/// Makes callers out of headers: holds the secret of this process.
#[derive(Clone)]
pub struct Callers {
    secret: [u8; 64],
}

impl fmt::Debug for Callers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Callers")
    }
}

impl Callers {
    /// Draws a fresh secret.
    ///
    /// # Errors
    /// The operating system has no randomness to give.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut secret = [0; 64];
        getrandom::fill(&mut secret)?;
        Ok(Self { secret })
    }

    /// The caller that sent this `Authorization` header; `None` is the anonymous caller.
    #[must_use]
    pub fn identify(&self, authorization: Option<HeaderValue>) -> Caller {
        let mut mac = Hmac::<Sha256>::new((&self.secret).into());
        // The first byte tells "no header" from "an empty header".
        mac.update(&[u8::from(authorization.is_some())]);
        if let Some(value) = &authorization {
            mac.update(value.as_bytes());
        }
        let key = CallerKey(mac.finalize().into_bytes().into());
        let authorization = authorization.map(|mut value| {
            value.set_sensitive(true);
            value
        });
        Caller { authorization, key }
    }
}
