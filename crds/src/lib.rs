//! The `ToolSearchProxy` resource as Rust types, and its definition as YAML.
//!
//! The doc comments of spec and status become the help that `kubectl explain` prints. Knows
//! nothing of the proxy's insides and does no I/O.

mod reference;
mod unknown;
pub mod v1alpha1;

use kube::CustomResourceExt as _;
use serde_json::Value;

pub use reference::{reasons, reference};
pub use unknown::unknown_fields;
pub use v1alpha1::ToolSearchProxy;

const HEAD: &str = "# Generated from the types in crds/src by `toolsearch-operator crds`; a test keeps it fresh.\n";

/// The resource's definition as JSON.
///
/// An explicit `null` is not a value here: without `nullable` the API server drops it as if the
/// field had been left out, so that no rule ever meets one.
///
/// # Errors
/// When the schema cannot be written as JSON, which the tests rule out.
pub fn definition() -> Result<Value, serde_json::Error> {
    let mut definition = serde_json::to_value(ToolSearchProxy::crd())?;
    drop_nullable(&mut definition);
    Ok(definition)
}

fn drop_nullable(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.get("nullable") == Some(&Value::Bool(true)) {
                members.remove("nullable");
            }
            members.values_mut().for_each(drop_nullable);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nullable),
        _ => {}
    }
}

/// Drops every member that is null: to the API server it is a field that was left out.
pub fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, inner| !inner.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// The resource's definition, ready for `kubectl apply`.
///
/// # Errors
/// When the schema cannot be written as YAML, which the tests rule out.
pub fn crd_yaml() -> Result<String, serde_yaml::Error> {
    let definition = definition().map_err(<serde_yaml::Error as serde::ser::Error>::custom)?;
    Ok(format!("{HEAD}{}", serde_yaml::to_string(&definition)?))
}

#[cfg(test)]
mod tests;
