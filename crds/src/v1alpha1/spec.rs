//! The parts of what a user may ask for. Each source of a model is a field of its own, of which
//! exactly one is set, so that later ones are added without breaking anything.

#![expect(
    unreachable_pub,
    reason = "the schema derive repeats each type inside a function of its own"
)]

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// The MCP server behind the proxy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Upstream {
    /// Its streamable HTTP endpoint. Each caller's own credential is forwarded to it, so it holds
    /// no user name or password.
    #[schemars(length(min = 1, max = 2048))]
    #[x_kube(
        validation = Rule::new("isURL(self) && url(self).getScheme() in ['http', 'https']")
            .message("must be an http or https URL, such as https://gateway.example/mcp"),
        validation = Rule::new("!self.matches('^[^/]*//[^/?#]*@')")
            .message("must not hold a user name or password: each caller brings its own credential")
    )]
    pub url: String,
}

/// Where the model that finds tools by meaning comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("[has(self.builtin), has(self.none)].filter(given, given).size() == 1")
        .message("exactly one source must be set: builtin or none")
)]
pub struct Model {
    /// The small model inside the program; needs no download.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Nothing>,
    /// No model: search goes by words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<Nothing>,
}

/// A choice that needs no further words: write `{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
pub struct Nothing {}

impl Default for Model {
    fn default() -> Self {
        Self {
            builtin: Some(Nothing {}),
            none: None,
        }
    }
}
