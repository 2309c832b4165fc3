//! Who reaches whom? Clients the MCP port, anybody the probes; the pods the cluster's DNS, the
//! upstream and the model's server, and nothing else.

use k8s_openapi::api::networking::v1::{
    IPBlock, NetworkPolicy, NetworkPolicyEgressRule, NetworkPolicyIngressRule, NetworkPolicyPeer,
    NetworkPolicyPort, NetworkPolicySpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use toolsearch_crds::v1alpha1::NetworkPeer;
use url::Url;

use crate::desired::{Desired, DesiredModel, Fetched};
use crate::names::{DIAGNOSTICS_PORT, MCP_PORT, selector};
use crate::resources::metadata::metadata;

pub(super) fn policy(desired: &Desired) -> Option<NetworkPolicy> {
    desired.network.enabled.then(|| NetworkPolicy {
        metadata: metadata(desired, &desired.name),
        spec: Some(NetworkPolicySpec {
            pod_selector: Some(LabelSelector {
                match_labels: Some(selector(&desired.name)),
                ..LabelSelector::default()
            }),
            policy_types: Some(vec!["Ingress".to_owned(), "Egress".to_owned()]),
            ingress: Some(vec![
                NetworkPolicyIngressRule {
                    from: peers(&desired.network.allow_from),
                    ports: Some(vec![port("TCP", MCP_PORT.1)]),
                },
                NetworkPolicyIngressRule {
                    from: None,
                    ports: Some(vec![port("TCP", DIAGNOSTICS_PORT.1)]),
                },
            ]),
            egress: Some(vec![
                NetworkPolicyEgressRule {
                    to: None,
                    // A policy sees the name server's pods, which listen on 5353 on OpenShift.
                    ports: Some(
                        [53, 5353]
                            .into_iter()
                            .flat_map(|number| [port("UDP", number), port("TCP", number)])
                            .collect(),
                    ),
                },
                NetworkPolicyEgressRule {
                    to: peers(&desired.network.allow_to),
                    ports: upstream_ports(desired),
                },
            ]),
        }),
    })
}

/// The ports that the URLs name. Behind a Service the pods' own port counts, which no URL tells:
/// with peers given and no ports, any port of theirs is allowed.
fn upstream_ports(desired: &Desired) -> Option<Vec<NetworkPolicyPort>> {
    if !desired.network.allow_to.is_empty() && desired.network.allow_ports.is_empty() {
        return None;
    }
    let mut ports = desired.network.allow_ports.clone();
    ports.push(i32::from(desired.upstream_port));
    if let DesiredModel::Fetched(fetched) = &desired.model {
        ports.extend(fetch_ports(fetched));
    }
    ports.sort_unstable();
    ports.dedup();
    Some(
        ports
            .into_iter()
            .map(|number| port("TCP", number))
            .collect(),
    )
}

fn fetch_ports(fetched: &Fetched) -> Vec<i32> {
    let urls = fetched
        .arguments
        .iter()
        .chain(fetched.environment.iter().map(|(_, value)| value));
    let mut ports: Vec<i32> = urls
        .filter_map(|text| Url::parse(text).ok()?.port_or_known_default())
        .map(i32::from)
        .collect();
    // The hub itself, which no argument names, and where its redirects lead.
    ports.push(443);
    ports
}

fn port(protocol: &str, number: i32) -> NetworkPolicyPort {
    NetworkPolicyPort {
        protocol: Some(protocol.to_owned()),
        port: Some(IntOrString::Int(number)),
        ..NetworkPolicyPort::default()
    }
}

fn peers(given: &[NetworkPeer]) -> Option<Vec<NetworkPolicyPeer>> {
    (!given.is_empty()).then(|| given.iter().map(peer).collect())
}

fn peer(given: &NetworkPeer) -> NetworkPolicyPeer {
    let selector = |labels: &std::collections::BTreeMap<String, String>| LabelSelector {
        match_labels: (!labels.is_empty()).then(|| labels.clone()),
        ..LabelSelector::default()
    };
    NetworkPolicyPeer {
        ip_block: given.cidr.as_ref().map(|cidr| IPBlock {
            cidr: cidr.clone(),
            except: None,
        }),
        namespace_selector: given.namespace_labels.as_ref().map(selector),
        pod_selector: given.pod_labels.as_ref().map(selector),
    }
}
