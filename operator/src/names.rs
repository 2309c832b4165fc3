//! What are our things called? Constants, and the labels that follow from a resource's name.

use std::collections::BTreeMap;

/// Owns the fields of the objects that are made.
pub const FIELD_MANAGER: &str = "toolsearch-operator";
/// Owns the number of pods for the moment in which an autoscaler takes it over.
pub const REPLICAS_MANAGER: &str = "toolsearch-operator-replicas";
/// Owns the status.
pub const STATUS_MANAGER: &str = "toolsearch-operator-status";

/// Marks objects of ours.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// Names the resource that an object is of.
pub const INSTANCE: &str = "app.kubernetes.io/instance";
const NAME: &str = "app.kubernetes.io/name";
const COMPONENT: &str = "app.kubernetes.io/component";
const PART_OF: &str = "app.kubernetes.io/part-of";

/// The digest of what a Deployment's template was built to be, on the Deployment and its pods.
pub const TEMPLATE_HASH: &str = "toolsearch.dev/template-hash";
/// The digest of the contents that the pods read from other objects, on the pods.
pub const CONTENT_HASH: &str = "toolsearch.dev/content-hash";

/// The container that serves.
pub const PROXY: &str = "proxy";
/// The container that fetches the model.
pub const FETCH: &str = "fetch-model";

/// The name and number of the port for MCP clients.
pub const MCP_PORT: (&str, i32) = ("mcp", 8080);
/// The name and number of the port for probes and metrics.
pub const DIAGNOSTICS_PORT: (&str, i32) = ("diagnostics", 9090);

/// The volume of the model and where it is mounted; its folder is below.
pub const MODEL_VOLUME: (&str, &str) = ("model", "/var/lib/toolsearch");
/// The folder of the model where it is fetched.
pub const MODEL_DIR: &str = "/var/lib/toolsearch/model";
/// The volume and folder of the authorities that the upstream's certificate may be from.
pub const UPSTREAM_CA: (&str, &str) = ("upstream-ca", "/etc/toolsearch/upstream-ca");
/// The volume and folder of those for the model's server.
pub const MODEL_CA: (&str, &str) = ("model-ca", "/etc/toolsearch/model-ca");
/// The volume and folder of the token for the model's server.
pub const MODEL_TOKEN: (&str, &str) = ("model-token", "/etc/toolsearch/model-token");

/// The key of the copy of those authorities.
pub const AUTHORITIES_KEY: &str = "ca.pem";

/// What holds the copy of authorities with this digest.
#[must_use]
pub fn authorities(instance: &str, digest: &str) -> String {
    format!("{instance}-ca-{digest}")
}

/// By which pods are selected; never changes, since a Deployment's selector cannot.
#[must_use]
pub fn selector(instance: &str) -> BTreeMap<String, String> {
    [(NAME, "toolsearch-proxy"), (INSTANCE, instance)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

/// On every object of ours.
#[must_use]
pub fn labels(instance: &str) -> BTreeMap<String, String> {
    let mut labels = selector(instance);
    labels.extend(
        [
            (MANAGED_BY, FIELD_MANAGER),
            (COMPONENT, PROXY),
            (PART_OF, "toolsearch"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned())),
    );
    labels
}

/// The selector as a query.
#[must_use]
pub fn selector_text(instance: &str) -> String {
    let pairs: Vec<_> = selector(instance)
        .into_iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}
