//! May a request that failed be sent again?
//!
//! Guarantees: what may have been carried out is sent again only if it is repeatable; everything
//! else only where the upstream refused before looking at it, or was never reached.

use crate::protocol::code;
use crate::upstream::error::Error;
use crate::upstream::failure::Failure;
use crate::upstream::lane::Lane;

/// Why a request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chance {
    /// The session is gone; nothing was dispatched.
    Session,
    /// The version was refused; nothing was dispatched.
    Version,
    /// A server of the other era refused; nothing was dispatched.
    Era,
    /// The answer is lost, and the request repeatable.
    Lost,
    /// There was no connection; nothing was sent.
    Unreachable,
}

impl Chance {
    /// The second chance that `failure` leaves in this lane; `repeatable`: nothing is lost by
    /// carrying the request out twice.
    pub(super) fn after(failure: &Failure, lane: &Lane, repeatable: bool) -> Option<Self> {
        let refusal = match failure {
            Failure::Error(Error::Unreachable) => return Some(Self::Unreachable),
            Failure::Error(Error::Lost) => return repeatable.then_some(Self::Lost),
            Failure::Error(_) => return None,
            Failure::Refused(refusal) => refusal,
        };
        if refusal.code() == Some(code::UNSUPPORTED_VERSION) {
            return Some(Self::Version);
        }
        match lane {
            Lane::Modern => refusal.wrong_era().then_some(Self::Era),
            Lane::Legacy(session) if refusal.lost_session(session.id.is_some()) => {
                Some(Self::Session)
            }
            Lane::Legacy(_) => refusal.is_modern().then_some(Self::Era),
        }
    }

    /// A static name for metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Version => "version",
            Self::Era => "era",
            Self::Lost => "lost",
            Self::Unreachable => "unreachable",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::HeaderValue;

    use super::*;
    use crate::protocol::{ErrorObject, Revision};
    use crate::upstream::error::Phase;
    use crate::upstream::failure::Refusal;
    use crate::upstream::lane::Session;

    fn lane(kind: &str) -> Lane {
        let session = |id| {
            Lane::Legacy(Arc::new(Session {
                id,
                revision: Revision::V2025_11_25,
                instructions: None,
            }))
        };
        match kind {
            "modern" => Lane::Modern,
            "session" => session(Some(HeaderValue::from_static("s"))),
            _ => session(None),
        }
    }

    fn refused(status: u16, code: Option<i64>, names_session: bool) -> Failure {
        Failure::Refused(Refusal {
            status,
            error: code.map(|code| ErrorObject::new(code, "m")),
            names_session,
            retry_after: None,
        })
    }

    #[test]
    fn a_request_is_sent_again_only_if_it_was_not_carried_out() {
        use Chance::{Era, Session, Version};
        // Status, code, whether a session is named; then the chance in each lane.
        let table = [
            ((404, None, false), Some(Era), Some(Session), None),
            ((404, Some(-32600), true), Some(Era), Some(Session), None),
            ((404, Some(-32001), true), Some(Era), Some(Session), None),
            ((404, Some(-32601), false), None, None, None),
            (
                (400, Some(-32000), true),
                Some(Era),
                Some(Session),
                Some(Session),
            ),
            (
                (400, Some(-32600), true),
                Some(Era),
                Some(Session),
                Some(Session),
            ),
            ((400, None, true), Some(Era), Some(Session), Some(Session)),
            ((400, Some(-32000), false), Some(Era), None, None),
            ((400, Some(-32602), true), None, None, None),
            ((400, Some(-32603), true), None, None, None),
            (
                (400, Some(-32022), false),
                Some(Version),
                Some(Version),
                Some(Version),
            ),
            ((400, Some(-32020), false), None, Some(Era), Some(Era)),
            ((405, None, false), Some(Era), None, None),
            ((200, Some(-32000), true), None, None, None),
            ((200, Some(-32600), true), None, None, None),
            ((500, None, true), None, None, None),
            ((502, None, false), None, None, None),
            ((302, None, false), None, None, None),
        ];
        for ((status, code, named), modern, session, stateless) in table {
            for (kind, expected) in [
                ("modern", modern),
                ("session", session),
                ("none", stateless),
            ] {
                let failure = refused(status, code, named);
                let chance = Chance::after(&failure, &lane(kind), false);
                assert_eq!(chance, expected, "{status} {code:?} {named} in lane {kind}");
            }
        }
    }

    #[test]
    fn only_a_repeatable_request_survives_a_loss() {
        let after = |error: Error, repeatable| {
            Chance::after(&Failure::Error(error), &Lane::Modern, repeatable)
        };
        assert_eq!(after(Error::Lost, true), Some(Chance::Lost));
        assert_eq!(after(Error::Lost, false), None);
        assert_eq!(after(Error::Unreachable, false), Some(Chance::Unreachable));
        for phase in [
            Phase::Connect,
            Phase::Before,
            Phase::FirstByte,
            Phase::Idle,
            Phase::Total,
        ] {
            assert_eq!(after(Error::Timeout { phase }, true), None);
        }
        let challenges = vec![];
        assert_eq!(after(Error::Unauthorized { challenges }, true), None);
        assert_eq!(after(Error::Busy, true), None);
    }
}
