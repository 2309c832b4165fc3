//! In which manner does a request travel: by itself, or in a session?

use std::sync::Arc;

use http::HeaderValue;

use crate::protocol::Revision;

/// How one caller's requests reach the upstream.
#[derive(Clone)]
pub(super) enum Lane {
    /// 2026-07-28: every request carries its own metadata.
    Modern,
    /// After an `initialize`.
    Legacy(Arc<Session>),
}

impl Lane {
    /// The value of `MCP-Protocol-Version`.
    pub(super) fn revision(&self) -> Revision {
        match self {
            Self::Modern => Revision::LATEST,
            Self::Legacy(session) => session.revision,
        }
    }

    /// Whether both speak the same era.
    pub(super) const fn same_era(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Modern, Self::Modern) | (Self::Legacy(_), Self::Legacy(_))
        )
    }
}

/// What one `initialize` brought.
pub(super) struct Session {
    /// Marked sensitive; `None` where the upstream keeps no sessions.
    pub(super) id: Option<HeaderValue>,
    /// The negotiated revision.
    pub(super) revision: Revision,
    /// The upstream's `instructions`.
    pub(super) instructions: Option<Arc<str>>,
}
