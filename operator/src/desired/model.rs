//! Which model, and what does it need? Space, memory, arguments of the program that fetches it.

use toolsearch_crds::v1alpha1::{KeyReference, Model, ModelFile, PullPolicy, Resources};
use toolsearch_settings::{parse_duration, pinned};

use crate::names::{MODEL_CA, MODEL_DIR, MODEL_TOKEN, MODEL_VOLUME};
use crate::references::Reference;

const MIB: u64 = 1 << 20;
/// The longest that a fetch may be given, in seconds.
const LONGEST: u64 = 24 * 60 * 60;

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

/// The server of the files, whichever form it is given in.
struct Server {
    source: &'static str,
    revision: Option<String>,
    files: Vec<ModelFile>,
    token: Option<KeyReference>,
    /// Where it is, when it is not the hub itself.
    url: Option<String>,
    /// Flags that name it, with their values.
    flags: Vec<(&'static str, String)>,
}

fn server(model: &Model) -> Server {
    if let Some(mirror) = model.http.clone() {
        return Server {
            source: "http",
            revision: None,
            files: mirror.files,
            token: mirror.token_secret_ref,
            flags: vec![("base-url", mirror.base_url.clone())],
            url: Some(mirror.base_url),
        };
    }
    let hub = model.hugging_face.clone().unwrap_or_default();
    let revision = hub.revision.unwrap_or_else(|| pinned::REVISION.to_owned());
    let mut flags = vec![("revision", revision.clone())];
    flags.extend(hub.repository.map(|name| ("repository", name)));
    flags.extend(hub.endpoint.clone().map(|url| ("endpoint", url)));
    Server {
        source: "huggingFace",
        revision: Some(revision),
        files: hub.files,
        token: hub.token_secret_ref,
        url: hub.endpoint,
        flags,
    }
}

fn fetched(model: &Model, mistakes: &mut Vec<String>) -> Fetched {
    let fetch = model.fetch.clone().unwrap_or_default();
    let server = server(model);
    check(&server, mistakes);
    let mut flags = server.flags;
    flags.extend(server.files.iter().map(|file| {
        let pinned = format!("{}=sha256:{}:{}", file.path, file.sha256, file.size);
        ("file", pinned)
    }));
    if server.token.is_some() {
        flags.push(("token-file", format!("{}/token", MODEL_TOKEN.1)));
    }
    if fetch.ca_bundle.is_some() {
        flags.push(("ca", format!("{}/ca.pem", MODEL_CA.1)));
    }
    flags.extend(
        fetch
            .timeout
            .clone()
            .map(|timeout| ("total-timeout", timeout)),
    );
    flags.push(("report", "/dev/termination-log".to_owned()));
    let mut arguments: Vec<String> = ["fetch-model", "--to", MODEL_DIR].map(str::to_owned).into();
    arguments.extend(
        flags
            .into_iter()
            .flat_map(|(flag, value)| [format!("--{flag}"), value]),
    );
    let seconds = fetch.timeout.as_deref().map_or(Some(900), |text| {
        parse_duration(text).map(|duration| duration.as_secs())
    });
    // The Deployment's own deadline is made of it, and holds 32 bits.
    if seconds.is_some_and(|seconds| seconds > LONGEST) {
        mistakes.push(
            "spec.model.fetch.timeout is longer than 24 h: write a shorter one, such as 15m"
                .to_owned(),
        );
    }
    let seconds = seconds.unwrap_or_else(|| {
        mistakes.push(
            "spec.model.fetch.timeout cannot be read: write a duration such as 15m".to_owned(),
        );
        900
    });
    Fetched {
        source: server.source,
        revision: server.revision,
        environment: variables(&fetch),
        token: server.token,
        ca: fetch.ca_bundle.as_ref().map(Reference::from),
        bytes: size(&server.files),
        seconds,
        resources: fetch.resources.unwrap_or_else(default_resources),
        arguments,
    }
}

/// What the schema cannot refuse.
fn check(server: &Server, mistakes: &mut Vec<String>) {
    let (source, files) = (server.source, &server.files);
    for path in ["config.json", "tokenizer.json", "model.safetensors"] {
        if !files.is_empty() && files.iter().all(|file| file.path != path) {
            mistakes.push(format!(
                "spec.model.{source}.files lacks {path}, without which no model can be loaded"
            ));
        }
    }
    let plain = server
        .url
        .as_ref()
        .is_some_and(|url| url.starts_with("http://"));
    if server.token.is_some() && plain {
        mistakes.push(
            "a token is never sent over plain http: use https for the model's server, or leave out tokenSecretRef"
                .to_owned(),
        );
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
