//! Which model, and what does it need? Space, memory, arguments of the program that fetches it.

use toolsearch_crds::v1alpha1::{KeyReference, Model, ModelFile, PullPolicy, Resources};
use toolsearch_settings::{parse_duration, pinned};

use crate::names::{MODEL_CA, MODEL_DIR, MODEL_TOKEN, MODEL_VOLUME};
use crate::references::Reference;

const MIB: u64 = 1 << 20;

/// Where the model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DesiredModel {
    /// The program's own.
    Builtin,
    /// None.
    None,
    /// Downloaded at the start of each pod.
    Fetched(Box<Fetched>),
    /// A folder of a claim.
    Volume {
        /// The claim.
        claim: String,
        /// The folder in it.
        path: Option<String>,
    },
    /// An image, mounted.
    Image {
        /// By digest.
        reference: String,
        /// When it is pulled.
        pull_policy: String,
        /// Secrets with credentials.
        pull_secrets: Vec<String>,
    },
}

/// A download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// `huggingFace` or `http`, as in the spec.
    pub source: &'static str,
    /// The commit, where there is one.
    pub revision: Option<String>,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Variables of its environment.
    pub environment: Vec<(&'static str, String)>,
    /// The token's Secret.
    pub token: Option<KeyReference>,
    /// The authorities of the server's certificate.
    pub ca: Option<Reference>,
    /// Bytes of all files.
    pub bytes: u64,
    /// Seconds it may take.
    pub seconds: u64,
    /// What its container may use.
    pub resources: Resources,
}

impl DesiredModel {
    pub(super) fn new(model: &Model, mistakes: &mut Vec<String>) -> Self {
        if let Some(volume) = &model.persistent_volume_claim {
            return Self::Volume {
                claim: volume.claim_name.clone(),
                path: volume.path.clone(),
            };
        }
        if let Some(image) = &model.image {
            let policy = image.pull_policy.unwrap_or(PullPolicy::IfNotPresent);
            return Self::Image {
                reference: image.reference.clone(),
                pull_policy: format!("{policy:?}"),
                pull_secrets: image.pull_secrets.clone(),
            };
        }
        if model.hugging_face.is_some() || model.http.is_some() {
            return Self::Fetched(Box::new(fetched(model, mistakes)));
        }
        if model.none.is_some() {
            Self::None
        } else {
            Self::Builtin
        }
    }

    /// The setting of the proxy.
    pub(super) const fn embedder(&self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::None => "none",
            Self::Fetched(_) | Self::Volume { .. } | Self::Image { .. } => "dir",
        }
    }

    /// The folder that the proxy reads.
    pub(super) fn folder(&self) -> Option<String> {
        match self {
            Self::Builtin | Self::None => None,
            Self::Fetched(_) => Some(MODEL_DIR.to_owned()),
            Self::Volume { .. } | Self::Image { .. } => Some(MODEL_VOLUME.1.to_owned()),
        }
    }

    /// What the proxy's container asks for where the user does not say: its own needs, and the
    /// pages of the model, which count as its memory.
    pub(super) fn resources(&self) -> Resources {
        let model = match self {
            Self::Builtin | Self::None => 0,
            Self::Fetched(fetched) => fetched.bytes.div_ceil(MIB),
            Self::Volume { .. } | Self::Image { .. } => pinned::bytes().div_ceil(MIB),
        };
        Resources {
            requests: [
                ("cpu".to_owned(), "250m".to_owned()),
                ("memory".to_owned(), format!("{}Mi", 256 + model)),
            ]
            .into(),
            limits: [(
                "memory".to_owned(),
                format!("{}Mi", 768 + model + model / 4),
            )]
            .into(),
        }
    }

    /// The word of the status.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::None => "none",
            Self::Fetched(fetched) => fetched.source,
            Self::Volume { .. } => "persistentVolumeClaim",
            Self::Image { .. } => "image",
        }
    }

    /// The commit, or the image's digest.
    #[must_use]
    pub fn revision(&self) -> Option<String> {
        match self {
            Self::Builtin | Self::None | Self::Volume { .. } => None,
            Self::Fetched(fetched) => fetched.revision.clone(),
            Self::Image { reference, .. } => reference
                .split_once('@')
                .map(|(_, digest)| digest.to_owned()),
        }
    }
}

