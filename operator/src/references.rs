//! What does a spec refer to? Secrets, `ConfigMap`s and claims, as names first, as found later.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
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

impl Reference {
    /// How the whole object is missed, where not even that is there.
    #[must_use]
    pub fn object(&self) -> String {
        match self {
            Self::ConfigMap(at) => format!("ConfigMap {} with a key {}", at.name, at.key),
            Self::Secret(at) => format!("Secret {} with a key {}", at.name, at.key),
            Self::Claim(name) => format!("PersistentVolumeClaim {name}"),
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
    /// The authorities of the upstream's certificate, as PEM and nothing else.
    pub authorities: Option<String>,
    /// What is not there.
    pub missing: Vec<String>,
}

/// Every reference of a spec. What is marked true are the authorities of the upstream, which the
/// pods get a copy of: the program reads them once, at its start, so a change rolls the pods. All
/// else is read by the next fetch anyway.
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

/// The certificates of a text, written anew: nothing else of it (a key, a comment) is copied. None
/// where there is none, or one that cannot be read.
#[must_use]
pub fn certificates(text: &[u8]) -> Option<String> {
    let mut written = String::new();
    for certificate in CertificateDer::pem_slice_iter(text) {
        let body = STANDARD.encode(certificate.ok()?);
        written.push_str("-----BEGIN CERTIFICATE-----\n");
        for (at, letter) in body.chars().enumerate() {
            if at > 0 && at % 64 == 0 {
                written.push('\n');
            }
            written.push(letter);
        }
        written.push_str("\n-----END CERTIFICATE-----\n");
    }
    (!written.is_empty()).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::certificates;

    #[test]
    fn r18_only_certificates_are_copied_and_all_of_them() {
        let one = |body: &str| {
            format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n")
        };
        let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
        let long = "QUJD".repeat(40);
        let folded = format!("{}\n{}\n{}", &long[..64], &long[64..128], &long[128..]);
        let text = format!("# canary\r\n{}{key}{}tail", one("aGVsbG8="), one(&long));
        let copied = certificates(text.as_bytes()).unwrap();
        assert_eq!(copied, [one("aGVsbG8="), one(&folded)].concat());
        for none in ["", key, "no PEM", &one("\u{1}")] {
            assert_eq!(certificates(none.as_bytes()), None, "{none:?}");
        }
    }
}
