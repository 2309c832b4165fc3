//! What is said of it? Conditions from the facts; pure, with the time given.

use toolsearch_crds::v1alpha1::{
    Condition, ConditionStatus, ConditionType, ModelStatus, Reason, ToolSearchProxyStatus,
};

use crate::desired::{Desired, DesiredModel};
use crate::names::selector_text;
use crate::observe::{Facts, Fetch};
use crate::reach::Reach;

/// Whether the spec was taken, and what stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// In one word; [`Reason::Valid`] when nothing does.
    pub reason: Reason,
    /// In words.
    pub message: String,
}

impl Verdict {
    /// Nothing stands in the way.
    #[must_use]
    pub(crate) fn valid(notes: &[String]) -> Self {
        let mut message = "the spec is valid, and what it refers to exists".to_owned();
        for note in notes {
            message.push_str("; ");
            message.push_str(note);
        }
        Self {
            reason: Reason::Valid,
            message,
        }
    }
}

/// Everything that the status follows from.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    /// The generation that was acted on.
    pub generation: Option<i64>,
    /// Whether the spec was taken.
    pub verdict: Verdict,
    /// Whether the operator is told to keep still.
    pub paused: bool,
    /// The rollout waits for its turn.
    pub waiting: bool,
    /// What was wanted, where the spec was valid.
    pub desired: Option<&'a Desired>,
    /// What there is, where there is a Deployment.
    pub facts: Option<&'a Facts>,
    /// Whether a pod reaches the upstream.
    pub reach: Reach,
    /// The time, as RFC 3339 text.
    pub now: String,
}

type Said = (ConditionStatus, Reason, String);

/// The whole status. A condition keeps its time while its status stays.
#[must_use]
pub(crate) fn status(
    name: &str,
    findings: &Findings<'_>,
    before: &ToolSearchProxyStatus,
) -> ToolSearchProxyStatus {
    let accepted = accepted(findings);
    let model = model(findings);
    let progressing = progressing(findings);
    let available = available(findings);
    let reachable = reachable(findings);
    let ready = ready(&accepted, &model, &progressing, &available);
    let said = [accepted, model, progressing, available, reachable, ready];
    let conditions =
        ConditionType::ALL
            .iter()
            .zip(said)
            .map(|(kind, (status, reason, message))| {
                let last = before
                    .conditions
                    .iter()
                    .find(|last| last.type_ == kind.as_str());
                let since = last
                    .filter(|last| last.status == status.as_str())
                    .map(|last| last.last_transition_time.clone());
                Condition {
                    type_: kind.as_str().to_owned(),
                    status: status.as_str().to_owned(),
                    observed_generation: findings.generation,
                    last_transition_time: since.unwrap_or_else(|| findings.now.clone()),
                    reason: reason.as_str().to_owned(),
                    message: cut(message),
                }
            });
    let facts = findings.facts.cloned().unwrap_or_default();
    ToolSearchProxyStatus {
        observed_generation: findings.generation,
        conditions: conditions.collect(),
        replicas: Some(facts.replicas),
        ready_replicas: Some(facts.ready),
        updated_replicas: Some(facts.updated),
        selector: Some(selector_text(name)),
        url: findings
            .desired
            .map(Desired::url)
            .or_else(|| before.url.clone()),
        model: findings
            .desired
            .map(|desired| ModelStatus {
                source: desired.model.source().to_owned(),
                revision: desired.model.revision(),
                manifest_digest: match &facts.fetch {
                    Fetch::Done(digest) => digest.clone(),
                    _ => None,
                },
            })
            .or_else(|| before.model.clone()),
    }
}

/// The API server takes 32 KiB; people read less.
fn cut(message: String) -> String {
    match message.char_indices().nth(2000) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message,
    }
}

fn accepted(findings: &Findings<'_>) -> Said {
    let Verdict { reason, message } = findings.verdict.clone();
    let status = if reason == Reason::Valid {
        ConditionStatus::True
    } else {
        ConditionStatus::False
    };
    (status, reason, message)
}

fn model(findings: &Findings<'_>) -> Said {
    let unknown = |words: &str| {
        (
            ConditionStatus::Unknown,
            Reason::ModelUnknown,
            words.to_owned(),
        )
    };
    let Some(desired) = findings.desired else {
        return unknown("it is known when the spec is accepted: see Accepted");
    };
    let comes_with_pods = !matches!(desired.model, DesiredModel::Builtin | DesiredModel::None);
    if comes_with_pods && findings.facts.is_none() && findings.verdict.reason != Reason::Valid {
        return unknown("no pod was made that could have it: see Accepted");
    }
    let facts = findings.facts.cloned().unwrap_or_default();
    match &desired.model {
        DesiredModel::Builtin => (
            ConditionStatus::True,
            Reason::BuiltIn,
            "the model inside the program is used".to_owned(),
        ),
        DesiredModel::None => (
            ConditionStatus::True,
            Reason::NoModel,
            "search goes by words alone, as asked".to_owned(),
        ),
        DesiredModel::Fetched(_) => match facts.fetch {
            Fetch::Done(digest) => {
                let digest = digest.map_or(String::new(), |digest| format!(", {digest}"));
                (
                    ConditionStatus::True,
                    Reason::Fetched,
                    format!("fetched and verified{digest}"),
                )
            }
            Fetch::Failed(trouble) => (ConditionStatus::False, trouble.reason, trouble.message),
            Fetch::Running | Fetch::Unknown => (
                ConditionStatus::Unknown,
                Reason::Fetching,
                "a pod is fetching the model".to_owned(),
            ),
        },
        DesiredModel::Volume { .. } | DesiredModel::Image { .. } => {
            if facts.updated > 0 && facts.ready >= facts.updated {
                return (
                    ConditionStatus::True,
                    Reason::Mounted,
                    "the volume is mounted and the model loaded".to_owned(),
                );
            }
            match facts.trouble {
                Some(trouble) => (
                    ConditionStatus::False,
                    Reason::VolumeUnavailable,
                    trouble.message,
                ),
                None => (
                    ConditionStatus::Unknown,
                    Reason::Fetching,
                    "no pod of the newest template serves yet: describe its pods when this stays"
                        .to_owned(),
                ),
            }
        }
    }
}

