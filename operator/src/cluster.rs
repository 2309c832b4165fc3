//! What is asked of the API server? Every call there is, each with a deadline.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Secret};
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, Preconditions};
use kube::{Client, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolsearch_crds::ToolSearchProxy;

use crate::names::STATUS_MANAGER;
use crate::references::{Found, Reference, certificates};
use crate::resources::{Kind, Object};

/// The longest that one call may take; the client's own retries are within it.
const DEADLINE: Duration = Duration::from_secs(15);

/// A call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No answer in time.
    #[error("the API server did not answer within 15 s")]
    Timeout,
    /// The operator may not do it.
    #[error("the API server forbids it: {0}")]
    Forbidden(String),
    /// A quota leaves no room.
    #[error("a quota leaves no room: {0}")]
    Quota(String),
    /// Somebody else was faster; the next try sees what they did.
    #[error("the object changed meanwhile")]
    Conflict,
    /// The API server finds the object wrong.
    #[error("the API server refuses the object: {0}")]
    Invalid(String),
    /// The API server failed over what it was given, by its own fault or by another's.
    #[error("the API server could not take the object: {0}")]
    Failed(String),
    /// Anything else.
    #[error("the API server failed")]
    Api(#[source] Box<kube::Error>),
}

impl Error {
    /// A static name for metrics.
    #[must_use]
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Forbidden(_) => "forbidden",
            Self::Quota(_) => "quota",
            Self::Conflict => "conflict",
            Self::Invalid(_) => "invalid",
            Self::Failed(_) => "api",
            Self::Api(_) => "api",
        }
    }
}

impl From<kube::Error> for Error {
    fn from(error: kube::Error) -> Self {
        match &error {
            kube::Error::Api(status) => match status.code {
                403 if status.message.contains("exceeded quota") => {
                    Self::Quota(status.message.clone())
                }
                403 => Self::Forbidden(status.message.clone()),
                409 => Self::Conflict,
                422 => Self::Invalid(status.message.clone()),
                400 | 500 if is_untyped(&status.message) => Self::Invalid(status.message.clone()),
                400 | 500 => Self::Failed(status.message.clone()),
                _ => Self::Api(Box::new(error)),
            },
            _ => Self::Api(Box::new(error)),
        }
    }
}

/// What a reference leads to.
enum Content {
    NoObject,
    NoKey,
    There(Vec<u8>),
}

/// The calls. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Cluster {
    client: Client,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cluster")
    }
}

impl Cluster {
    /// Calls through this client.
    #[must_use]
    pub(crate) const fn new(client: Client) -> Self {
        Self { client }
    }

