//! What would be applied? The objects of a resource read from a file, for review and for those
//! who keep their cluster in a repository; no cluster is needed.

mod check;
mod yaml;

use serde_json::Value;
use toolsearch_crds::ToolSearchProxy;

use crate::desired::{Desired, Mistakes};
use crate::options::Defaults;
use crate::references::Found;
use crate::resources::{build, sidecar, sidecar_notes};

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

/// Renders every resource of a file that may hold several documents, and lists of resources.
///
/// # Errors
/// See [`Error`].
pub fn render(text: &str, defaults: &Defaults, form: Form) -> Result<String, Error> {
    let mut resources = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let value = <Value as serde::Deserialize>::deserialize(document)?;
        unwrap(value, &mut resources);
    }
    let mut printed = String::new();
    for mut resource in resources {
        // As the API server does before it looks at anything else.
        toolsearch_crds::drop_nulls(&mut resource);
        if form == Form::Sidecar && !printed.is_empty() {
            printed.push_str("---\n");
        }
        printed.push_str(&one(&resource, defaults, form)?);
    }
    if printed.is_empty() {
        Err(Error::Nothing)
    } else {
        Ok(printed)
    }
}

/// The resources of a document: itself, or the items of a list.
fn unwrap(mut value: Value, resources: &mut Vec<Value>) {
    match value["kind"].as_str() {
        Some("ToolSearchProxy") => resources.push(value),
        Some("List" | "ToolSearchProxyList") => {
            if let Value::Array(items) = value["items"].take() {
                for item in items {
                    unwrap(item, resources);
                }
            }
        }
        _ => {}
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
    let mistakes = check::mistakes(value)?;
    if !mistakes.is_empty() {
        return Err(wrong(mistakes));
    }
    let resource: ToolSearchProxy =
        serde_json::from_value(value.clone()).map_err(|error| wrong(vec![error.to_string()]))?;
    let refused = resource.validate_cel().err().into_iter().flatten();
    let mut mistakes: Vec<String> = refused.map(|error| error.to_string()).collect();
    let desired = match Desired::new(&resource, defaults, &Found::default()) {
        Ok(desired) if mistakes.is_empty() => desired,
        Ok(_) => return Err(wrong(mistakes)),
        Err(Mistakes(more)) => {
            // Of one value the rule is enough; of a list each item may be wrong in its own way.
            let is_said = |field: &str| {
                let is_list = value
                    .pointer(&format!("/{}", field.replace('.', "/")))
                    .is_some_and(Value::is_array);
                let rule = format!("{field}: ");
                !is_list && mistakes.iter().any(|said| said.starts_with(&rule))
            };
            let more: Vec<_> = more
                .into_iter()
                .filter(|mistake| !mistake.split(' ').next().is_some_and(is_said))
                .collect();
            mistakes.extend(more);
            return Err(wrong(mistakes));
        }
    };
    if form == Form::Sidecar {
        return Ok(format!(
            "{}{}",
            sidecar_notes(&desired),
            yaml::document(&sidecar(&desired)?)
        ));
    }
    let mut printed = String::new();
    for object in build(&desired)? {
        let mut body = object.body;
        if let Some(metadata) = body["metadata"].as_object_mut() {
            // The owner is known only in a cluster.
            metadata.remove("ownerReferences");
            // Where no namespace is given, whoever applies the objects chooses it.
            if desired.namespace.is_empty() {
                metadata.remove("namespace");
            }
        }
        printed.push_str("---\n");
        printed.push_str(&yaml::document(&body));
    }
    Ok(printed)
}

#[cfg(test)]
mod tests;
