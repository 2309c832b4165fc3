//! The one documented way to what has no field: a part of a pod template, kept as it was written.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// Parts of a pod template, in Kubernetes' own words. The operator checks it against a list of
/// what it takes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodTemplate(pub serde_json::Map<String, serde_json::Value>);

impl JsonSchema for PodTemplate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PodTemplate".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": true
        })
    }
}