fn progressing(findings: &Findings<'_>) -> Said {
    if findings.paused {
        return (
            ConditionStatus::Unknown,
            Reason::Paused,
            "spec.paused is set: nothing is changed".to_owned(),
        );
    }
    let Some(facts) = findings.facts else {
        if findings.verdict.reason == Reason::Valid {
            let words = "the pods are about to be made";
            return (ConditionStatus::True, Reason::RollingOut, words.to_owned());
        }
        return (
            ConditionStatus::False,
            findings.verdict.reason,
            findings.verdict.message.clone(),
        );
    };
    if findings.waiting {
        let words = "the rollout starts when those of other resources have started";
        return (ConditionStatus::True, Reason::Waiting, words.to_owned());
    }
    let counts = format!(
        "{} of {} pods are of the newest template, {} serve",
        facts.updated, facts.wanted, facts.available
    );
    let done = facts.observed
        && facts.updated == facts.wanted
        && facts.replicas == facts.wanted
        && facts.available == facts.wanted;
    if done {
        return (ConditionStatus::False, Reason::RolledOut, counts);
    }
    if let Some(words) = &facts.refused {
        let reason = if words.contains("exceeded quota") {
            Reason::QuotaExceeded
        } else {
            Reason::InsufficientSurge
        };
        return (ConditionStatus::False, reason, words.clone());
    }
    if let Some(trouble) = &facts.trouble {
        return (
            ConditionStatus::False,
            trouble.reason,
            trouble.message.clone(),
        );
    }
    if facts.overdue {
        let words = format!("{counts}; it takes longer than it may: describe the pods");
        return (
            ConditionStatus::False,
            Reason::ProgressDeadlineExceeded,
            words,
        );
    }
    (ConditionStatus::True, Reason::RollingOut, counts)
}

fn available(findings: &Findings<'_>) -> Said {
    let Some(facts) = findings.facts else {
        let words = "there are no pods yet";
        return (
            ConditionStatus::False,
            Reason::MinimumReplicasUnavailable,
            words.to_owned(),
        );
    };
    let counts = format!("{} of {} pods serve", facts.available, facts.wanted);
    if facts.wanted == 0 {
        return (
            ConditionStatus::False,
            Reason::ScaledToZero,
            "no pods are wanted".to_owned(),
        );
    }
    if facts.available > 0 {
        (
            ConditionStatus::True,
            Reason::MinimumReplicasAvailable,
            counts,
        )
    } else {
        (
            ConditionStatus::False,
            Reason::MinimumReplicasUnavailable,
            counts,
        )
    }
}

fn reachable(findings: &Findings<'_>) -> Said {
    match &findings.reach {
        Reach::Yes => (
            ConditionStatus::True,
            Reason::UpstreamAnswers,
            "a pod got an answer".to_owned(),
        ),
        Reach::No(words) => (
            ConditionStatus::False,
            Reason::UpstreamUnreachable,
            words.clone(),
        ),
        Reach::Unknown => {
            let words = "no pod could be asked yet";
            (
                ConditionStatus::Unknown,
                Reason::UpstreamUnknown,
                words.to_owned(),
            )
        }
    }
}

/// Clients are served, by pods of a spec that was taken. While pods are replaced the old ones
/// serve, so this does not change then.
fn ready(accepted: &Said, model: &Said, progressing: &Said, available: &Said) -> Said {
    for said in [accepted, available] {
        if said.0 != ConditionStatus::True {
            let more = [model, progressing].into_iter().find(|more| {
                more.0 == ConditionStatus::False
                    && more.1 != Reason::RolledOut
                    && said.1 == Reason::MinimumReplicasUnavailable
            });
            let (_, reason, message) = more.unwrap_or(said);
            return (ConditionStatus::False, *reason, message.clone());
        }
    }
    if progressing.1 == Reason::ProgressDeadlineExceeded {
        return (ConditionStatus::False, progressing.1, progressing.2.clone());
    }
    if progressing.1 == Reason::Paused {
        let words = format!("{}; {}", available.2, progressing.2);
        return (ConditionStatus::True, Reason::Paused, words);
    }
    (ConditionStatus::True, Reason::Serving, available.2.clone())
}

#[cfg(test)]
mod tests;
