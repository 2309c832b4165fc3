//! What becomes an Event? A child that was made, set right or removed, and a condition that
//! turned; once each. Events are for people: one that cannot be written is let go.

use kube::Client;
use kube::Resource as _;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use toolsearch_crds::ToolSearchProxy;
use toolsearch_crds::v1alpha1::{ConditionType, Reason, ToolSearchProxyStatus};

use crate::apply::Applied;
use crate::names::FIELD_MANAGER;

/// The longest note that the API server takes, with room for a dot.
const LONGEST: usize = 1000;

/// Writes Events.
pub(crate) struct Journal(Recorder);

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Journal")
    }
}

impl Journal {
    /// As this instance of the operator.
    #[must_use]
    pub(crate) fn new(client: Client, instance: Option<String>) -> Self {
        let reporter = Reporter {
            controller: FIELD_MANAGER.to_owned(),
            instance,
        };
        Self(Recorder::new(client, reporter))
    }

    /// Tells what was done and what turned.
    pub(crate) async fn tell(
        &self,
        resource: &ToolSearchProxy,
        before: &ToolSearchProxyStatus,
        now: &ToolSearchProxyStatus,
        applied: &Applied,
    ) {
        let lists = [
            ("Applied", "Apply", &applied.made),
            ("DriftCorrected", "Apply", &applied.corrected),
            ("Pruned", "Delete", &applied.pruned),
        ];
        for (reason, action, objects) in lists {
            if !objects.is_empty() {
                self.publish(
                    resource,
                    EventType::Normal,
                    reason,
                    action,
                    objects.join(", "),
                )
                .await;
            }
        }
        for kind in [
            ConditionType::Accepted,
            ConditionType::ModelAvailable,
            ConditionType::Progressing,
        ] {
            let of = |status: &ToolSearchProxyStatus| {
                status
                    .conditions
                    .iter()
                    .find(|condition| condition.type_ == kind.as_str())
                    .cloned()
            };
            let (Some(now), before) = (of(now), of(before)) else {
                continue;
            };
            let same = before
                .is_some_and(|before| before.reason == now.reason && before.status == now.status);
            let good = [Reason::RolledOut, Reason::Paused]
                .iter()
                .any(|reason| reason.as_str() == now.reason);
            if !same && (now.status == "False" || now.reason == Reason::Paused.as_str()) {
                let kind = if good {
                    EventType::Normal
                } else {
                    EventType::Warning
                };
                self.publish(resource, kind, &now.reason, "Reconcile", now.message)
                    .await;
            }
        }
    }

    async fn publish(
        &self,
        resource: &ToolSearchProxy,
        type_: EventType,
        reason: &str,
        action: &str,
        note: String,
    ) {
        let note = match note
            .char_indices()
            .take_while(|(at, _)| *at < LONGEST)
            .last()
        {
            Some((at, _)) if note.len() > LONGEST => format!("{}…", &note[..at]),
            _ => note,
        };
        let event = Event {
            type_,
            reason: reason.to_owned(),
            action: action.to_owned(),
            note: Some(note),
            secondary: None,
        };
        if let Err(error) = self.0.publish(&event, &resource.object_ref(&())).await {
            tracing::debug!(%error, "an Event cannot be written");
        }
    }
}
