//! What is watched, and what is done at each event? One stream a namespace, or one for all; an
//! object that cannot be read is reported and skipped, so that it never stops the others.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, Shared, join_all};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service, ServiceAccount};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::api::PartialObjectMeta;
use kube::core::DeserializeGuard;
use kube::runtime::controller::{Action, Config};
use kube::runtime::reflector::{ObjectRef, Store};
use kube::runtime::{Controller, watcher};
use kube::{Api, Client, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;
use tokio::time::Instant;
use toolsearch_crds::ToolSearchProxy;
use tracing::{Instrument as _, Span};

use crate::backoff::{Backoff, jitter};
use crate::names::{FIELD_MANAGER, INSTANCE, MANAGED_BY};
use crate::options::Options;
use crate::reconcile::{Error, Tools, look_again, reconcile};

/// A resource, or why it cannot be read.
pub(crate) type Guarded = DeserializeGuard<ToolSearchProxy>;

/// Resolves when no more work may be begun.
pub(crate) type Stop = Shared<BoxFuture<'static, ()>>;

struct Context {
    tools: Arc<Tools>,
    backoff: Backoff,
    stores: Stores,
    touched: Touched,
    tidied: Mutex<Instant>,
}

/// Resources, as namespace and name, of whose objects a watch has told something.
#[derive(Debug, Clone, Default)]
struct Touched(Arc<Mutex<BTreeSet<(String, String)>>>);

impl Touched {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mark(&self, namespace: &str, name: &str) {
        self.lock().insert((namespace.to_owned(), name.to_owned()));
    }

    /// Whether there is news, which is then no news any more.
    fn take(&self, namespace: &str, name: &str) -> bool {
        self.lock().remove(&(namespace.to_owned(), name.to_owned()))
    }
}

/// How often to forget what is gone.
const TIDY: Duration = Duration::from_secs(5);

/// What every stream sees, together.
#[derive(Clone, Default)]
pub(crate) struct Stores(Arc<Mutex<Vec<Store<Guarded>>>>);

impl Stores {
    fn add(&self, store: Store<Guarded>) {
        self.lock().push(store);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Store<Guarded>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every resource that is seen.
    pub(crate) fn all(&self) -> Vec<Arc<Guarded>> {
        self.lock().iter().flat_map(Store::state).collect()
    }
}

/// Runs until told to stop; what is under way then is finished.
pub(crate) async fn run(
    client: Client,
    options: &Options,
    tools: Arc<Tools>,
    stop: Stop,
    stores: Stores,
) {
    let context = Arc::new(Context {
        tools,
        backoff: Backoff::default(),
        stores: stores.clone(),
        touched: Touched::default(),
        tidied: Mutex::new(Instant::now()),
    });
    let namespaces: Vec<Option<&str>> = if options.namespaces.is_empty() {
        vec![None]
    } else {
        options
            .namespaces
            .iter()
            .map(|name| Some(name.as_str()))
            .collect()
    };
    let running = namespaces.into_iter().map(|namespace| {
        let controller = controller(&client, namespace, options, &context.touched);
        stores.add(controller.store());
        let context = Arc::clone(&context);
        let stop = stop.clone();
        async move {
            controller
                .graceful_shutdown_on(stop)
                .run(step, error_policy, Arc::clone(&context))
                .for_each(|done| {
                    if let Err(error) = done {
                        tracing::debug!(%error, "a watch or a reconcile failed");
                    }
                    tidy(&context);
                    std::future::ready(())
                })
                .await;
        }
    });
    join_all(running).await;
}

fn controller(
    client: &Client,
    namespace: Option<&str>,
    options: &Options,
    touched: &Touched,
) -> Controller<Guarded> {
    let mut own = watcher::Config::default().page_size(250);
    if let Some(selector) = &options.instances {
        own = own.labels(selector);
    }
    let children = watcher::Config::default()
        .labels(&format!("{MANAGED_BY}={FIELD_MANAGER}"))
        .page_size(250);
    let settings = Config::default()
        .concurrency(options.concurrency)
        .debounce(Duration::from_millis(200));
    Controller::new(api::<Guarded>(client, namespace), own)
        .with_config(settings)
        .watches(
            api::<Deployment>(client, namespace),
            children.clone(),
            owner(touched),
        )
        .watches(
            api::<PartialObjectMeta<Service>>(client, namespace),
            children.clone(),
            owner(touched),
        )
        .watches(
            api::<PartialObjectMeta<ServiceAccount>>(client, namespace),
            children.clone(),
            owner(touched),
        )
        .watches(
            api::<PartialObjectMeta<ConfigMap>>(client, namespace),
            children.clone(),
            owner(touched),
        )
        .watches(
            api::<PartialObjectMeta<HorizontalPodAutoscaler>>(client, namespace),
            children.clone(),
            owner(touched),
        )
        .watches(
            api::<PartialObjectMeta<PodDisruptionBudget>>(client, namespace),
            children.clone(),
            owner(touched),
        )
        .watches(
            api::<PartialObjectMeta<NetworkPolicy>>(client, namespace),
            children.clone(),
            owner(touched),
        )
        .watches(api::<Pod>(client, namespace), children, instance(touched))
}

/// The resource that an object belongs to, marked as one with news.
fn owner<K: Resource>(touched: &Touched) -> impl Fn(K) -> Option<ObjectRef<Guarded>> + use<K> {
    let touched = touched.clone();
    move |object| {
        let namespace = object.namespace()?;
        let mut owners = object.owner_references().iter();
        let owner = owners.find(|owner| {
            owner.controller == Some(true) && owner.kind == ToolSearchProxy::kind(&())
        })?;
        touched.mark(&namespace, &owner.name);
        Some(ObjectRef::new(&owner.name).within(&namespace))
    }
}

/// The resource that a pod's labels name, marked as one with news.
fn instance(touched: &Touched) -> impl Fn(Pod) -> Option<ObjectRef<Guarded>> + use<> {
    let touched = touched.clone();
    move |pod| {
        let namespace = pod.namespace()?;
        let name = pod.labels().get(INSTANCE)?;
        touched.mark(&namespace, name);
        Some(ObjectRef::new(name).within(&namespace))
    }
}

fn api<K>(client: &Client, namespace: Option<&str>) -> Api<K>
where
    K: Resource<Scope = kube::core::NamespaceResourceScope> + DeserializeOwned,
    K::DynamicType: Default,
{
    match namespace {
        Some(namespace) => Api::namespaced(client.clone(), namespace),
        None => Api::all(client.clone()),
    }
}

/// What every line about a resource says of it. An error's level, so that no filter that lets a
/// line through leaves this out; and no `name`: in JSON that is the span's own.
fn about(object: &Guarded) -> Span {
    let meta = object.meta();
    tracing::error_span!(
        "reconcile",
        namespace = meta.namespace,
        resource = meta.name,
        generation = meta.generation
    )
}

async fn step(object: Arc<Guarded>, context: Arc<Context>) -> Result<Action, Error> {
    let span = about(&object);
    act(object, context).instrument(span).await
}

async fn act(object: Arc<Guarded>, context: Arc<Context>) -> Result<Action, Error> {
    let _running = context.tools.metrics.begin();
    let resource = match &object.0 {
        Ok(resource) => resource,
        Err(unreadable) => {
            tracing::warn!(error = %unreadable.error, "the resource cannot be read: it is skipped until it changes");
            context.tools.metrics.failed("unreadable");
            return Ok(Action::await_change());
        }
    };
    let (name, namespace) = (
        resource.name_any(),
        resource.namespace().unwrap_or_default(),
    );
    let again = if context.touched.take(&namespace, &name) {
        reconcile(resource, &context.tools).await?
    } else {
        look_again(resource, &context.tools).await?
    };
    context.backoff.forget(&resource.uid().unwrap_or_default());
    context.tools.metrics.succeeded("success");
    tracing::debug!("reconciled");
    Ok(Action::requeue(jitter(again)))
}

#[expect(clippy::needless_pass_by_value, reason = "the controller's signature")]
fn error_policy(object: Arc<Guarded>, error: &Error, context: Arc<Context>) -> Action {
    let uid = object.meta().uid.clone().unwrap_or_default();
    let pause = context.backoff.failed(&uid);
    if error.kind() == "conflict" {
        // Somebody was faster: no failure, only another look.
        context.tools.metrics.succeeded("requeue");
    } else {
        context.tools.metrics.failed(error.kind());
        let source = std::error::Error::source(error).map(ToString::to_string);
        let _about = about(&object).entered();
        tracing::warn!(
            %error, source, pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX), "the reconcile failed and is tried again"
        );
    }
    Action::requeue(pause)
}

/// Forgets resources that are gone, and counts those that are there.
fn tidy(context: &Context) {
    {
        let mut tidied = context
            .tidied
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if tidied.elapsed() < TIDY {
            return;
        }
        *tidied = Instant::now();
    }
    let all = context.stores.all();
    let uids: BTreeSet<String> = all
        .iter()
        .filter_map(|object| object.meta().uid.clone())
        .collect();
    context.tools.memory.retain(&uids);
    context.tools.looks.retain(&uids);
    context.tools.journal.retain(&uids);
    context.backoff.retain(&uids);
    let ready = all.iter().filter(|object| is_ready(object)).count();
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    context
        .tools
        .metrics
        .managed(count(ready), count(all.len() - ready));
}

fn is_ready(object: &Guarded) -> bool {
    let status = object
        .0
        .as_ref()
        .ok()
        .and_then(|resource| resource.status.as_ref());
    status.is_some_and(|status| {
        let mut conditions = status.conditions.iter();
        conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
    })
}

#[cfg(test)]
pub(crate) mod tests;
