//! How are pods kept and replaced? The new one first, and only once it serves does an old one go.

use k8s_openapi::api::apps::v1::RollingUpdateDeployment;
use serde_json::{Value, json};

use crate::desired::{Desired, DesiredModel, Replicas};
use crate::names::{self, CONTENT_HASH, TEMPLATE_HASH, selector};
use crate::resources::metadata::metadata;
use crate::resources::pod;

/// The Deployment as JSON: its pod spec holds what the user writes, which has no type here.
pub(super) fn deployment(desired: &Desired) -> Result<Value, serde_json::Error> {
    let mut labels = desired.pod_metadata.labels.clone();
    labels.extend(names::labels(&desired.name));
    let mut annotations = desired.pod_metadata.annotations.clone();
    annotations.extend(
        desired
            .content
            .clone()
            .map(|digest| (CONTENT_HASH.to_owned(), digest)),
    );
    let mut template = json!({ "metadata": { "labels": labels }, "spec": pod::spec(desired)? });
    if !annotations.is_empty() {
        template["metadata"]["annotations"] = json!(annotations);
    }
    let mut metadata = metadata(desired, &desired.name);
    let digest = crate::digest::short(template.to_string().as_bytes());
    metadata.annotations = Some([(TEMPLATE_HASH.to_owned(), digest.clone())].into());
    // On the pods too, so that they are told from those of a template before.
    template["metadata"]["annotations"][TEMPLATE_HASH] = digest.into();
    let rolling = RollingUpdateDeployment {
        max_surge: Some(desired.rollout.max_surge.clone()),
        max_unavailable: Some(desired.rollout.max_unavailable.clone()),
    };
    let mut spec = json!({
        "selector": { "matchLabels": selector(&desired.name) },
        "strategy": { "type": "RollingUpdate", "rollingUpdate": rolling },
        // A new pod has to survive its first traffic before an old one goes.
        "minReadySeconds": 5,
        "progressDeadlineSeconds": deadline(desired),
        "revisionHistoryLimit": 3,
        "template": template,
    });
    if let Replicas::Fixed(count) = desired.replicas {
        spec["replicas"] = count.into();
    }
    Ok(json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": spec,
    }))
}

/// Longer than a fetch may take, so that a slow mirror is not called a failed rollout.
fn deadline(desired: &Desired) -> u64 {
    let fetch = match &desired.model {
        DesiredModel::Fetched(fetched) => fetched.seconds,
        _ => 300,
    };
    fetch + 300
}
