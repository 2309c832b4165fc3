//! What is in a pod? The container that serves, as restricted as Kubernetes can make it, and
//! where it runs.

use k8s_openapi::api::core::v1::{
    Capabilities, Container, ContainerPort, EnvVar, HTTPGetAction, LocalObjectReference,
    PodSecurityContext, PodSpec, Probe, SeccompProfile, SecurityContext, Toleration,
    TopologySpreadConstraint,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::Value;

use crate::desired::Desired;
use crate::names::{DIAGNOSTICS_PORT, MCP_PORT, PROXY, selector};
use crate::resources::fetch;
use crate::resources::quantities::requirements;

/// The user and group that the image is made for.
pub(super) const NOBODY: i64 = 65_532;
/// Seconds for the last log lines, and for the kubelet to notice the end.
const LAST_WORDS: i64 = 8;

/// The pod's spec as JSON, with what the user writes into it.
pub(super) fn spec(desired: &Desired) -> Result<Value, serde_json::Error> {
    let scheduling = &desired.scheduling;
    let spec = PodSpec {
        service_account_name: Some(desired.name.clone()),
        automount_service_account_token: Some(false),
        // Variables of other Services' names would look like settings.
        enable_service_links: Some(false),
        security_context: Some(pod_security(desired)),
        termination_grace_period_seconds: Some(grace(desired)),
        image_pull_secrets: pull_secrets(desired),
        init_containers: fetch::container(desired).map(|container| vec![container]),
        containers: vec![container(desired)],
        volumes: Some(fetch::volumes(desired)).filter(|volumes| !volumes.is_empty()),
        node_selector: Some(scheduling.node_selector.clone()).filter(|labels| !labels.is_empty()),
        tolerations: tolerations(desired),
        priority_class_name: scheduling.priority_class_name.clone(),
        topology_spread_constraints: Some(vec![
            spread(desired, "kubernetes.io/hostname"),
            spread(desired, "topology.kubernetes.io/zone"),
        ]),
        ..PodSpec::default()
    };
    let mut spec = serde_json::to_value(spec)?;
    merge(&mut spec, desired);
    Ok(spec)
}

/// The checked parts of the user's template; ours stay where both say something.
fn merge(spec: &mut Value, desired: &Desired) {
    let escape = &desired.escape;
    for (key, value) in &escape.pod {
        spec[key] = value.clone();
    }
    for (key, value) in &escape.security {
        spec["securityContext"][key] = value.clone();
    }
    append(&mut spec["volumes"], &escape.volumes);
    append(&mut spec["containers"][0]["env"], &escape.environment);
    append(&mut spec["containers"][0]["volumeMounts"], &escape.mounts);
    if let Some(members) = spec.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    if let Some(members) = spec["containers"][0].as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
}

/// Adds to a list that may not be there yet.
pub(super) fn append(target: &mut Value, items: &[Value]) {
    if items.is_empty() {
        return;
    }
    if !target.is_array() {
        *target = Value::Array(Vec::new());
    }
    if let Some(list) = target.as_array_mut() {
        list.extend(items.iter().cloned());
    }
}

/// Seconds that a pod may take to leave: what the proxy is told, and its last words.
pub(super) fn grace(desired: &Desired) -> i64 {
    i64::from(desired.drain.delay_seconds) + i64::from(desired.drain.call_seconds) + LAST_WORDS
}

/// The container that serves.
pub(super) fn container(desired: &Desired) -> Container {
    let port = |(name, number): (&str, i32)| ContainerPort {
        name: Some(name.to_owned()),
        container_port: number,
        protocol: Some("TCP".to_owned()),
        ..ContainerPort::default()
    };
    Container {
        name: PROXY.to_owned(),
        image: Some(desired.image.name.clone()),
        image_pull_policy: desired.image.pull_policy.clone(),
        command: Some(vec!["/usr/local/bin/toolsearch-proxy".to_owned()]),
        args: Some(vec!["serve".to_owned()]),
        env: Some(environment(desired)),
        ports: Some(vec![port(MCP_PORT), port(DIAGNOSTICS_PORT)]),
        startup_probe: Some(probe("/startupz", 1, 180, 2)),
        readiness_probe: Some(probe("/readyz", 2, 2, 2)),
        liveness_probe: Some(probe("/livez", 10, 6, 5)),
        resources: Some(requirements(&desired.resources)),
        security_context: Some(security()),
        termination_message_policy: Some("FallbackToLogsOnError".to_owned()),
        volume_mounts: Some(fetch::proxy_mounts(desired)).filter(|mounts| !mounts.is_empty()),
        ..Container::default()
    }
}

fn environment(desired: &Desired) -> Vec<EnvVar> {
    let pairs = desired.environment.iter();
    pairs
        .map(|(name, value)| EnvVar {
            name: name.clone(),
            value: Some(literal(value)),
            ..EnvVar::default()
        })
        .collect()
}

/// A text that arrives as it is: Kubernetes expands `$(NAME)` in values and arguments, and reads a
/// doubled dollar as one.
pub(super) fn literal(text: &str) -> String {
    text.replace('$', "$$")
}

fn probe(path: &str, period: i32, failures: i32, timeout: i32) -> Probe {
    Probe {
        http_get: Some(HTTPGetAction {
            path: Some(path.to_owned()),
            port: IntOrString::String(DIAGNOSTICS_PORT.0.to_owned()),
            ..HTTPGetAction::default()
        }),
        period_seconds: Some(period),
        failure_threshold: Some(failures),
        timeout_seconds: Some(timeout),
        ..Probe::default()
    }
}

/// What a container of ours may do: nothing but run.
pub(super) fn security() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        read_only_root_filesystem: Some(true),
        run_as_non_root: Some(true),
        capabilities: Some(Capabilities {
            drop: Some(vec!["ALL".to_owned()]),
            ..Capabilities::default()
        }),
        seccomp_profile: Some(SeccompProfile {
            type_: "RuntimeDefault".to_owned(),
            ..SeccompProfile::default()
        }),
        ..SecurityContext::default()
    }
}

