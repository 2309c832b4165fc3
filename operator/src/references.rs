//! What does a spec refer to? Secrets, `ConfigMap`s and claims, as names first, as found later.

use std::collections::{BTreeMap, BTreeSet};

use toolsearch_crds::v1alpha1::{CaBundle, KeyReference, ToolSearchProxySpec};

/// One thing that must exist in the resource's namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// A key of a `ConfigMap`.
    ConfigMap(KeyReference),
    /// A key of a Secret.
    Secret(KeyReference),
    /// A claim.
    Claim(String),
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ConfigMap(at) => write!(f, "key {} of ConfigMap {}", at.key, at.name),
            Self::Secret(at) => write!(f, "key {} of Secret {}", at.key, at.name),
            Self::Claim(name) => write!(f, "PersistentVolumeClaim {name}"),
        }
    }
}

impl From<&CaBundle> for Reference {
    fn from(bundle: &CaBundle) -> Self {
        match (&bundle.config_map, &bundle.secret) {
            (Some(at), _) => Self::ConfigMap(at.clone()),
            (None, Some(at)) => Self::Secret(at.clone()),
            // The schema refuses neither; an empty name is then reported as missing.
            (None, None) => Self::ConfigMap(KeyReference {
                name: String::new(),
                key: String::new(),
            }),
        }
    }
}

/// What was found of the references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// A digest of the content, for those whose change must reach the pods.
    pub digests: BTreeMap<Reference, String>,
    /// What is not there.
    pub missing: Vec<String>,
}

/// Every reference of a spec. Those marked true roll the pods when their content changes: the
/// program reads them once, at its start. A token is read by the next fetch anyway.
#[must_use]
pub fn needed(spec: &ToolSearchProxySpec) -> BTreeSet<(Reference, bool)> {
    let mut needed = BTreeSet::new();
    if let Some(bundle) = &spec.upstream.ca_bundle {
        needed.insert((bundle.into(), true));
    }
    let model = &spec.model;
    if let Some(bundle) = model
        .fetch
        .as_ref()
        .and_then(|fetch| fetch.ca_bundle.as_ref())
    {
        needed.insert((bundle.into(), false));
    }
    let tokens = [
        model
            .hugging_face
            .as_ref()
            .and_then(|hub| hub.token_secret_ref.as_ref()),
        model
            .http
            .as_ref()
            .and_then(|mirror| mirror.token_secret_ref.as_ref()),
    ];
    for token in tokens.into_iter().flatten() {
        needed.insert((Reference::Secret(token.clone()), false));
    }
    if let Some(volume) = &model.persistent_volume_claim {
        needed.insert((Reference::Claim(volume.claim_name.clone()), false));
    }
    needed
}
