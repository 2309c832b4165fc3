//! What came of it? Facts about the Deployment and the pods, read off what the API server has.

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;
use toolsearch_crds::v1alpha1::Reason;

use crate::names::{FETCH, PROXY, TEMPLATE_HASH};

/// Facts about a rollout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Whether the controller of Deployments has seen the newest template.
    pub observed: bool,
    /// Pods wanted.
    pub wanted: i32,
    /// Pods there are.
    pub replicas: i32,
    /// Pods that are ready.
    pub ready: i32,
    /// Pods that are ready for long enough.
    pub available: i32,
    /// Pods of the newest template.
    pub updated: i32,
    /// The rollout took too long.
    pub overdue: bool,
    /// Pods that cannot be made, in the API server's words.
    pub refused: Option<String>,
    /// What is wrong with a pod of the newest template.
    pub trouble: Option<Trouble>,
    /// How the fetch of the model stands there.
    pub fetch: Fetch,
    /// The address of a pod that is ready.
    pub ready_address: Option<String>,
}

/// What is wrong with a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// In one word.
    pub reason: Reason,
    /// In words, with the pod's name.
    pub message: String,
}

/// How the fetch of the model stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Under way.
    Running,
    /// It failed, and is tried again.
    Failed(Trouble),
    /// Verified; the digest over all files.
    Done(Option<String>),
}

/// Reads the facts.
#[must_use]
pub(crate) fn facts(deployment: &Deployment, pods: &[Pod]) -> Facts {
    let status = deployment.status.clone().unwrap_or_default();
    let spec = deployment.spec.clone().unwrap_or_default();
    let newest = newest(&spec, pods);
    let condition = |kind: &str| {
        let conditions = status.conditions.iter().flatten();
        conditions.clone().find(|condition| condition.type_ == kind)
    };
    let overdue = condition("Progressing")
        .is_some_and(|condition| condition.reason.as_deref() == Some("ProgressDeadlineExceeded"));
    let refused = condition("ReplicaFailure")
        .filter(|condition| condition.status == "True")
        .and_then(|condition| condition.message.clone());
    Facts {
        observed: status.observed_generation == deployment.metadata.generation,
        wanted: spec.replicas.unwrap_or(1),
        replicas: status.replicas.unwrap_or_default(),
        ready: status.ready_replicas.unwrap_or_default(),
        available: status.available_replicas.unwrap_or_default(),
        updated: status.updated_replicas.unwrap_or_default(),
        overdue,
        refused,
        trouble: newest.iter().find_map(|pod| trouble(pod)),
        fetch: fetch(&newest),
        ready_address: pods
            .iter()
            .find(|pod| is_ready(pod))
            .and_then(|pod| pod.status.as_ref()?.pod_ip.clone()),
    }
}

/// The pods of the newest template, by the mark that it puts on them. The youngest pod would not
/// tell: while a rollout stalls, an old template's pod that leaves a node comes back as the
/// youngest. Without a mark (a template of a version before) it is all there is to go by.
fn newest<'a>(spec: &DeploymentSpec, pods: &'a [Pod]) -> Vec<&'a Pod> {
    let mark = |metadata: &ObjectMeta| metadata.annotations.as_ref()?.get(TEMPLATE_HASH).cloned();
    let alive = pods
        .iter()
        .filter(|pod| pod.metadata.deletion_timestamp.is_none());
    match spec.template.metadata.as_ref().and_then(mark) {
        Some(wanted) => alive
            .filter(|pod| mark(&pod.metadata).as_ref() == Some(&wanted))
            .collect(),
        None => of_the_youngest(pods),
    }
}

fn of_the_youngest(pods: &[Pod]) -> Vec<&Pod> {
    let template = |pod: &Pod| {
        pod.metadata
            .labels
            .as_ref()?
            .get("pod-template-hash")
            .cloned()
    };
    let alive = pods
        .iter()
        .filter(|pod| pod.metadata.deletion_timestamp.is_none());
    let youngest = alive
        .clone()
        .max_by_key(|pod| pod.metadata.creation_timestamp.as_ref().map(|time| time.0));
    let hash = youngest.and_then(template);
    alive.filter(|pod| template(pod) == hash).collect()
}

fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or("?")
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod
        .status
        .iter()
        .filter_map(|status| status.conditions.as_ref())
        .flatten();
    let going = pod.metadata.deletion_timestamp.is_some();
    !going
        && conditions
            .clone()
            .any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

fn statuses(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let status = pod.status.as_ref();
    let init = status.and_then(|status| status.init_container_statuses.as_ref());
    let main = status.and_then(|status| status.container_statuses.as_ref());
    init.into_iter().flatten().chain(main.into_iter().flatten())
}

fn trouble(pod: &Pod) -> Option<Trouble> {
    let conditions = pod
        .status
        .iter()
        .filter_map(|status| status.conditions.as_ref())
        .flatten();
    let unplaced = conditions.clone().find(|condition| {
        condition.type_ == "PodScheduled" && condition.reason.as_deref() == Some("Unschedulable")
    });
    if let Some(condition) = unplaced {
        let words = condition.message.as_deref().unwrap_or("no node has room");
        return Some(Trouble {
            reason: Reason::InsufficientSurge,
            message: format!("pod {} finds no node: {words}", name(pod)),
        });
    }
    statuses(pod).find_map(|status| {
        let waiting = status.state.as_ref()?.waiting.as_ref()?;
        let words = waiting.message.as_deref().unwrap_or_default();
        let reason = match waiting.reason.as_deref()? {
            "ErrImagePull" | "ImagePullBackOff" | "InvalidImageName" | "ErrImageNeverPull" => {
                Reason::ImagePull
            }
            "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => {
                Reason::CrashLoop
            }
            "CrashLoopBackOff" if status.name == PROXY => Reason::CrashLoop,
            _ => return None,
        };
        let last = status
            .last_state
            .as_ref()
            .and_then(|state| state.terminated.as_ref());
        let last = last
            .and_then(|ended| ended.message.as_deref())
            .unwrap_or_default();
        let message = format!(
            "pod {}, container {}: {words} {last}",
            name(pod),
            status.name
        );
        Some(Trouble {
            reason,
            message: message.trim_end().to_owned(),
        })
    })
}

fn fetch(newest: &[&Pod]) -> Fetch {
    let mut found = Fetch::Unknown;
    for pod in newest {
        let Some(status) = statuses(pod).find(|status| status.name == FETCH) else {
            continue;
        };
        let state = status.state.clone().unwrap_or_default();
        let last = status.last_state.clone().unwrap_or_default();
        let ended = state.terminated.or(last.terminated);
        match ended {
            Some(ended) if ended.exit_code == 0 => {
                let digest = report(ended.message.as_deref())["manifest"]
                    .as_str()
                    .map(str::to_owned);
                found = Fetch::Done(digest);
            }
            Some(ended) => {
                return Fetch::Failed(failure(pod, ended.exit_code, ended.message.as_deref()));
            }
            None if found == Fetch::Unknown => found = Fetch::Running,
            None => {}
        }
    }
    found
}

/// The last line of the fetching program, one JSON object.
fn report(message: Option<&str>) -> Value {
    let lines = message.unwrap_or_default().lines().rev();
    let mut objects = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    objects.find(Value::is_object).unwrap_or_default()
}

fn failure(pod: &Pod, code: i32, message: Option<&str>) -> Trouble {
    let report = report(message);
    let reason = match (report["reason"].as_str(), code) {
        (Some("DigestMismatch"), _) | (None, 3) => Reason::DigestMismatch,
        (Some("NoSpace"), _) | (None, 4) => Reason::NoSpace,
        (Some("Unauthorized"), _) | (None, 5) => Reason::Unauthorized,
        (Some("Timeout"), _) | (None, 6) => Reason::Timeout,
        (Some("Unreachable"), _) | (None, 7) => Reason::Unreachable,
        (Some("NotFound"), _) | (None, 8) => Reason::NotFound,
        (Some("Tls"), _) | (None, 9) => Reason::Tls,
        _ => Reason::FetchFailed,
    };
    let words = report["message"]
        .as_str()
        .map_or_else(|| format!("exit code {code}"), str::to_owned);
    Trouble {
        reason,
        message: format!("pod {}: {words}", name(pod)),
    }
}

#[cfg(test)]
mod tests;