fn pod_security(desired: &Desired) -> PodSecurityContext {
    let id = (!desired.platform_assigns_user).then_some(NOBODY);
    PodSecurityContext {
        run_as_non_root: Some(true),
        run_as_user: id,
        run_as_group: id,
        fs_group: id,
        fs_group_change_policy: id.map(|_| "OnRootMismatch".to_owned()),
        seccomp_profile: Some(SeccompProfile {
            type_: "RuntimeDefault".to_owned(),
            ..SeccompProfile::default()
        }),
        ..PodSecurityContext::default()
    }
}

pub(super) fn pull_secrets(desired: &Desired) -> Option<Vec<LocalObjectReference>> {
    let secrets = &desired.image.pull_secrets;
    (!secrets.is_empty()).then(|| {
        let names = secrets.iter().cloned();
        names.map(|name| LocalObjectReference { name }).collect()
    })
}

fn tolerations(desired: &Desired) -> Option<Vec<Toleration>> {
    let given = &desired.scheduling.tolerations;
    (!given.is_empty()).then(|| {
        given
            .iter()
            .cloned()
            .map(|given| Toleration {
                key: given.key,
                operator: given.operator,
                value: given.value,
                effect: given.effect,
                toleration_seconds: given.toleration_seconds,
            })
            .collect()
    })
}

/// Pods of one template apart from each other, where there is room: those of the template before
/// do not count, or they would push the new ones together.
fn spread(desired: &Desired, topology: &str) -> TopologySpreadConstraint {
    TopologySpreadConstraint {
        max_skew: 1,
        topology_key: topology.to_owned(),
        when_unsatisfiable: "ScheduleAnyway".to_owned(),
        label_selector: Some(LabelSelector {
            match_labels: Some(selector(&desired.name)),
            ..LabelSelector::default()
        }),
        match_label_keys: Some(vec!["pod-template-hash".to_owned()]),
        ..TopologySpreadConstraint::default()
    }
}
