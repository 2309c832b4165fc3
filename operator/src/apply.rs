//! How do the objects get there? Server-side apply of what is ours, only where something differs;
//! then what is no longer wanted goes.
//!
//! An object that was applied before and that looks as it did then is left alone, so that at rest
//! nothing is written. What is compared is our own text with our own text, and the server's with
//! the server's: never one with the other, since the server writes amounts in its own way.

mod memory;
mod turnstile;

use kube::ResourceExt as _;
use kube::api::DynamicObject;
use serde_json::{Value, json};

pub(crate) use memory::Memory;
pub(crate) use turnstile::Turnstile;

use crate::cluster::{Cluster, Error};
use crate::desired::{Desired, Replicas};
use crate::metrics::Metrics;
use crate::names::{FIELD_MANAGER, REPLICAS_MANAGER, TEMPLATE_HASH, labels};
use crate::resources::{Kind, Object};

/// What was done.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The Deployment as the API server has it now.
    pub deployment: Option<DynamicObject>,
    /// Objects that were made, changed or set right, as `Kind name`.
    pub made: Vec<String>,
    /// Objects that somebody else had changed.
    pub corrected: Vec<String>,
    /// Objects that went.
    pub pruned: Vec<String>,
    /// Kinds that are wanted and that this cluster does not know.
    pub unknown: Vec<&'static str>,
    /// Whether the rollout waits for its turn.
    pub waiting: bool,
}

/// Objects cannot be applied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    /// Objects of needed names are somebody else's.
    #[error("{}: rename the resource, or remove what is there", taken(.0))]
    NameConflict(Vec<String>),
    /// A call failed.
    #[error(transparent)]
    Call(#[from] Error),
}

/// Applies the objects of one resource.
#[derive(Debug)]
pub(crate) struct Applier<'a> {
    /// The calls.
    pub cluster: &'a Cluster,
    /// What was applied before.
    pub memory: &'a Memory,
    /// Who may roll out now.
    pub turnstile: &'a Turnstile,
    /// What is counted.
    pub metrics: &'a Metrics,
    /// The resource's identity.
    pub uid: &'a str,
    /// Whether the user changed the resource since it was last acted on.
    pub by_user: bool,
}

