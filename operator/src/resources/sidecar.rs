//! How does the proxy run beside a gateway in one pod, without a hop? As a native sidecar: an
//! init container that goes on, started before the gateway and ended after it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::desired::Desired;
use crate::names::MCP_PORT;
use crate::resources::{fetch, pod};

/// The parts of a pod's spec that run the proxy on the loopback address, where the pod's own
/// containers call it and nobody else can.
///
/// # Errors
/// A part cannot be written as JSON, which the tests rule out.
pub fn sidecar(desired: &Desired) -> Result<Value, serde_json::Error> {
    let mut proxy = serde_json::to_value(pod::container(desired))?;
    proxy["restartPolicy"] = "Always".into();
    for variable in proxy["env"].as_array_mut().into_iter().flatten() {
        if variable["name"] == "TOOLSEARCH_LISTEN" {
            variable["value"] = format!("127.0.0.1:{}", MCP_PORT.1).into();
        }
    }
    // Readiness of a sidecar counts for the whole pod; the port for clients is loopback only.
    if let Some(ports) = proxy["ports"].as_array_mut() {
        ports.retain(|port| port["name"] != MCP_PORT.0);
    }
    let escape = &desired.escape;
    pod::append(&mut proxy["env"], &escape.environment);
    pod::append(&mut proxy["volumeMounts"], &escape.mounts);
    if let Some(members) = proxy.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    let mut containers = Vec::new();
    if let Some(fetch) = fetch::container(desired) {
        containers.push(serde_json::to_value(fetch)?);
    }
    containers.push(proxy);
    // The pod around them is somebody else's, and so is the user that it names.
    if !desired.platform_assigns_user {
        for container in &mut containers {
            container["securityContext"]["runAsUser"] = pod::NOBODY.into();
            container["securityContext"]["runAsGroup"] = pod::NOBODY.into();
        }
    }
    let mut fragment = json!({
        "terminationGracePeriodSeconds": pod::grace(desired),
        "initContainers": containers,
    });
    let mut volumes = serde_json::to_value(fetch::volumes(desired))?;
    for volume in volumes.as_array_mut().into_iter().flatten() {
        // No group of the pod is ours to set, so the file itself has to be readable.
        if let Some(secret) = volume.get_mut("secret") {
            secret["defaultMode"] = 0o444.into();
        }
    }
    pod::append(&mut volumes, &escape.volumes);
    if volumes.as_array().is_some_and(|all| !all.is_empty()) {
        fragment["volumes"] = volumes;
    }
    if let Some(secrets) = pod::pull_secrets(desired) {
        fragment["imagePullSecrets"] = serde_json::to_value(secrets)?;
    }
    Ok(fragment)
}

/// What whoever pastes the fragment has to know, as comments.
#[must_use]
pub fn sidecar_notes(desired: &Desired) -> String {
    let mut notes = format!(
        "# Containers of the pod call http://127.0.0.1:{}/mcp; nobody else reaches the proxy.\n\
         # Add the time that they take to stop to terminationGracePeriodSeconds: the proxy is stopped after them.\n",
        MCP_PORT.1
    );
    let escape = &desired.escape;
    let mut left: Vec<&str> = escape.pod.keys().map(String::as_str).collect();
    if !escape.security.is_empty() {
        left.push("securityContext");
    }
    if !left.is_empty() {
        // Writing to a string never fails.
        let _ = writeln!(
            notes,
            "# Left out of podTemplate, for it is about the whole pod: {}.",
            left.join(", ")
        );
    }
    notes
}
