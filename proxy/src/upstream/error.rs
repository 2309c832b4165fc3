//! What can go wrong up there, by what the caller can do about it.

use std::time::Duration;

use http::HeaderValue;

use crate::protocol::ErrorObject;

/// Cheap to clone: everyone who waits for a failed load gets a copy.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// 401: every `WWW-Authenticate` line, as it came.
    #[error("the upstream asks for authorization")]
    Unauthorized {
        /// Field values in order.
        challenges: Vec<HeaderValue>,
    },
    /// 403: with a challenge when the credential lacks a scope.
    #[error("the upstream refuses this caller")]
    Forbidden {
        /// Field values in order.
        challenges: Vec<HeaderValue>,
        /// Whether one of them says `insufficient_scope`.
        scope: bool,
    },
    /// 429, with `Retry-After` where given.
    #[error("the upstream limits the rate of requests")]
    RateLimited {
        /// As it came.
        retry_after: Option<HeaderValue>,
    },
    /// No connection was made: nothing was sent.
    #[error("the upstream cannot be reached")]
    Unreachable,
    /// TLS refused: nothing was sent.
    #[error("the upstream's certificate is not trusted")]
    Tls,
    /// A limit of time ran out.
    #[error("the upstream did not answer in time")]
    Timeout {
        /// Which limit.
        phase: Phase,
    },
    /// The connection broke after something may have been sent.
    #[error("the connection to the upstream was lost")]
    Lost,
    /// Another HTTP status, or a redirect that is not followed.
    #[error("the upstream answered with HTTP status {status}")]
    Status {
        /// The status code.
        status: u16,
        /// `Retry-After` as it came, with a 503.
        retry_after: Option<HeaderValue>,
    },
    /// The answer is no MCP.
    #[error("the upstream's answer is malformed: {what}")]
    Malformed {
        /// What was expected and not found.
        what: &'static str,
    },
    /// The answer is larger than allowed.
    #[error("the upstream's answer is larger than {limit} bytes")]
    TooLarge {
        /// Bytes.
        limit: usize,
    },
    /// Neither era is spoken there.
    #[error("the upstream speaks no protocol version that the proxy speaks")]
    NoCommonVersion,
    /// A JSON-RPC error of the upstream's own.
    #[error("the upstream answered with JSON-RPC error {}", .0.code)]
    Rpc(ErrorObject),
    /// Nothing was sent, since the upstream was not answering a moment ago.
    #[error("the upstream is not answering; try again in {} s", .retry_in.as_millis().div_ceil(1000))]
    NotAnswering {
        /// When it is asked again.
        retry_in: Duration,
    },
    /// The proxy itself is at a ceiling of concurrent upstream requests.
    #[error("too many upstream requests are under way")]
    Busy,
}

/// The part of a request that ran out of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing was sent.
    Connect,
    /// What has to go before it took all the time, and it was not sent.
    Before,
    /// Sent, and no answer began.
    FirstByte,
    /// The answer fell silent.
    Idle,
    /// The whole request.
    Total,
}

impl Error {
    /// A static name for metrics and logs.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Unauthorized { .. } => "unauthorized",
            Self::Forbidden { .. } => "forbidden",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::Timeout { .. } => "timeout",
            Self::Lost => "lost",
            Self::Status { .. } => "status",
            Self::Malformed { .. } => "malformed",
            Self::TooLarge { .. } => "too_large",
            Self::NoCommonVersion => "no_common_version",
            Self::Rpc(_) => "rpc",
            Self::NotAnswering { .. } => "not_answering",
            Self::Busy => "busy",
        }
    }

    /// Whole seconds after which a request that was not sent may be tried again.
    #[must_use]
    pub fn retry_seconds(&self) -> Option<u32> {
        let Self::NotAnswering { retry_in } = self else {
            return None;
        };
        let seconds = retry_in.as_millis().div_ceil(1000).max(1);
        Some(u32::try_from(seconds).unwrap_or(u32::MAX))
    }

    /// Whether a `tools/call` that ended like this may have been carried out.
    #[must_use]
    pub const fn outcome_unknown(&self) -> bool {
        match self {
            Self::Timeout { phase } => !matches!(phase, Phase::Connect | Phase::Before),
            Self::Lost | Self::Malformed { .. } | Self::TooLarge { .. } => true,
            Self::Status { status, .. } => *status >= 500,
            Self::Unauthorized { .. }
            | Self::Forbidden { .. }
            | Self::RateLimited { .. }
            | Self::Unreachable
            | Self::Tls
            | Self::NoCommonVersion
            | Self::Rpc(_)
            | Self::NotAnswering { .. }
            | Self::Busy => false,
        }
    }
}