    fn api(&self, kind: Kind, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), namespace, &kind.api())
    }

    fn typed<K>(&self, namespace: &str) -> Api<K>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.client.clone(), namespace)
    }

    /// One object, or none; also none where the cluster does not know its kind.
    pub(crate) async fn get(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
    ) -> Result<Option<DynamicObject>, Error> {
        match within(self.api(kind, namespace).get_opt(name)).await {
            // For a kind that it does not know the server's answer is no JSON, so it is no "none" yet.
            Err(Error::Api(error)) if is_missing(&error) => Ok(None),
            other => other,
        }
    }

    /// Whether the cluster knows a kind.
    pub(crate) async fn knows(&self, kind: Kind, namespace: &str) -> Result<bool, Error> {
        match within(
            self.api(kind, namespace)
                .list_metadata(&ListParams::default().limit(1)),
        )
        .await
        {
            Ok(_) => Ok(true),
            Err(Error::Api(error)) if is_missing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Applies the fields that are ours.
    pub(crate) async fn apply(
        &self,
        namespace: &str,
        object: &Object,
        manager: &str,
    ) -> Result<DynamicObject, Error> {
        let parameters = PatchParams::apply(manager).force();
        let patch = Patch::Apply(&object.body);
        within(
            self.api(object.kind, namespace)
                .patch(&object.name, &parameters, &patch),
        )
        .await
    }

    /// Every object of a kind with these labels.
    pub(crate) async fn list(
        &self,
        kind: Kind,
        namespace: &str,
        labels: &str,
    ) -> Result<Vec<DynamicObject>, Error> {
        let parameters = ListParams::default().labels(labels);
        match within(self.api(kind, namespace).list(&parameters)).await {
            Ok(list) => Ok(list.items),
            Err(Error::Api(error)) if kind.is_optional() && is_missing(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Deletes this very object; that it is gone already is fine.
    pub(crate) async fn delete(
        &self,
        kind: Kind,
        namespace: &str,
        object: &DynamicObject,
    ) -> Result<(), Error> {
        let parameters = DeleteParams::background().preconditions(Preconditions {
            uid: object.uid(),
            resource_version: None,
        });
        match within(
            self.api(kind, namespace)
                .delete(&object.name_any(), &parameters),
        )
        .await
        {
            Ok(_) | Err(Error::Conflict) => Ok(()),
            Err(Error::Api(error)) if is_missing(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The pods of a resource.
    pub(crate) async fn pods(&self, namespace: &str, labels: &str) -> Result<Vec<Pod>, Error> {
        let list = within(
            self.typed::<Pod>(namespace)
                .list(&ListParams::default().labels(labels)),
        )
        .await?;
        Ok(list.items)
    }

    /// Writes the status.
    pub(crate) async fn status(
        &self,
        namespace: &str,
        name: &str,
        status: &Value,
    ) -> Result<(), Error> {
        let parameters = PatchParams::apply(STATUS_MANAGER).force();
        let api = self.typed::<ToolSearchProxy>(namespace);
        within(api.patch_status(name, &parameters, &Patch::Apply(status))).await?;
        Ok(())
    }

    /// Looks up what a spec refers to; of the contents only certificates leave.
    pub(crate) async fn find(
        &self,
        namespace: &str,
        needed: impl IntoIterator<Item = (Reference, bool)>,
    ) -> Result<Found, Error> {
        let mut found = Found::default();
        for (reference, is_copied) in needed {
            match self.content(namespace, &reference).await? {
                Content::There(content) if is_copied => match certificates(&content) {
                    Some(all) => found.authorities = Some(all),
                    None => found
                        .missing
                        .push(format!("a PEM certificate in {reference}")),
                },
                Content::There(_) => {}
                Content::NoKey => found.missing.push(reference.to_string()),
                Content::NoObject => found.missing.push(reference.object()),
            }
        }
        Ok(found)
    }

    async fn content(&self, namespace: &str, reference: &Reference) -> Result<Content, Error> {
        let content = match reference {
            Reference::Claim(name) => {
                let claim: Option<PersistentVolumeClaim> = self.maybe(namespace, name).await?;
                claim.map(|_| Some(Vec::new()))
            }
            Reference::Secret(at) => {
                let secret: Option<Secret> = self.maybe(namespace, &at.name).await?;
                let taken = |secret: Secret| secret.data?.remove(&at.key).map(|bytes| bytes.0);
                secret.map(taken)
            }
            Reference::ConfigMap(at) => {
                let map: Option<ConfigMap> = self.maybe(namespace, &at.name).await?;
                map.map(|map| {
                    let text = map.data.and_then(|mut data| data.remove(&at.key));
                    let bytes = map.binary_data.and_then(|mut data| data.remove(&at.key));
                    text.map(String::into_bytes)
                        .or_else(|| bytes.map(|bytes| bytes.0))
                })
            }
        };
        Ok(match content {
            Some(Some(bytes)) => Content::There(bytes),
            Some(None) => Content::NoKey,
            None => Content::NoObject,
        })
    }

    async fn maybe<K>(&self, namespace: &str, name: &str) -> Result<Option<K>, Error>
    where
        K: Resource<Scope = kube::core::NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + std::fmt::Debug,
        K::DynamicType: Default,
    {
        if name.is_empty() {
            return Ok(None);
        }
        within(self.typed::<K>(namespace).get_opt(name)).await
    }
}

/// What server-side apply cannot read as an object of its kind is the object's fault, though the
/// API server answers with a failure of its own.
fn is_untyped(message: &str) -> bool {
    [
        "failed to create typed patch object",
        "failed to create manager for",
        "cannot be handled as a",
    ]
    .iter()
    .any(|words| message.contains(words))
}

fn is_missing(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

async fn within<T>(call: impl Future<Output = Result<T, kube::Error>>) -> Result<T, Error> {
    match tokio::time::timeout(DEADLINE, call).await {
        Ok(answer) => answer.map_err(Error::from),
        Err(_) => Err(Error::Timeout),
    }
}
