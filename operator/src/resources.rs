//! Which objects make a `Desired` true? Pure: one file an object kind, no client, no clock.

mod account;
mod authorities;
mod deployment;
mod disruption;
mod fetch;
mod metadata;
mod monitoring;
mod network;
mod object;
mod pod;
mod quantities;
mod scaling;
mod service;
mod sidecar;

pub use object::{Kind, Object};
pub use sidecar::{sidecar, sidecar_notes};

use crate::desired::Desired;

/// Everything that is applied, in the order in which it is applied: what pods need before the
/// pods, what counts pods after them.
///
/// # Errors
/// An object cannot be written as JSON, which the tests rule out.
pub fn build(desired: &Desired) -> Result<Vec<Object>, serde_json::Error> {
    let mut objects = vec![
        Object::new(Kind::ServiceAccount, &account::account(desired))?,
        Object::new(Kind::Service, &service::service(desired))?,
    ];
    if let Some(policy) = network::policy(desired) {
        objects.push(Object::new(Kind::NetworkPolicy, &policy)?);
    }
    if let Some(copy) = authorities::copy(desired) {
        objects.push(Object::new(Kind::ConfigMap, &copy)?);
    }
    objects.push(Object::new(
        Kind::Deployment,
        &deployment::deployment(desired)?,
    )?);
    if let Some(budget) = disruption::budget(desired) {
        objects.push(Object::new(Kind::PodDisruptionBudget, &budget)?);
    }
    if let Some(scaler) = scaling::scaler(desired) {
        objects.push(Object::new(Kind::HorizontalPodAutoscaler, &scaler)?);
    }
    if desired.monitoring.service_monitor {
        objects.push(Object::new(Kind::Service, &monitoring::service(desired))?);
        objects.push(monitoring::monitor(desired));
    }
    Ok(objects)
}