impl Applier<'_> {
    /// Applies all, in order, then prunes.
    ///
    /// # Errors
    /// See [`ApplyError`]; what was applied until then stays.
    pub(crate) async fn run(
        &self,
        desired: &Desired,
        objects: &[Object],
    ) -> Result<Applied, ApplyError> {
        let mut applied = Applied::default();
        let mut live = Vec::new();
        for object in objects {
            live.push(
                self.cluster
                    .get(object.kind, &desired.namespace, &object.name)
                    .await?,
            );
        }
        self.refuse_strangers(objects, &live)?;
        for (object, live) in objects.iter().zip(live) {
            let is_optional = object.kind.is_optional();
            if is_optional
                && live.is_none()
                && !self.cluster.knows(object.kind, &desired.namespace).await?
            {
                applied.unknown.push(object.kind.names()[2]);
                continue;
            }
            let now = self.one(desired, object, live, &mut applied).await?;
            if object.kind == Kind::Deployment {
                applied.deployment = now;
            }
        }
        self.prune(desired, objects, &mut applied).await?;
        Ok(applied)
    }

    fn refuse_strangers(
        &self,
        objects: &[Object],
        live: &[Option<DynamicObject>],
    ) -> Result<(), ApplyError> {
        let strangers: Vec<String> = objects
            .iter()
            .zip(live)
            .filter(|(_, live)| live.as_ref().is_some_and(|live| !self.owns(live)))
            .map(|(object, _)| title(object))
            .collect();
        if strangers.is_empty() {
            return Ok(());
        }
        Err(ApplyError::NameConflict(strangers))
    }

    fn owns(&self, live: &DynamicObject) -> bool {
        is_owned(live, self.uid)
    }

    async fn one(
        &self,
        desired: &Desired,
        object: &Object,
        live: Option<DynamicObject>,
        applied: &mut Applied,
    ) -> Result<Option<DynamicObject>, ApplyError> {
        let before = live.as_ref().map(memory::fingerprint);
        if let Some(live) = &live
            && self
                .memory
                .is_as_applied(self.uid, object, before.as_deref().unwrap_or_default())
        {
            return Ok(Some(live.clone()));
        }
        if object.kind == Kind::Deployment
            && let Some(live) = &live
        {
            if self.must_wait(object, live) {
                applied.waiting = true;
                return Ok(Some(live.clone()));
            }
            self.hand_over(desired, live).await?;
        }
        let now = self
            .cluster
            .apply(&desired.namespace, object, FIELD_MANAGER)
            .await?;
        let after = memory::fingerprint(&now);
        if before.as_deref() != Some(&after) {
            if before.is_some() && self.memory.was_applied(self.uid, object) {
                self.metrics.drift(object.kind.names()[2]);
                applied.corrected.push(title(object));
            } else {
                applied.made.push(title(object));
            }
        }
        self.memory.remember(self.uid, object, after);
        Ok(Some(now))
    }

    /// A template that changes without the user's doing (another operator, another default image)
    /// rolls out one resource after the other.
    fn must_wait(&self, object: &Object, live: &DynamicObject) -> bool {
        let wanted = object.body["metadata"]["annotations"][TEMPLATE_HASH].as_str();
        let there = live.annotations().get(TEMPLATE_HASH).map(String::as_str);
        let changes = there.is_some() && wanted != there;
        changes && !self.by_user && !self.turnstile.admit()
    }

    /// When an autoscaler takes over, the number of pods must not fall back to the default of 1 in
    /// the moment in which nobody owns it: another manager of ours holds it until the autoscaler
    /// writes for the first time (Kubernetes, "Server-Side Apply", transferring ownership).
    async fn hand_over(&self, desired: &Desired, live: &DynamicObject) -> Result<(), ApplyError> {
        if !matches!(desired.replicas, Replicas::Auto(_)) || !owns_replicas(live, FIELD_MANAGER) {
            return Ok(());
        }
        let count = live.data["spec"]["replicas"].clone();
        let held = Object {
            kind: Kind::Deployment,
            name: desired.name.clone(),
            body: json!({
                "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": { "name": desired.name },
                "spec": { "replicas": count },
            }),
        };
        self.cluster
            .apply(&desired.namespace, &held, REPLICAS_MANAGER)
            .await?;
        Ok(())
    }

    /// What has our label and our owner and is no longer wanted. Looked for only when the wanted
    /// set changed, when this process has not looked yet, or when something had to stay. A pod of
    /// the template before may start anew until the rollout is over, and reads what it mounts.
    async fn prune(
        &self,
        desired: &Desired,
        objects: &[Object],
        applied: &mut Applied,
    ) -> Result<(), ApplyError> {
        if self.memory.is_same_set(self.uid, objects) {
            return Ok(());
        }
        let query: Vec<_> = labels(&desired.name)
            .into_iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let query = query.join(",");
        let is_over = !applied.waiting && applied.deployment.as_ref().is_some_and(is_rolled_out);
        let mut stays = false;
        for kind in Kind::ALL {
            for live in self.cluster.list(*kind, &desired.namespace, &query).await? {
                let name = live.name_any();
                let wanted = objects
                    .iter()
                    .any(|object| object.kind == *kind && object.name == name);
                if wanted || !self.owns(&live) {
                    continue;
                }
                if *kind == Kind::ConfigMap && !is_over {
                    stays = true;
                } else {
                    self.cluster
                        .delete(*kind, &desired.namespace, &live)
                        .await?;
                    applied.pruned.push(format!("{} {name}", kind.names()[2]));
                }
            }
        }
        if stays {
            self.memory.forget_set(self.uid);
        } else {
            self.memory.remember_set(self.uid, objects);
        }
        Ok(())
    }
}

/// Whether an object was made for the resource of this identity.
pub(crate) fn is_owned(live: &DynamicObject, uid: &str) -> bool {
    let mut owners = live.owner_references().iter();
    owners.any(|owner| owner.uid == uid && owner.controller == Some(true))
}

fn taken(names: &[String]) -> String {
    match names {
        [one] => format!("{one} exists and belongs to somebody else"),
        all => format!("{} exist and belong to somebody else", all.join(", ")),
    }
}

fn title(object: &Object) -> String {
    format!("{} {}", object.kind.names()[2], object.name)
}

/// Whether there is no pod but those of the newest template.
fn is_rolled_out(live: &DynamicObject) -> bool {
    let (spec, status) = (&live.data["spec"], &live.data["status"]);
    let count = |value: &Value, otherwise: i64| value.as_i64().unwrap_or(otherwise);
    let updated = count(&status["updatedReplicas"], 0);
    status["observedGeneration"].as_i64() == live.metadata.generation
        && updated == count(&status["replicas"], 0)
        && updated == count(&spec["replicas"], 1)
}

fn owns_replicas(live: &DynamicObject, manager: &str) -> bool {
    live.managed_fields().iter().any(|entry| {
        let fields = entry.fields_v1.as_ref().map(|fields| &fields.0);
        entry.manager.as_deref() == Some(manager)
            && fields.is_some_and(|fields: &Value| fields["f:spec"].get("f:replicas").is_some())
    })
}
