//! How does the proxy run beside a gateway in one pod, without a hop? As a native sidecar: an
//! init container that goes on, started before the gateway and ended after it.

use serde_json::{Value, json};

use crate::desired::Desired;
use crate::names::MCP_PORT;
use crate::resources::{fetch, pod};

/// The parts of a pod's spec that run the proxy on the loopback address.
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
    let mut containers = Vec::new();
    if let Some(fetch) = fetch::container(desired) {
        containers.push(serde_json::to_value(fetch)?);
    }
    containers.push(proxy);
    let mut fragment = json!({
        "terminationGracePeriodSeconds": pod::grace(desired),
        "initContainers": containers,
    });
    let volumes = fetch::volumes(desired);
    if !volumes.is_empty() {
        fragment["volumes"] = serde_json::to_value(volumes)?;
    }
    Ok(fragment)
}
