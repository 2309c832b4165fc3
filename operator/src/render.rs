//! What would be applied? The objects of a resource read from a file, for review and for those
//! who keep their cluster in a repository; no cluster is needed.

use kube::ResourceExt as _;
use serde_json::Value;
use toolsearch_crds::{ToolSearchProxy, unknown_fields};

use crate::desired::{Desired, Mistakes};
use crate::options::Defaults;
use crate::references::Found;
use crate::resources::{build, sidecar};

/// A file cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no YAML or JSON.
    #[error("the file cannot be read as YAML")]
    Yaml(#[from] serde_yaml::Error),
    /// It holds nothing of ours.
    #[error("the file holds no ToolSearchProxy")]
    Nothing,
    /// The resource is wrong; every mistake, a line each.
    #[error("{name} is wrong:{}", .mistakes.iter().map(|mistake| format!("\n  - {mistake}")).collect::<String>())]
    Wrong {
        /// Which resource.
        name: String,
        /// What.
        mistakes: Vec<String>,
    },
    /// An object cannot be written as JSON.
    #[error("an object cannot be written")]
    Json(#[from] serde_json::Error),
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Every object.
    Objects,
    /// The parts of a pod's spec that run the proxy beside a gateway.
    Sidecar,
}

/// Renders every resource of a file that may hold several documents.
///
/// # Errors
/// See [`Error`].
pub fn render(text: &str, defaults: &Defaults, form: Form) -> Result<String, Error> {
    let mut printed = String::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let value = <Value as serde::Deserialize>::deserialize(document)?;
        if value["kind"] == "ToolSearchProxy" {
            printed.push_str(&one(&value, defaults, form)?);
        }
    }
    if printed.is_empty() {
        Err(Error::Nothing)
    } else {
        Ok(printed)
    }
}

fn one(value: &Value, defaults: &Defaults, form: Form) -> Result<String, Error> {
    let name = value["metadata"]["name"]
        .as_str()
        .unwrap_or("the resource")
        .to_owned();
    let wrong = |mistakes: Vec<String>| Error::Wrong {
        name: name.clone(),
        mistakes,
    };
    let unknown = unknown_fields(value)?;
    if !unknown.is_empty() {
        let unknown = unknown
            .into_iter()
            .map(|path| format!("{path} is no field"));
        return Err(wrong(unknown.collect()));
    }
    let mut resource: ToolSearchProxy =
        serde_json::from_value(value.clone()).map_err(|error| wrong(vec![error.to_string()]))?;
    let namespace = resource.namespace().unwrap_or_else(|| "default".to_owned());
    resource.metadata.namespace = Some(namespace);
    if let Err(errors) = resource.validate_cel() {
        return Err(wrong(errors.iter().map(ToString::to_string).collect()));
    }
    let desired = Desired::new(&resource, defaults, &Found::default())
        .map_err(|Mistakes(mistakes)| wrong(mistakes))?;
    if form == Form::Sidecar {
        return yaml(&sidecar(&desired)?);
    }
    let mut printed = String::new();
    for object in build(&desired)? {
        let mut body = object.body;
        // The owner is known only in a cluster.
        if let Some(metadata) = body["metadata"].as_object_mut() {
            metadata.remove("ownerReferences");
        }
        printed.push_str("---\n");
        printed.push_str(&yaml(&body)?);
    }
    Ok(printed)
}

/// YAML that `kubectl` reads as it was meant: it still takes the words of YAML 1.1 for booleans.
fn yaml(value: &Value) -> Result<String, Error> {
    let mut quoted = String::new();
    for line in serde_yaml::to_string(value)?.lines() {
        let bare = line.rsplit_once([' ']).filter(|(_, word)| {
            ["on", "off", "yes", "no", "y", "n"].contains(&word.to_lowercase().as_str())
        });
        match bare {
            Some((head, word)) if head.ends_with([':', '-']) => {
                quoted.push_str(head);
                quoted.push_str(" \"");
                quoted.push_str(word);
                quoted.push('"');
            }
            _ => quoted.push_str(line),
        }
        quoted.push('\n');
    }
    Ok(quoted)
}

#[cfg(test)]
mod tests;
