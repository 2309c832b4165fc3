//! The `ToolSearchProxy` resource as Rust types, and its definition as YAML.
//!
//! The doc comments of spec and status become the help that `kubectl explain` prints. Knows
//! nothing of the proxy's insides and does no I/O.

pub mod v1alpha1;

use kube::CustomResourceExt as _;

pub use v1alpha1::ToolSearchProxy;

const HEAD: &str = "# Generated from the types in crds/src by `toolsearch-operator crds`; a test keeps it fresh.\n";

/// The resource's definition, ready for `kubectl apply`.
///
/// # Errors
/// When the schema cannot be written as YAML, which the tests rule out.
pub fn crd_yaml() -> Result<String, serde_yaml::Error> {
    Ok(format!(
        "{HEAD}{}",
        serde_yaml::to_string(&ToolSearchProxy::crd())?
    ))
}

#[cfg(test)]
mod tests;
