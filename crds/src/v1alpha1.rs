//! The kind itself, version `v1alpha1`: its names, its columns, and what a user may ask for.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

mod escape;
mod spec;
mod status;

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

pub use escape::PodTemplate;
pub use spec::{
    Autoscaling, Breaker, CaBundle, Catalog, Drain, Fetch, HuggingFace, KeyReference, Limits,
    LogFormat, Logging, Mirror, Model, ModelFile, ModelImage, ModelVolume, Monitoring, NetworkPeer,
    NetworkPolicy, Nothing, PodDisruptionBudget, PodMetadata, PullPolicy, Resources, Rollout,
    Scheduling, Search, Service, ServiceType, Timeouts, Toleration, ToolTimeout, Upstream,
    UpstreamProtocol,
};
pub use status::{
    Condition, ConditionStatus, ConditionType, ModelStatus, Reason, ToolSearchProxyStatus,
};

/// What the proxy stands in front of, how it searches and guards, and how its pods are run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "toolsearch.dev",
    version = "v1alpha1",
    kind = "ToolSearchProxy",
    plural = "toolsearchproxies",
    singular = "toolsearchproxy",
    shortname = "tsp",
    category = "mcp",
    namespaced,
    derive = "PartialEq",
    cel,
    status = "ToolSearchProxyStatus",
    doc = "A tool-search proxy for MCP in front of one upstream server.",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    selectable = ".spec.upstream.url",
    selectable = ".spec.model.huggingFace.revision",
    selectable = ".spec.image",
    validation = Rule::new("self.metadata.name.size() <= 52")
        .message("the name is longer than 52 characters: the objects made for it need room for a suffix"),
    validation = Rule::new("self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')")
        .message("the name must begin with a letter and hold only small letters, digits and hyphens, since the Service gets it too"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether clients are served."
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        description = "Why, or why not."
    ),
    printcolumn(
        name = "Replicas",
        type_ = "integer",
        json_path = ".status.readyReplicas",
        description = "Pods that serve."
    ),
    printcolumn(
        name = "Upstream",
        type_ = "string",
        json_path = ".spec.upstream.url",
        description = "The server behind the proxy.",
        priority = "1"
    ),
    printcolumn(
        name = "Model",
        type_ = "string",
        json_path = ".status.model.source",
        description = "Where the model comes from.",
        priority = "1"
    ),
    printcolumn(
        name = "Revision",
        type_ = "string",
        json_path = ".status.model.revision",
        description = "The revision of the model, where it has one.",
        priority = "1"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[x_kube(
    validation = Rule::new("!(has(self.replicas) && has(self.autoscaling))")
        .message("set replicas or autoscaling, not both: with autoscaling the number of pods is the autoscaler's")
)]
pub struct ToolSearchProxySpec {
    /// The MCP server behind the proxy.
    pub upstream: Upstream,
    /// Tools that are writes whatever the upstream says: exact names and globs, such as
    /// `*_delete_*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000), inner(length(min = 1, max = 256)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub write_tools: Vec<String>,
    /// Tools that are vouched for as read-only though the upstream does not mark them so: exact
    /// names and globs. A tool that `writeTools` matches too is a write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000), inner(length(min = 1, max = 256)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub read_tools: Vec<String>,
    /// Whether a tool that the upstream marks as read-only is one.
    #[serde(default = "yes")]
    pub trust_hints: bool,
    /// Which model finds tools by meaning: exactly one of the sources, such as `builtin: {}`.
    #[serde(default)]
    pub model: Model,
    /// What a search answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// How tool lists are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<Catalog>,
    /// What one pod takes on at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What the proxy writes to its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<Logging>,
    /// The URL clients know the proxy by, where it is not the upstream's own, such as
    /// `https://tools.example/mcp`: challenges then lead to the proxy's own metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(
        validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https'] && !self.matches('^[^/]*//[^/?#]*@')")
            .message("must be an http or https URL without a user name or password, such as https://tools.example/mcp")
    )]
    pub public_url: Option<String>,
    /// Browser origins that may call, such as `https://chat.example`, or `*` for any; others get
    /// 403.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 256)))]
    #[x_kube(
        merge_strategy = ListMerge::Set,
        validation = Rule::new("self.all(origin, origin.matches('^([*]|null|[A-Za-z][A-Za-z0-9+.-]*://[^/@*?# ]+/?)$'))")
            .message("each must be scheme and host as browsers send them, such as https://chat.example, or * for any")
    )]
    pub allowed_origins: Vec<String>,
    /// Host names accepted, such as `tools.example`. Left out: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 256)))]
    #[x_kube(
        merge_strategy = ListMerge::Set,
        validation = Rule::new("self.all(host, host.matches('^[^/@*?# ]+$'))")
            .message("each must be a host name without scheme and path, such as tools.example")
    )]
    pub allowed_hosts: Vec<String>,
    /// Pods to run. Left out, without `autoscaling`: 2. With 0 nothing runs. A scaler of yours
    /// that points at this resource, such as KEDA, needs a number here first: without one the
    /// scale subresource has nothing to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1000))]
    pub replicas: Option<i32>,
    /// As many pods as the load needs, instead of `replicas`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaling: Option<Autoscaling>,
    /// How pods are replaced when something changes.
    #[serde(default)]
    pub rollout: Rollout,
    /// How a pod leaves.
    #[serde(default)]
    pub drain: Drain,
    /// What keeps maintenance from taking too many pods at once.
    #[serde(default)]
    pub pod_disruption_budget: PodDisruptionBudget,
    /// What may connect to the pods and what they may connect to.
    #[serde(default)]
    pub network_policy: NetworkPolicy,
    /// The Service that clients connect to.
    #[serde(default)]
    pub service: Service,
    /// Objects for a Prometheus operator.
    #[serde(default)]
    pub monitoring: Monitoring,
    /// The proxy's container image, where it is not the operator's own choice, by digest where
    /// you can: `registry.example/toolsearch@sha256:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub image: Option<String>,
    /// When the image is pulled. Left out: as Kubernetes decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_policy: Option<PullPolicy>,
    /// Secrets with credentials for the image's registry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), inner(length(min = 1, max = 253)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub image_pull_secrets: Vec<String>,
    /// What the proxy's container may use. Left out: 250m of a CPU and memory for the model, and
    /// no limit of the CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// Where the pods run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<Scheduling>,
    /// Labels and annotations of the pods, beside our own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_metadata: Option<PodMetadata>,
    /// Leaves user and group ids to the platform, as OpenShift wants it. Left out: 65532.
    #[serde(default)]
    pub platform_assigns_user: bool,
    /// The one way to what has no field: parts of a pod template in Kubernetes' own words, merged
    /// into ours. Only what cannot give the pods more than you have is taken; all else is refused
    /// by name in the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_template: Option<PodTemplate>,
    /// While true the operator changes nothing and only reports.
    #[serde(default)]
    pub paused: bool,
}

const fn yes() -> bool {
    true
}
