//! What may a user write into the pod template? A list of what is taken; all else is refused by
//! name, so that whoever may create the resource gains nothing that the resource does not give.

mod shape;

use serde_json::{Map, Value};
use toolsearch_crds::v1alpha1::PodTemplate;

use crate::names::{MODEL_CA, MODEL_TOKEN, MODEL_VOLUME, PROXY, UPSTREAM_CA};

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

const VOLUMES: &[&str] = &["configMap", "emptyDir", "downwardAPI"];
/// Folders that the program or the system needs as they are.
const OURS: &[&str] = &[
    MODEL_VOLUME.1,
    "/etc/toolsearch",
    "/usr/local/bin",
    "/dev",
    "/proc",
    "/sys",
];
const OUR_VOLUMES: &[&str] = &[MODEL_VOLUME.0, UPSTREAM_CA.0, MODEL_CA.0, MODEL_TOKEN.0];
const WIDENS: &str = "it could widen what the pods may do, or has a field of its own";

impl Escape {
    pub(super) fn new(template: Option<&PodTemplate>, mistakes: &mut Vec<String>) -> Self {
        let mut escape = Self::default();
        let members = template
            .map(|PodTemplate(members)| members.clone())
            .unwrap_or_default();
        // Written out, null means that the field is not given, as everywhere in Kubernetes.
        let mut members = Value::Object(members);
        toolsearch_crds::drop_nulls(&mut members);
        for (key, value) in objects(members) {
            match (key.as_str(), value) {
                ("spec", Value::Object(spec)) => escape.read(spec, mistakes),
                ("spec", _) => refuse(mistakes, &key, "it is an object"),
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
            match key.as_str() {
                "securityContext" => self.security(&path, value, mistakes),
                "volumes" => self.volumes(&path, value, mistakes),
                "containers" => {
                    for container in items(&path, value, mistakes) {
                        self.container(container, mistakes);
                    }
                }
                name => match shape::pod_member(name, &value) {
                    Some(Ok(())) => {
                        self.pod.insert(key, value);
                    }
                    Some(Err(why)) => refuse(mistakes, &path, &why),
                    None => refuse(mistakes, &path, WIDENS),
                },
            }
        }
    }

    fn security(&mut self, path: &str, value: Value, mistakes: &mut Vec<String>) {
        if !value.is_object() {
            return refuse(mistakes, path, "it is an object");
        }
        for (name, value) in objects(value) {
            let path = format!("{path}.{name}");
            match shape::security_member(&name, &value) {
                Some(Ok(())) if shape::is_root(&value) => {
                    refuse(
                        mistakes,
                        &path,
                        "0 is root, which could widen what the pods may do",
                    );
                }
                Some(Ok(())) => {
                    self.security.insert(name, value);
                }
                Some(Err(why)) => refuse(mistakes, &path, &why),
                None => refuse(mistakes, &path, WIDENS),
            }
        }
    }

    fn volumes(&mut self, path: &str, value: Value, mistakes: &mut Vec<String>) {
        for volume in items(path, value, mistakes) {
            let kinds = volume.as_object().into_iter().flat_map(Map::keys);
            let foreign: Vec<_> = kinds
                .filter(|kind| *kind != "name" && !VOLUMES.contains(&kind.as_str()))
                .cloned()
                .collect();
            for kind in &foreign {
                refuse(
                    mistakes,
                    &format!("{path}[].{kind}"),
                    "volumes are configMap, emptyDir or downwardAPI",
                );
            }
            if !foreign.is_empty() {
                continue;
            }
            let name = volume["name"].as_str().unwrap_or_default().to_owned();
            let path = format!("{path}[{name}]");
            if let Err(why) = shape::volume(&volume) {
                refuse(mistakes, &path, &why);
            } else if volume.as_object().map_or(0, Map::len) != 2 {
                refuse(
                    mistakes,
                    &path,
                    "it needs a name and one of configMap, emptyDir, downwardAPI",
                );
            } else if OUR_VOLUMES.contains(&name.as_str()) {
                refuse(mistakes, &path, "that name is the operator's");
            } else if is_given(&self.volumes, "name", &name) {
                refuse(mistakes, &path, "that name is given twice");
            } else {
                self.volumes.push(volume);
            }
        }
    }

    fn container(&mut self, container: Value, mistakes: &mut Vec<String>) {
        if !container.is_object() {
            return refuse(mistakes, "spec.containers[]", "a container is an object");
        }
        if container["name"] != PROXY {
            return refuse(
                mistakes,
                "spec.containers[]",
                "only the container named proxy may be added to",
            );
        }
        for (key, value) in objects(container) {
            let path = format!("spec.containers[proxy].{key}");
            match key.as_str() {
                "name" => {}
                "env" => {
                    for item in items(&path, value, mistakes) {
                        self.variable(&path, item, mistakes);
                    }
                }
                "volumeMounts" => {
                    for item in items(&path, value, mistakes) {
                        self.mount(&path, item, mistakes);
                    }
                }
                _ => refuse(mistakes, &path, WIDENS),
            }
        }
    }

    fn variable(&mut self, path: &str, item: Value, mistakes: &mut Vec<String>) {
        let name = item["name"].as_str().unwrap_or_default().to_owned();
        let path = format!("{path}[{name}]");
        if item.get("valueFrom").is_some() {
            refuse(
                mistakes,
                &format!("{path}.valueFrom"),
                "only plain values are taken",
            );
        } else if let Err(why) = shape::variable(&item) {
            refuse(mistakes, &path, &why);
        } else if name.starts_with(toolsearch_settings::PREFIX) {
            refuse(
                mistakes,
                &path,
                "settings of the proxy have fields of their own",
            );
        } else if is_given(&self.environment, "name", &name) {
            refuse(mistakes, &path, "that name is given twice");
        } else {
            self.environment.push(item);
        }
    }

    fn mount(&mut self, path: &str, item: Value, mistakes: &mut Vec<String>) {
        let at = item["mountPath"].as_str().unwrap_or_default().to_owned();
        let path = format!("{path}[{at}]");
        let volume = item["name"].as_str().unwrap_or_default();
        if let Err(why) = shape::mount(&item) {
            refuse(mistakes, &path, &why);
        } else if OUR_VOLUMES.contains(&volume) {
            refuse(mistakes, &path, "that volume is the operator's");
        } else if OURS
            .iter()
            .any(|ours| covers(ours, &at) || covers(&at, ours))
        {
            refuse(
                mistakes,
                &path,
                "that folder is the program's, or holds one that is",
            );
        } else if is_given(&self.mounts, "mountPath", &at) {
            refuse(mistakes, &path, "that folder is given twice");
        } else {
            self.mounts.push(item);
        }
    }
}

/// Whether one folder is the other, or above it. Both are clean paths.
fn covers(above: &str, below: &str) -> bool {
    below
        .strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_given(items: &[Value], key: &str, value: &str) -> bool {
    items.iter().any(|item| item[key] == value)
}

fn objects(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn items(path: &str, value: Value, mistakes: &mut Vec<String>) -> Vec<Value> {
    let Value::Array(items) = value else {
        refuse(mistakes, path, "it is a list");
        return Vec::new();
    };
    items
}

fn refuse(mistakes: &mut Vec<String>, path: &str, why: &str) {
    mistakes.push(format!("spec.podTemplate.{path} is not taken: {why}"));
}