fn fetched(model: &Model, mistakes: &mut Vec<String>) -> Fetched {
    let fetch = model.fetch.clone().unwrap_or_default();
    let mut arguments = vec![
        "fetch-model".to_owned(),
        "--to".to_owned(),
        MODEL_DIR.to_owned(),
    ];
    let mut give = |flag: &str, value: &str| {
        arguments.extend([format!("--{flag}"), value.to_owned()]);
    };
    let hub = model.hugging_face.clone().unwrap_or_default();
    let (source, revision, files, token, server) = match &model.http {
        Some(mirror) => {
            give("base-url", &mirror.base_url);
            (
                "http",
                None,
                &mirror.files,
                mirror.token_secret_ref.clone(),
                Some(&mirror.base_url),
            )
        }
        None => {
            let revision = hub
                .revision
                .clone()
                .unwrap_or_else(|| pinned::REVISION.to_owned());
            if let Some(repository) = &hub.repository {
                give("repository", repository);
            }
            give("revision", &revision);
            if let Some(endpoint) = &hub.endpoint {
                give("endpoint", endpoint);
            }
            (
                "huggingFace",
                Some(revision),
                &hub.files,
                hub.token_secret_ref.clone(),
                hub.endpoint.as_ref(),
            )
        }
    };
    for file in files {
        give(
            "file",
            &format!("{}=sha256:{}:{}", file.path, file.sha256, file.size),
        );
    }
    let needed = ["config.json", "tokenizer.json", "model.safetensors"];
    for path in needed
        .iter()
        .filter(|path| !files.is_empty() && files.iter().all(|file| file.path != **path))
    {
        mistakes.push(format!(
            "spec.model.{source}.files lacks {path}, without which no model can be loaded"
        ));
    }
    if token.is_some() {
        give("token-file", &format!("{}/token", MODEL_TOKEN.1));
        if server.is_some_and(|url| url.starts_with("http://")) {
            mistakes.push(
                "a token is never sent over plain http: use https for the model's server, or leave out tokenSecretRef"
                    .to_owned(),
            );
        }
    }
    if fetch.ca_bundle.is_some() {
        give("ca", &format!("{}/ca.pem", MODEL_CA.1));
    }
    if let Some(timeout) = &fetch.timeout {
        give("total-timeout", timeout);
    }
    give("report", "/dev/termination-log");
    let seconds = fetch.timeout.as_deref().map_or(Some(900), |text| {
        parse_duration(text).map(|duration| duration.as_secs())
    });
    let seconds = seconds.unwrap_or_else(|| {
        mistakes.push(
            "spec.model.fetch.timeout cannot be read: write a duration such as 15m".to_owned(),
        );
        900
    });
    Fetched {
        source,
        revision,
        environment: variables(&fetch),
        token,
        ca: fetch.ca_bundle.as_ref().map(Reference::from),
        bytes: size(files),
        seconds,
        resources: fetch.resources.unwrap_or_else(default_resources),
        arguments,
    }
}

fn variables(fetch: &toolsearch_crds::v1alpha1::Fetch) -> Vec<(&'static str, String)> {
    let proxy = fetch.https_proxy.clone();
    [
        ("HTTPS_PROXY", proxy.clone()),
        ("HTTP_PROXY", proxy),
        ("NO_PROXY", fetch.no_proxy.clone()),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

fn size(files: &[ModelFile]) -> u64 {
    if files.is_empty() {
        return pinned::bytes();
    }
    files
        .iter()
        .map(|file| u64::try_from(file.size).unwrap_or_default())
        .sum()
}

fn default_resources() -> Resources {
    let texts = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    };
    Resources {
        requests: texts(&[("cpu", "50m"), ("memory", "64Mi")]),
        limits: texts(&[("memory", "256Mi")]),
    }
}

impl Fetched {
    /// The volume's limit: the files, what is staged beside them, and some room.
    #[must_use]
    pub const fn volume(&self) -> u64 {
        self.bytes + self.bytes / 4 + 64 * MIB
    }
}
