//! The line that one reconcile is: find, check, build, apply, observe, say.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt as _;
use kube::api::DynamicObject;
use serde_json::json;
use toolsearch_crds::ToolSearchProxy;
use toolsearch_crds::v1alpha1::{Reason, ToolSearchProxyStatus};

use crate::apply::{Applied, Applier, ApplyError, Memory, Turnstile, is_owned};
use crate::cluster::{Cluster, Error as CallError};
use crate::desired::{Desired, Mistakes};
use crate::journal::Journal;
use crate::looks::{Look, Looks};
use crate::metrics::Metrics;
use crate::names::selector_text;
use crate::observe::{Facts, facts};
use crate::options::Defaults;
use crate::reach::{self, Reach};
use crate::references::{self, Found};
use crate::resources;
use crate::resources::Kind;
use crate::status::{Findings, Verdict, status};

/// The longest that one reconcile may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// A reconcile failed and is tried again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// It took too long.
    #[error("the reconcile took longer than 60 s")]
    Deadline,
    /// A call failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// An object cannot be written as JSON.
    #[error("an object cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

impl Error {
    /// A static name for metrics.
    #[must_use]
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Call(error) => error.kind(),
            Self::Json(_) => "json",
        }
    }
}

/// What every reconcile needs.
#[derive(Debug)]
pub(crate) struct Tools {
    /// The calls.
    pub cluster: Cluster,
    /// What a resource leaves out.
    pub defaults: Defaults,
    /// What was applied before.
    pub memory: Memory,
    /// Who may roll out now.
    pub turnstile: Turnstile,
    /// What is counted.
    pub metrics: Metrics,
    /// What becomes an Event.
    pub journal: Journal,
    /// What was found before.
    pub looks: Looks,
    /// How often to look at everything when nothing happens.
    pub resync: Duration,
}

/// Makes the cluster match one resource. Returns when to look again.
///
/// # Errors
/// See [`Error`].
pub(crate) async fn reconcile(
    resource: &ToolSearchProxy,
    tools: &Arc<Tools>,
) -> Result<Duration, Error> {
    if resource.metadata.deletion_timestamp.is_some() {
        // Everything goes by itself, since everything is owned.
        return Ok(tools.resync);
    }
    match tokio::time::timeout(DEADLINE, line(resource, tools)).await {
        Ok(done) => done,
        Err(_) => Err(Error::Deadline),
    }
}

/// Looks again at a resource of which no watch has told anything since the last whole look: at
/// what watches do not show, and at everything where that has changed. Returns when to look again.
///
/// # Errors
/// See [`Error`].
pub(crate) async fn look_again(
    resource: &ToolSearchProxy,
    tools: &Arc<Tools>,
) -> Result<Duration, Error> {
    let uid = resource.uid().unwrap_or_default();
    if resource.metadata.deletion_timestamp.is_none()
        && let Some(last) = tools.looks.last(&uid)
        && last.generation == resource.metadata.generation
        && Some(&last.status) == resource.status.as_ref()
    {
        match tokio::time::timeout(DEADLINE, is_as_before(resource, &last, tools)).await {
            Ok(Ok(true)) => {
                let is_well = last.reach == Reach::Yes;
                return Ok(tools.looks.next(&uid, is_well, true).min(tools.resync));
            }
            Ok(Ok(false)) => {}
            Ok(Err(error)) => return Err(error),
            Err(_) => return Err(Error::Deadline),
        }
    }
    reconcile(resource, tools).await
}

async fn is_as_before(
    resource: &ToolSearchProxy,
    last: &Look,
    tools: &Tools,
) -> Result<bool, Error> {
    let namespace = resource.namespace().unwrap_or_default();
    let needed = references::needed(&resource.spec);
    if tools.cluster.find(&namespace, needed).await? != last.found {
        return Ok(false);
    }
    Ok(asked(last.address.as_deref()).await == last.reach)
}

/// What a pod says of its upstream, where there is a pod to ask.
async fn asked(address: Option<&str>) -> Reach {
    match address {
        Some(address) => reach::ask(address).await,
        None => Reach::Unknown,
    }
}

