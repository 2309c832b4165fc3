//! What was applied last, and how did it look afterwards? Kept in this process only: after a
//! restart each object is applied once, which the server finds to change nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kube::api::DynamicObject;
use serde_json::Value;

use crate::digest;
use crate::resources::{Kind, Object};

type Key = (Kind, String);

#[derive(Debug, Default)]
struct Remembered {
    /// Our text and the server's, as digests.
    objects: BTreeMap<Key, (String, String)>,
    /// What was wanted when the rest was last looked for.
    set: Option<BTreeSet<Key>>,
}

/// By resource.
#[derive(Debug, Default)]
pub(crate) struct Memory(Mutex<HashMap<String, Remembered>>);

impl Memory {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Remembered>> {
        // What is remembered is only ever replaced whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing differs from what was applied last.
    pub(super) fn is_as_applied(&self, uid: &str, object: &Object, live: &str) -> bool {
        let memory = self.lock();
        let last = memory.get(uid).and_then(|of| of.objects.get(&key(object)));
        last.is_some_and(|(ours, theirs)| *ours == text(object) && theirs == live)
    }

    /// Whether this very text was applied before.
    pub(super) fn was_applied(&self, uid: &str, object: &Object) -> bool {
        let memory = self.lock();
        let last = memory.get(uid).and_then(|of| of.objects.get(&key(object)));
        last.is_some_and(|(ours, _)| *ours == text(object))
    }

    pub(super) fn remember(&self, uid: &str, object: &Object, live: String) {
        let mut memory = self.lock();
        let of = memory.entry(uid.to_owned()).or_default();
        of.objects.insert(key(object), (text(object), live));
    }

    pub(super) fn is_same_set(&self, uid: &str, objects: &[Object]) -> bool {
        let memory = self.lock();
        memory.get(uid).and_then(|of| of.set.as_ref()) == Some(&objects.iter().map(key).collect())
    }

    pub(super) fn remember_set(&self, uid: &str, objects: &[Object]) {
        let set: BTreeSet<Key> = objects.iter().map(key).collect();
        let mut memory = self.lock();
        let of = memory.entry(uid.to_owned()).or_default();
        of.objects.retain(|key, _| set.contains(key));
        of.set = Some(set);
    }

    /// Something that is not wanted had to stay: it is looked for again.
    pub(super) fn forget_set(&self, uid: &str) {
        if let Some(of) = self.lock().get_mut(uid) {
            of.set = None;
        }
    }

    /// Drops what belongs to resources that are gone.
    pub(crate) fn retain(&self, uids: &BTreeSet<String>) {
        self.lock().retain(|uid, _| uids.contains(uid));
    }
}

fn key(object: &Object) -> Key {
    (object.kind, object.name.clone())
}

fn text(object: &Object) -> String {
    digest::short(object.body.to_string().as_bytes())
}

/// A digest of an object without what changes by itself.
pub(super) fn fingerprint(live: &DynamicObject) -> String {
    let mut value = live.data.clone();
    if let Some(members) = value.as_object_mut() {
        members.remove("status");
    }
    let metadata = &live.metadata;
    let kept = serde_json::json!([
        metadata.labels,
        metadata.annotations.as_ref().map(|all| all
            .iter()
            .filter(|(key, _)| *key != "deployment.kubernetes.io/revision")
            .collect::<Vec<_>>()),
        metadata.owner_references,
        metadata.deletion_timestamp.is_some(),
        metadata.uid,
    ]);
    digest::short(Value::Array(vec![kept, value]).to_string().as_bytes())
}
