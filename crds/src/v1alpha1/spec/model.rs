//! Where the model that finds tools by meaning comes from, and how it is fetched.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaBundle, KeyReference, OBJECT, Resources, duration};

/// Where the model that finds tools by meaning comes from: exactly one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("[has(self.builtin), has(self.none), has(self.huggingFace), has(self.http), has(self.persistentVolumeClaim), has(self.image)].filter(given, given).size() == 1")
        .message("exactly one source must be set: builtin, none, huggingFace, http, persistentVolumeClaim or image"),
    validation = Rule::new("!has(self.fetch) || has(self.huggingFace) || has(self.http)")
        .message("fetch is for huggingFace and http only: the other sources fetch nothing")
)]
pub struct Model {
    /// The small model inside the program; needs no download: `builtin: {}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Nothing>,
    /// No model, search goes by words alone: `none: {}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<Nothing>,
    /// A repository of a model hub, at a pinned commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hugging_face: Option<HuggingFace>,
    /// A folder on any HTTP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<Mirror>,
    /// A folder of a volume that holds the model already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persistent_volume_claim: Option<ModelVolume>,
    /// An OCI image whose root holds the model's files, mounted as a volume (Kubernetes 1.35 and
    /// later, containerd 2.1 and later).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ModelImage>,
    /// How the files of `huggingFace` or `http` are fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch: Option<Fetch>,
}

/// A choice that needs no further words: write `{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
pub struct Nothing {}

impl Default for Model {
    fn default() -> Self {
        Self {
            builtin: Some(Nothing {}),
            none: None,
            hugging_face: None,
            http: None,
            persistent_volume_claim: None,
            image: None,
            fetch: None,
        }
    }
}

/// A repository of a model hub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("!has(self.repository) || self.repository == 'minishlab/potion-multilingual-128M' || (has(self.revision) && has(self.files) && self.files.size() > 0)")
        .message("a repository other than the default one needs its revision and the digests of its files"),
    validation = Rule::new("!has(self.revision) || self.revision == '73908c3438cf03b6a01bcb9611d62b23d0726f08' || (has(self.files) && self.files.size() > 0)")
        .message("a revision other than the pinned one needs the digests of its files")
)]
pub struct HuggingFace {
    /// Owner and name. Left out: `minishlab/potion-multilingual-128M`, whose commit and digests
    /// are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 3, max = 200),
        regex(pattern = r"^[A-Za-z0-9_-][A-Za-z0-9._-]*/[A-Za-z0-9_-][A-Za-z0-9._-]*$")
    )]
    pub repository: Option<String>,
    /// The commit, 40 hexadecimal digits; never a branch, whose files may change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 40), regex(pattern = "^[0-9a-f]{40}$"))]
    pub revision: Option<String>,
    /// A mirror of the hub, such as `https://hub-mirror.example`. Left out: the hub itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(
        validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https'] && !self.matches('^[^/]*//[^/?#]*@')")
            .message("must be an http or https URL without a user name or password; a token goes into tokenSecretRef")
    )]
    pub endpoint: Option<String>,
    /// A key of a Secret that holds a token for the hub; only the fetching container sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_secret_ref: Option<KeyReference>,
    /// The files and their digests. Left out: those of the default repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["path".into()]))]
    pub files: Vec<ModelFile>,
}

/// A folder on any HTTP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mirror {
    /// The folder's URL; the paths of `files` are below it.
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(
        validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https'] && !self.matches('^[^/]*//[^/?#]*@')")
            .message("must be an http or https URL without a user name or password; a token goes into tokenSecretRef")
    )]
    pub base_url: String,
    /// A key of a Secret that holds a bearer token; only the fetching container sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_secret_ref: Option<KeyReference>,
    /// The files and their digests. Left out: those of the default model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["path".into()]))]
    pub files: Vec<ModelFile>,
}

/// One file of a model, pinned by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelFile {
    /// Its path below the model's folder, such as `model.safetensors`.
    #[schemars(
        length(min = 1, max = 255),
        regex(pattern = r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$")
    )]
    pub path: String,
    /// Its SHA-256 digest, 64 hexadecimal digits, as `sha256sum` prints it.
    #[schemars(length(max = 64), regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// Its size in bytes; the volume is made large enough for all of them.
    #[schemars(range(min = 0, max = 1_099_511_627_776_i64))]
    pub size: i64,
}

/// A folder of a volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelVolume {
    /// A claim in the same namespace; it is mounted read-only.
    #[schemars(length(min = 1, max = 253), regex(pattern = OBJECT))]
    pub claim_name: String,
    /// The model's folder in the volume, such as `models/multilingual`. Left out: its root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024), regex(pattern = r"^[^/]"))]
    #[x_kube(
        validation = Rule::new("!self.split('/').exists(part, part == '..')")
            .message("must not leave the volume: no part of the path may be ..")
    )]
    pub path: Option<String>,
}

/// An OCI image that holds the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelImage {
    /// The image by digest, such as `registry.example/models/multilingual@sha256:…`.
    #[schemars(length(min = 1, max = 512))]
    #[x_kube(
        validation = Rule::new("self.matches('^[^@]+@sha256:[0-9a-f]{64}$')")
            .message("must name the image by digest: registry.example/name@sha256:<64 hexadecimal digits>")
    )]
    pub reference: String,
    /// When to pull it. Left out: `IfNotPresent`, since a digest never changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_policy: Option<PullPolicy>,
    /// Secrets with credentials for the image's registry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), inner(length(min = 1, max = 253), regex(pattern = OBJECT)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub pull_secrets: Vec<String>,
}

/// When an image is pulled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PullPolicy {
    /// At each start of a pod.
    Always,
    /// When the node does not have it.
    IfNotPresent,
    /// Never: the node must have it.
    Never,
}

/// How files are fetched; what is left out is left to the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Fetch {
    /// PEM certificates of authorities that are trusted beside the system's, for a mirror with a
    /// private one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<CaBundle>,
    /// A proxy for the download, such as `http://egress.example:3128`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(
        validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https'] && !self.matches('^[^/]*//[^/?#]*@')")
            .message("must be an http or https URL without a user name or password: whoever may read the pod would read them")
    )]
    pub https_proxy: Option<String>,
    /// Hosts that are reached without that proxy, comma-separated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2048))]
    pub no_proxy: Option<String>,
    /// The time for all files together, such as `15m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("100ms", "24h"))]
    pub timeout: Option<String>,
    /// What the fetching container may use. Left out: 50m of a CPU and 64Mi, at most 256Mi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
}
