//! Who tells a legacy upstream that nobody waits for its answer any more?

use tokio::runtime::Handle;

use crate::caller::Caller;
use crate::upstream::error::{Error, Phase};
use crate::upstream::exchange::Wire;
use crate::upstream::lane::Lane;
use crate::upstream::request::{Content, Method, compose};

/// Tells a legacy upstream that nobody waits for this call any more, unless disarmed.
///
/// It must work when the future that waits is dropped, hence in `drop`. The modern era needs none:
/// there, closing the connection says it.
pub(super) struct Cancel {
    wire: Wire,
    lane: Lane,
    caller: Caller,
    id: Option<u64>,
}

impl Cancel {
    pub(super) fn new(wire: &Wire, lane: &Lane, caller: &Caller, id: u64) -> Self {
        Self {
            wire: wire.clone(),
            lane: lane.clone(),
            caller: caller.clone(),
            id: Some(id),
        }
    }

    /// Takes note of how the wait ended; from then on there may be nothing to cancel.
    pub(super) fn heed(self, error: Option<&Error>) {
        if !error.is_some_and(gives_up) {
            self.disarm();
        }
    }

    fn disarm(mut self) {
        self.id = None;
    }
}

impl Drop for Cancel {
    fn drop(&mut self) {
        // No runtime: the process ends, and the connection with it.
        let (Some(id), Ok(runtime)) = (self.id, Handle::try_current()) else {
            return;
        };
        let content = Content {
            cancels: Some(id),
            ..Content::default()
        };
        let method = Method::Cancelled;
        let Ok(sent) = compose(Some(&self.lane), &self.caller, method, &content, 0) else {
            return;
        };
        let wire = self.wire.clone();
        runtime.spawn(async move { drop(wire.tell(sent).await) });
    }
}

/// Whether the wait ended on our side, so that the upstream may still be at work.
const fn gives_up(error: &Error) -> bool {
    matches!(
        error,
        Error::TooLarge { .. }
            | Error::Timeout {
                phase: Phase::FirstByte | Phase::Idle | Phase::Total,
            }
    )
}
