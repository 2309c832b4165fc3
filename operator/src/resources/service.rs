//! What do clients connect to?

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use toolsearch_crds::v1alpha1::ServiceType;

use crate::desired::Desired;
use crate::names::{MCP_PORT, selector};
use crate::resources::metadata::metadata;

pub(super) fn service(desired: &Desired) -> Service {
    let mut metadata = metadata(desired, &desired.name);
    let wanted = &desired.service;
    if !wanted.annotations.is_empty() {
        metadata.annotations = Some(wanted.annotations.clone());
    }
    let kind = match wanted.type_ {
        ServiceType::ClusterIp => "ClusterIP",
        ServiceType::NodePort => "NodePort",
        ServiceType::LoadBalancer => "LoadBalancer",
    };
    Service {
        metadata,
        spec: Some(ServiceSpec {
            type_: Some(kind.to_owned()),
            selector: Some(selector(&desired.name)),
            ports: Some(vec![ServicePort {
                name: Some(MCP_PORT.0.to_owned()),
                port: wanted.port,
                target_port: Some(IntOrString::String(MCP_PORT.0.to_owned())),
                protocol: Some("TCP".to_owned()),
                app_protocol: Some("http".to_owned()),
                ..ServicePort::default()
            }]),
            traffic_distribution: wanted.traffic_distribution.clone(),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}