async fn line(resource: &ToolSearchProxy, tools: &Tools) -> Result<Duration, Error> {
    let uid = resource.uid().unwrap_or_default();
    tools.looks.begin(&uid);
    let (name, namespace) = (
        resource.name_any(),
        resource.namespace().unwrap_or_default(),
    );
    let found = tools
        .cluster
        .find(&namespace, references::needed(&resource.spec))
        .await;
    let nothing = Found::default();
    let wanted = Desired::new(
        resource,
        &tools.defaults,
        found.as_ref().unwrap_or(&nothing),
    );
    let verdict = first_verdict(&found, wanted.as_ref().err());
    let desired = wanted.ok();
    if verdict.reason == Reason::ReconcileFailed {
        found?;
        return Ok(tools.resync);
    }
    let paused = resource.spec.paused;
    let (verdict, applied) = match &desired {
        Some(desired) if !paused && verdict.reason == Reason::Valid => {
            act(resource, desired, tools).await?
        }
        _ => (Ok(verdict), Applied::default()),
    };
    let (verdict, failure) = match verdict {
        Ok(verdict) => (verdict, None),
        // Told, since it may last; tried again, since it may pass.
        Err((verdict, error)) => (verdict, Some(error)),
    };
    let facts = look(resource, applied.deployment.as_ref(), tools).await?;
    let address = facts.as_ref().and_then(|facts| facts.ready_address.clone());
    let reach = asked(address.as_deref()).await;
    let findings = Findings {
        generation: resource.metadata.generation,
        verdict,
        paused,
        waiting: applied.waiting,
        desired: desired.as_ref(),
        facts: facts.as_ref(),
        reach,
        now: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    let before = resource.status.clone().unwrap_or_default();
    let now = status(&name, &findings, &before);
    tools.journal.tell(resource, &before, &now, &applied).await;
    if now != before {
        write(resource, &now, tools).await?;
    }
    if let Some(error) = failure {
        return Err(error.into());
    }
    let is_whole = found.as_ref().is_ok_and(|found| found.missing.is_empty());
    let again = next(&findings, is_whole, now == before, tools, &uid);
    // What stands in a user's way may go without a watch's telling, so only a valid spec rests.
    if findings.verdict.reason == Reason::Valid
        && !findings.waiting
        && let Ok(found) = found
    {
        let look = Look {
            generation: findings.generation,
            status: now,
            found,
            address,
            reach: findings.reach,
        };
        tools.looks.keep(&uid, look, tools.resync);
    }
    Ok(again)
}

/// What came of applying: what a user can set right, or what is told and tried again as well.
type Outcome = Result<Verdict, (Verdict, CallError)>;

fn no(reason: Reason, message: String) -> Verdict {
    Verdict { reason, message }
}

/// What can be said before anything is done: all that is wrong with the spec and with what it
/// refers to, at once.
fn first_verdict(found: &Result<Found, CallError>, mistakes: Option<&Mistakes>) -> Verdict {
    let (reason, words) = match found {
        Ok(found) if found.missing.is_empty() => (Reason::Valid, None),
        Ok(found) => {
            let words = format!("missing: {}", found.missing.join(", "));
            (Reason::ReferenceNotFound, Some(words))
        }
        Err(CallError::Forbidden(words)) => (Reason::Forbidden, Some(words.clone())),
        Err(_) => return no(Reason::ReconcileFailed, String::new()),
    };
    match (mistakes, words) {
        (None, None) => Verdict::valid(&[]),
        (None, Some(words)) => no(reason, words),
        (Some(Mistakes(mistakes)), words) => {
            let all: Vec<_> = mistakes.iter().cloned().chain(words).collect();
            no(Reason::InvalidSpec, all.join("; "))
        }
    }
}

/// Builds and applies; what a user can set right becomes a verdict, the rest an error.
async fn act(
    resource: &ToolSearchProxy,
    desired: &Desired,
    tools: &Tools,
) -> Result<(Outcome, Applied), Error> {
    let objects = resources::build(desired)?;
    let uid = resource.uid().unwrap_or_default();
    let seen = resource
        .status
        .as_ref()
        .and_then(|status| status.observed_generation);
    let applier = Applier {
        cluster: &tools.cluster,
        memory: &tools.memory,
        turnstile: &tools.turnstile,
        metrics: &tools.metrics,
        uid: &uid,
        by_user: seen != resource.metadata.generation,
    };
    match applier.run(desired, &objects).await {
        Ok(applied) => {
            let mut notes = Vec::new();
            if desired.replicas.least() == 1 {
                notes.push(
                    "with one pod a node's end or drain is an outage: 2 or more avoid it"
                        .to_owned(),
                );
            }
            for kind in &applied.unknown {
                notes.push(format!(
                    "{kind} is left out: its definition is not installed"
                ));
            }
            Ok((Ok(Verdict::valid(&notes)), applied))
        }
        Err(error) => Ok((refusal(error)?, Applied::default())),
    }
}

/// What a failure is to the user; an error where it tells nothing to anybody.
fn refusal(error: ApplyError) -> Result<Outcome, CallError> {
    Ok(Ok(match error {
        ApplyError::NameConflict(_) => no(Reason::NameConflict, error.to_string()),
        ApplyError::Call(CallError::Quota(words)) => no(Reason::QuotaExceeded, words),
        ApplyError::Call(CallError::Forbidden(words)) => no(Reason::Forbidden, words),
        ApplyError::Call(CallError::Invalid(words)) => no(Reason::InvalidSpec, words),
        ApplyError::Call(CallError::Failed(words)) => {
            let verdict = no(Reason::ReconcileFailed, words.clone());
            return Ok(Err((verdict, CallError::Failed(words))));
        }
        ApplyError::Call(error) => return Err(error),
    }))
}

/// What there is of the resource's own.
async fn look(
    resource: &ToolSearchProxy,
    applied: Option<&DynamicObject>,
    tools: &Tools,
) -> Result<Option<Facts>, Error> {
    let (name, uid) = (resource.name_any(), resource.uid().unwrap_or_default());
    let namespace = resource.namespace().unwrap_or_default();
    let live = match applied {
        Some(live) => Some(live.clone()),
        None => {
            let there = tools.cluster.get(Kind::Deployment, &namespace, &name);
            there.await?.filter(|live| is_owned(live, &uid))
        }
    };
    let Some(live) = live else {
        return Ok(None);
    };
    let deployment: Deployment = serde_json::from_value(serde_json::to_value(live)?)?;
    let selector = selector_text(&name);
    let pods = tools.cluster.pods(&namespace, &selector).await?;
    Ok(Some(facts(&deployment, &pods)))
}

async fn write(
    resource: &ToolSearchProxy,
    status: &ToolSearchProxyStatus,
    tools: &Tools,
) -> Result<(), Error> {
    let body = json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": resource.name_any() },
        "status": status,
    });
    let namespace = resource.namespace().unwrap_or_default();
    match tools
        .cluster
        .status(&namespace, &resource.name_any(), &body)
        .await
    {
        // Gone meanwhile, or replaced: there is nobody to tell.
        Err(CallError::Api(error)) if matches!(&*error, kube::Error::Api(answer) if answer.code == 404) => {
            Ok(())
        }
        other => Ok(other?),
    }
}

/// When to look again; whole is what was found of the references, and the same what is said.
fn next(
    findings: &Findings<'_>,
    is_whole: bool,
    is_same: bool,
    tools: &Tools,
    uid: &str,
) -> Duration {
    if findings.waiting {
        return tools.turnstile.pause().max(Duration::from_secs(1));
    }
    if findings.verdict.reason == Reason::InvalidSpec && is_whole {
        // Only a change can help, and a change comes by itself.
        return tools.resync;
    }
    // How the pods do comes by itself, too; whether their upstream answers does not.
    let reachable = matches!(findings.reach, Reach::Yes);
    let is_well = findings.verdict.reason == Reason::Valid
        && (reachable || findings.facts.is_some_and(|facts| facts.wanted == 0));
    tools.looks.next(uid, is_well, is_same).min(tools.resync)
}

#[cfg(test)]
pub(crate) mod tests;
