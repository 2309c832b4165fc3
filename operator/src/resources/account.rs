//! Who are the pods? An account of their own, which may do nothing.

use k8s_openapi::api::core::v1::ServiceAccount;

use crate::desired::Desired;
use crate::resources::metadata::metadata;

pub(super) fn account(desired: &Desired) -> ServiceAccount {
    ServiceAccount {
        metadata: metadata(desired, &desired.name),
        automount_service_account_token: Some(false),
        ..ServiceAccount::default()
    }
}
