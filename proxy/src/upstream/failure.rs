//! How did one exchange with the upstream fail, in the detail that second chances need?

use crate::protocol::{ErrorObject, code};
use crate::upstream::error::Error;

/// The failure of one exchange.
#[derive(Clone)]
pub(super) enum Failure {
    /// The upstream answered, and the answer is no.
    Refused(Refusal),
    /// Everything else.
    Error(Error),
}

/// An answer that is no: a JSON-RPC error, an HTTP status that is no success, or both.
#[derive(Clone)]
pub(super) struct Refusal {
    /// The HTTP status.
    pub(super) status: u16,
    /// `Retry-After`, with a 503.
    pub(super) retry_after: Option<http::HeaderValue>,
    /// The JSON-RPC error, where there was one.
    pub(super) error: Option<ErrorObject>,
    /// Whether the body speaks of a session, or of a handshake that is missing.
    pub(super) names_session: bool,
}

impl Refusal {
    /// The JSON-RPC error code.
    pub(super) fn code(&self) -> Option<i64> {
        self.error.as_ref().map(|error| error.code)
    }

    /// Whether a modern server of a modern client would refuse like this.
    pub(super) fn is_modern(&self) -> bool {
        matches!(
            self.code(),
            Some(code::HEADER_MISMATCH | code::MISSING_CAPABILITY | code::UNSUPPORTED_VERSION)
        )
    }

    /// Whether the upstream refused before it looked at the method, for want of a live session.
    ///
    /// A code that a tool could have caused does not count: what was dispatched is not sent again.
    pub(super) fn lost_session(&self, had_session: bool) -> bool {
        let before_dispatch = self.code().is_none_or(|code| {
            code == code::INVALID_REQUEST || (-32_019..=-32_000).contains(&code)
        });
        match self.status {
            404 => had_session && before_dispatch,
            400 => self.names_session && before_dispatch,
            _ => false,
        }
    }

    /// Whether a server of the other era would refuse a modern request like this.
    pub(super) fn wrong_era(&self) -> bool {
        let code = self.code();
        let unaware = code.is_none_or(|code| {
            code == code::INVALID_REQUEST || (-32_019..=-32_000).contains(&code)
        });
        matches!(self.status, 400 | 404 | 405 | 406) && unaware
    }
}

impl Failure {
    /// Whether the connection failed, and with it perhaps the request.
    pub(super) const fn is_loss(&self) -> bool {
        matches!(self, Self::Error(Error::Lost | Error::Unreachable))
    }

    /// A static name for metrics.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Refused(Refusal { error: Some(_), .. }) => "rpc",
            Self::Refused(_) => "status",
            Self::Error(error) => error.kind(),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Error(error) => error,
            Failure::Refused(refusal) => refusal.error.map_or(
                Self::Status {
                    status: refusal.status,
                    retry_after: refusal.retry_after,
                },
                Self::Rpc,
            ),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
