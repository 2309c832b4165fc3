//! Amounts in Kubernetes' form.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use toolsearch_crds::v1alpha1::Resources;

pub(super) fn requirements(resources: &Resources) -> ResourceRequirements {
    ResourceRequirements {
        requests: amounts(&resources.requests),
        limits: amounts(&resources.limits),
        ..ResourceRequirements::default()
    }
}

fn amounts(texts: &BTreeMap<String, String>) -> Option<BTreeMap<String, Quantity>> {
    (!texts.is_empty()).then(|| {
        texts
            .iter()
            .map(|(name, text)| (name.clone(), Quantity(text.clone())))
            .collect()
    })
}

/// Whole mebibytes, rounded up.
pub(super) fn mebibytes(bytes: u64) -> Quantity {
    Quantity(format!("{}Mi", bytes.div_ceil(1 << 20)))
}
