//! What may a user write into the pod template? A list of what is taken; all else is refused by
//! name, so that whoever may create the resource gains nothing that the resource does not give.

use serde_json::{Map, Value};
use toolsearch_crds::v1alpha1::PodTemplate;

use crate::names::PROXY;

/// Checked parts of a pod template.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Escape {
    /// Members of the pod's spec, taken as they are.
    pub pod: Map<String, Value>,
    /// Members of the pod's security context.
    pub security: Map<String, Value>,
    /// Further volumes.
    pub volumes: Vec<Value>,
    /// Further variables of the proxy's container.
    pub environment: Vec<Value>,
    /// Further mounts of the proxy's container.
    pub mounts: Vec<Value>,
}

const POD: &[&str] = &[
    "affinity",
    "topologySpreadConstraints",
    "hostAliases",
    "dnsPolicy",
    "dnsConfig",
    "runtimeClassName",
    "schedulerName",
    "priorityClassName",
];
const SECURITY: &[&str] = &[
    "runAsUser",
    "runAsGroup",
    "fsGroup",
    "fsGroupChangePolicy",
    "supplementalGroups",
];
const VOLUMES: &[&str] = &["configMap", "emptyDir", "downwardAPI"];
const OURS: &[&str] = &[
    "/var/lib/toolsearch",
    "/etc/toolsearch",
    "/usr/local/bin",
    "/dev",
    "/proc",
    "/sys",
];

impl Escape {
    pub(super) fn new(template: Option<&PodTemplate>, mistakes: &mut Vec<String>) -> Self {
        let mut escape = Self::default();
        let members = template
            .map(|PodTemplate(members)| members.clone())
            .unwrap_or_default();
        for (key, value) in members {
            match (key.as_str(), value) {
                ("spec", Value::Object(spec)) => escape.read(spec, mistakes),
                _ => refuse(
                    mistakes,
                    &key,
                    "only spec is taken; labels and annotations go into podMetadata",
                ),
            }
        }
        escape
    }

    fn read(&mut self, spec: Map<String, Value>, mistakes: &mut Vec<String>) {
        for (key, value) in spec {
            let path = format!("spec.{key}");
            match (key.as_str(), value) {
                (name, value) if POD.contains(&name) => {
                    self.pod.insert(key, value);
                }
                ("securityContext", Value::Object(members)) => {
                    for (name, value) in members {
                        if SECURITY.contains(&name.as_str()) && value != 0 {
                            self.security.insert(name, value);
                        } else {
                            refuse(
                                mistakes,
                                &format!("{path}.{name}"),
                                "it could widen what the pods may do",
                            );
                        }
                    }
                }
                ("volumes", Value::Array(volumes)) => {
                    for volume in volumes {
                        let kinds = volume.as_object().into_iter().flat_map(Map::keys);
                        let foreign = kinds
                            .filter(|kind| *kind != "name" && !VOLUMES.contains(&kind.as_str()));
                        let foreign: Vec<_> = foreign.cloned().collect();
                        for kind in &foreign {
                            refuse(
                                mistakes,
                                &format!("{path}[].{kind}"),
                                "volumes are configMap, emptyDir or downwardAPI",
                            );
                        }
                        if foreign.is_empty() {
                            self.volumes.push(volume);
                        }
                    }
                }
                ("containers", Value::Array(containers)) => {
                    for container in containers {
                        self.container(container, mistakes);
                    }
                }
                _ => refuse(
                    mistakes,
                    &path,
                    "it could widen what the pods may do, or has a field of its own",
                ),
            }
        }
    }

    fn container(&mut self, container: Value, mistakes: &mut Vec<String>) {
        let Value::Object(members) = container else {
            return refuse(mistakes, "spec.containers[]", "a container is an object");
        };
        if members.get("name").and_then(Value::as_str) != Some(PROXY) {
            return refuse(
                mistakes,
                "spec.containers[]",
                "only the container named proxy may be added to",
            );
        }
        for (key, value) in members {
            let path = format!("spec.containers[proxy].{key}");
            match (key.as_str(), value) {
                ("name", _) => {}
                ("env", Value::Array(items)) => {
                    for item in items {
                        let name = item["name"].as_str().unwrap_or_default();
                        if name.starts_with(toolsearch_settings::PREFIX) {
                            refuse(
                                mistakes,
                                &format!("{path}[{name}]"),
                                "settings of the proxy have fields of their own",
                            );
                        } else if item.get("valueFrom").is_some() {
                            refuse(
                                mistakes,
                                &format!("{path}[{name}].valueFrom"),
                                "only plain values are taken",
                            );
                        } else {
                            self.environment.push(item);
                        }
                    }
                }
                ("volumeMounts", Value::Array(items)) => {
                    for item in items {
                        let at = item["mountPath"].as_str().unwrap_or_default();
                        if OURS
                            .iter()
                            .any(|ours| at == *ours || at.starts_with(&format!("{ours}/")))
                            || at == "/"
                        {
                            refuse(
                                mistakes,
                                &format!("{path}[{at}]"),
                                "that folder is the program's",
                            );
                        } else {
                            self.mounts.push(item);
                        }
                    }
                }
                _ => refuse(
                    mistakes,
                    &path,
                    "it could widen what the pods may do, or has a field of its own",
                ),
            }
        }
    }
}

fn refuse(mistakes: &mut Vec<String>, path: &str, why: &str) {
    mistakes.push(format!("spec.podTemplate.{path} is not taken: {why}"));
}
