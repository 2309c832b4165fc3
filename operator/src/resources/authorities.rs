//! What does a template's pods trust, whatever becomes of the object that it came from? A copy that
//! is named after its content and cannot be changed, so that two bundles never mix in one template.

use k8s_openapi::api::core::v1::ConfigMap;

use crate::desired::Desired;
use crate::names::{self, AUTHORITIES_KEY};
use crate::resources::metadata::metadata;

pub(super) fn copy(desired: &Desired) -> Option<ConfigMap> {
    let copy = desired.authorities.as_ref()?;
    let name = names::authorities(&desired.name, &copy.digest);
    let data = [(AUTHORITIES_KEY.to_owned(), copy.certificates.clone())];
    Some(ConfigMap {
        metadata: metadata(desired, &name),
        data: Some(data.into()),
        immutable: Some(true),
        ..ConfigMap::default()
    })
}
