//! The server behind the proxy: where it is, how it is spoken to, whom its certificate is from.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OBJECT, duration};

/// The MCP server behind the proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Upstream {
    /// Its streamable HTTP endpoint, such as `https://gateway.example/mcp`. Each caller's own
    /// credential is forwarded to it, so it holds no user name or password.
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(
        validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https']")
            .message("must be an http or https URL, such as https://gateway.example/mcp"),
        validation = Rule::new("!self.matches('^[^/]*//[^/?#]*@')")
            .message("must not hold a user name or password: each caller brings its own credential")
    )]
    pub url: String,
    /// Which era of MCP to speak: `modern` (2026-07-28), `legacy` (the revisions with a
    /// handshake), or `auto`, which finds out. Left out: `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<UpstreamProtocol>,
    /// PEM certificates of authorities that are trusted beside the system's, for an upstream
    /// with a private one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<CaBundle>,
    /// How long to wait for the upstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<Timeouts>,
    /// When an upstream that does not answer is no longer sent requests for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker: Option<Breaker>,
}

/// Which era of MCP to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UpstreamProtocol {
    /// Find out by asking.
    Auto,
    /// The stateless revision, 2026-07-28.
    Modern,
    /// The revisions with a handshake.
    Legacy,
}

/// Where PEM certificates are: one key of a `ConfigMap` or of a Secret in the same namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("has(self.configMap) != has(self.secret)")
        .message("exactly one of configMap and secret must be set")
)]
pub struct CaBundle {
    /// A key of a `ConfigMap`, such as `{name: company-ca, key: ca.crt}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<KeyReference>,
    /// A key of a Secret, such as `{name: company-ca, key: ca.crt}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<KeyReference>,
}

/// One key of another object in the same namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyReference {
    /// The object's name.
    #[schemars(length(min = 1, max = 253), regex(pattern = OBJECT))]
    pub name: String,
    /// The key in it.
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[-._a-zA-Z0-9]+$"))]
    pub key: String,
}

/// How long to wait for the upstream; what is left out is left to the proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Timeouts {
    /// For TCP and TLS, such as `5s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("100ms", "1h"))]
    pub connect: Option<String>,
    /// From the end of a request to the first byte of its answer, such as `60s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("100ms", "24h"))]
    pub first_byte: Option<String>,
    /// The longest silence within an answer, such as `60s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("100ms", "24h"))]
    pub idle: Option<String>,
    /// One request, whatever happens, such as `5m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("100ms", "24h"))]
    pub total: Option<String>,
    /// How long calls of single tools may take instead of `total`; the first that matches counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub tools: Vec<ToolTimeout>,
}

/// How long a call of some tools may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolTimeout {
    /// An exact name or a glob, such as `export_*`.
    #[schemars(length(min = 1, max = 256))]
    pub tool: String,
    /// One call, whatever happens, such as `10m`; a silence within it is no failure.
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("100ms", "24h"))]
    pub timeout: String,
}

/// When requests are refused at once because the upstream does not answer; what is left out is
/// left to the proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Breaker {
    /// Connections in a row that fail, or handshakes without an answer, such as `5`; with `0`
    /// requests are always sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 10_000))]
    pub failures: Option<i32>,
    /// How long requests are refused before one asks whether the upstream answers, such as `1s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(validation = duration("100ms", "1h"))]
    pub pause: Option<String>,
}
