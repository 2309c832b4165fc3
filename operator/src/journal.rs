//! What becomes an Event? A child that was made, set right or removed, and a condition that
//! turned; once each. Events are for people: one that cannot be written is let go.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Resource as _, ResourceExt as _};
use toolsearch_crds::ToolSearchProxy;
use toolsearch_crds::v1alpha1::{ConditionType, Reason, ToolSearchProxyStatus};

use crate::apply::Applied;
use crate::names::FIELD_MANAGER;

/// The longest note that the API server takes, with room for a dot.
const LONGEST: usize = 1000;

/// Writes Events.
pub(crate) struct Journal {
    client: Client,
    reporter: Reporter,
    /// What was said last, by resource and reason, and who said it. A recorder counts Events of
    /// one reason as one and keeps the note of the first: what is said anew is for another.
    last: Mutex<HashMap<(String, String), (String, Recorder)>>,
}

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
        Self {
            client,
            reporter,
            last: Mutex::default(),
        }
    }

    /// Drops what belongs to resources that are gone.
    pub(crate) fn retain(&self, uids: &BTreeSet<String>) {
        self.lock().retain(|(uid, _), _| uids.contains(uid));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), (String, Recorder)>> {
        // Entries are only ever replaced whole.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who has said this very note, or somebody who has said nothing of that reason yet.
    fn recorder(&self, uid: String, reason: &str, note: &str) -> Recorder {
        let fresh = || Recorder::new(self.client.clone(), self.reporter.clone());
        let mut last = self.lock();
        let (said, recorder) = last
            .entry((uid, reason.to_owned()))
            .or_insert_with(|| (note.to_owned(), fresh()));
        if said != note {
            (*said, *recorder) = (note.to_owned(), fresh());
        }
        recorder.clone()
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
            // Counts of pods change all the time; what is wrong with a spec does not.
            let tells = kind == ConditionType::Accepted;
            let same = before.is_some_and(|before| {
                before.reason == now.reason
                    && before.status == now.status
                    && (!tells || before.message == now.message)
            });
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
        let uid = resource.uid().unwrap_or_default();
        let recorder = self.recorder(uid, reason, &note);
        let event = Event {
            type_,
            reason: reason.to_owned(),
            action: action.to_owned(),
            note: Some(note),
            secondary: None,
        };
        if let Err(error) = recorder.publish(&event, &resource.object_ref(&())).await {
            tracing::debug!(%error, "an Event cannot be written");
        }
    }
}
