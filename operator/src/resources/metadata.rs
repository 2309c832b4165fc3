//! What is written on every object of ours: its name, its labels, and whose it is.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::desired::Desired;
use crate::names;

pub(super) fn metadata(desired: &Desired, name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(desired.namespace.clone()),
        labels: Some(names::labels(&desired.name)),
        owner_references: Some(vec![desired.owner.clone()]),
        ..ObjectMeta::default()
    }
}
