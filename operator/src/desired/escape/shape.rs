//! Would the API server take it? Parts of a pod template, read with the types of its API: what it
//! would answer with a failure of its own becomes a sentence here.

use k8s_openapi::api::core::v1::{
    Affinity, EnvVar, HostAlias, PodDNSConfig, PodSecurityContext, TopologySpreadConstraint,
    Volume, VolumeMount,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

type Checked = Result<(), String>;

/// A member of the pod's spec that is taken; none where it is not.
pub(super) fn pod_member(name: &str, value: &Value) -> Option<Checked> {
    Some(match name {
        "affinity" => read::<Affinity>(value),
        "topologySpreadConstraints" => read::<Vec<TopologySpreadConstraint>>(value),
        "hostAliases" => read::<Vec<HostAlias>>(value),
        "dnsConfig" => read::<PodDNSConfig>(value),
        "dnsPolicy" | "runtimeClassName" | "schedulerName" | "priorityClassName" => {
            read::<String>(value)
        }
        _ => return None,
    })
}

/// A member of the pod's security context that is taken; none where it is not.
pub(super) fn security_member(name: &str, value: &Value) -> Option<Checked> {
    let taken = [
        "runAsUser",
        "runAsGroup",
        "fsGroup",
        "fsGroupChangePolicy",
        "supplementalGroups",
    ];
    taken
        .contains(&name)
        .then(|| read::<PodSecurityContext>(&json!({ name: value })))
}

/// Whether an id, or one of several, is root's.
pub(super) fn is_root(value: &Value) -> bool {
    let ids = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    ids.iter().any(|id| id.as_i64() == Some(0))
}

pub(super) fn volume(value: &Value) -> Checked {
    read::<Volume>(value)?;
    named(value)
}

/// One variable of the environment.
pub(super) fn variable(value: &Value) -> Checked {
    read::<EnvVar>(value)?;
    named(value)?;
    let name = value["name"].as_str().unwrap_or_default();
    if name.contains('=') || !name.chars().all(|letter| matches!(letter, ' '..='~')) {
        return Err("a name is of printable ASCII characters without =".to_owned());
    }
    Ok(())
}

/// One mount; its folder has to be written in the one way that can be compared.
pub(super) fn mount(value: &Value) -> Checked {
    read::<VolumeMount>(value)?;
    named(value)?;
    let at = value["mountPath"].as_str().unwrap_or_default();
    let mut parts = at.split('/');
    let clean = parts.next() == Some("")
        && parts.all(|part| !matches!(part, "" | "." | ".."))
        && !at.contains(':');
    if clean {
        Ok(())
    } else {
        Err(
            "mountPath is an absolute path without //, . and .. and without a slash at its end"
                .to_owned(),
        )
    }
}

fn named(value: &Value) -> Checked {
    match value["name"].as_str() {
        Some(name) if !name.is_empty() => Ok(()),
        _ => Err("it has no name".to_owned()),
    }
}

/// Reads a value as a type of the API. The types pass over members that they do not know, and the
/// API server does not: what is gone after a round trip was no field.
fn read<T: DeserializeOwned + Serialize>(value: &Value) -> Checked {
    let typed: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let again = serde_json::to_value(typed).map_err(|error| error.to_string())?;
    match lost("", value, &again) {
        Some(path) => Err(format!("{path} is no field")),
        None => Ok(()),
    }
}

/// The first member of a value that another lacks.
fn lost(path: &str, value: &Value, again: &Value) -> Option<String> {
    match value {
        Value::Object(members) => members.iter().find_map(|(key, inner)| {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            match again.get(key) {
                Some(again) => lost(&path, inner, again),
                None => Some(path),
            }
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(at, inner)| lost(&format!("{path}[]"), inner, again.get(at)?)),
        _ => None,
    }
}
