//! Where does Prometheus scrape? A headless Service of the diagnostics port and its monitor, so
//! that metrics are never reachable through the Service for clients.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::{Value, json};

use crate::desired::Desired;
use crate::names::{self, DIAGNOSTICS_PORT, selector};
use crate::resources::metadata::metadata;
use crate::resources::object::{Kind, Object};

/// Tells the Service for Prometheus from the one for clients.
const METRICS: (&str, &str) = ("toolsearch.dev/service", "metrics");

fn name(desired: &Desired) -> String {
    format!("{}-metrics", desired.name)
}

pub(super) fn service(desired: &Desired) -> Service {
    let mut metadata = metadata(desired, &name(desired));
    metadata
        .labels
        .get_or_insert_default()
        .insert(METRICS.0.to_owned(), METRICS.1.to_owned());
    Service {
        metadata,
        spec: Some(ServiceSpec {
            type_: Some("ClusterIP".to_owned()),
            cluster_ip: Some("None".to_owned()),
            selector: Some(selector(&desired.name)),
            ports: Some(vec![ServicePort {
                name: Some(DIAGNOSTICS_PORT.0.to_owned()),
                port: DIAGNOSTICS_PORT.1,
                target_port: Some(IntOrString::String(DIAGNOSTICS_PORT.0.to_owned())),
                protocol: Some("TCP".to_owned()),
                ..ServicePort::default()
            }]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

pub(super) fn monitor(desired: &Desired) -> Object {
    let mut labels = desired.monitoring.labels.clone();
    labels.extend(names::labels(&desired.name));
    let mut selected = selector(&desired.name);
    selected.insert(METRICS.0.to_owned(), METRICS.1.to_owned());
    let mut endpoint = json!({ "port": DIAGNOSTICS_PORT.0, "path": "/metrics" });
    if let Some(interval) = &desired.monitoring.interval {
        endpoint["interval"] = Value::from(interval.clone());
    }
    Object::untyped(
        Kind::ServiceMonitor,
        json!({
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "ServiceMonitor",
            "metadata": {
                "name": desired.name, "namespace": desired.namespace,
                "labels": labels, "ownerReferences": [desired.owner],
            },
            "spec": { "selector": { "matchLabels": selected }, "endpoints": [endpoint] },
        }),
    )
}
