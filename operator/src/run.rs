//! From start to end: a client, the definition, the lease, the work, and an orderly stop.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use kube::api::ListParams;
use kube::{Api, Client};
use prometheus::Registry;
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use toolsearch_crds::ToolSearchProxy;
use toolsearch_telemetry::{Lifecycle, Phase, diagnostics};

use crate::apply::{Memory, Turnstile};
use crate::cluster::Cluster;
use crate::controller::Stores;
use crate::journal::Journal;
use crate::lease::Held;
use crate::looks::Looks;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::reconcile::Tools;
use crate::watchdog;
use crate::{client, controller};

/// How long reconciles under way may take after the signal to stop.
const LAST: Duration = Duration::from_secs(10);
/// How often to look for the definition.
const LOOK: Duration = Duration::from_secs(3);

/// The operator cannot run, or must not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No cluster, or no credentials.
    #[error(
        "the cluster cannot be spoken to: run this in a pod, or name a cluster with KUBECONFIG"
    )]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The address of the diagnostics is taken, or not ours.
    #[error("cannot listen on {0} for probes and metrics")]
    Listen(std::net::SocketAddr, #[source] std::io::Error),
    /// A metric is registered twice.
    #[error("a metric cannot be registered")]
    Metrics(#[from] prometheus::Error),
    /// The lease cannot be made or read.
    #[error(
        "the lease cannot be made: may this account get, create and patch leases in its namespace?"
    )]
    Lease(#[source] Box<kube_lease_manager::LeaseManagerError>),
    /// Somebody else may write now.
    #[error("the lease is lost: another instance may write now, so this one ends")]
    Lost,
}

/// Runs until the lifecycle drains, or the lease is lost.
///
/// # Errors
/// See [`Error`].
pub async fn run(options: Options, lifecycle: Lifecycle) -> Result<(), Error> {
    let registry = Registry::new();
    diagnostics::register(&registry, env!("CARGO_PKG_VERSION"), &lifecycle)?;
    let metrics = Metrics::new(&registry)?;
    let listener = TcpListener::bind(options.diagnostics).await;
    let listener = listener.map_err(|error| Error::Listen(options.diagnostics, error))?;
    let serve = diagnostics::serve(
        listener,
        lifecycle.clone(),
        registry,
        diagnostics::nothing_more(),
    );
    let work = lead(&options, &lifecycle, &metrics);
    tokio::select! {
        ended = work => ended,
        failed = serve => {
            let error = failed.err().unwrap_or_else(|| std::io::ErrorKind::BrokenPipe.into());
            Err(Error::Listen(options.diagnostics, error))
        }
    }
}

async fn lead(options: &Options, lifecycle: &Lifecycle, metrics: &Metrics) -> Result<(), Error> {
    let client = client::connect(options.qps, options.burst, metrics)
        .await
        .map_err(Error::Client)?;
    tokio::select! {
        () = defined(&client, options) => {}
        () = lifecycle.reached(Phase::Draining) => return Ok(()),
    }
    // A stand-by is ready too: rollouts of the operator must not wait for the lease.
    lifecycle.advance(Phase::Ready);
    let Some(lease) = options.lease.clone() else {
        metrics.leader.set(1);
        work(client, options, lifecycle, metrics).await;
        return Ok(());
    };
    // Renewals never queue behind the work.
    let own = client::connect(options.qps, options.burst, metrics)
        .await
        .map_err(Error::Client)?;
    let mut held = Held::new(own, lease)
        .await
        .map_err(|error| Error::Lease(Box::new(error)))?;
    tracing::info!("waiting for the lease");
    tokio::select! {
        () = held.acquired() => {}
        () = lifecycle.reached(Phase::Draining) => return Ok(()),
    }
    tracing::info!("leading");
    metrics.leader.set(1);
    let ended = tokio::select! {
        // Dropped, the work writes nothing more.
        () = held.lost() => Err(Error::Lost),
        () = work(client, options, lifecycle, metrics) => Ok(()),
    };
    metrics.leader.set(0);
    if ended.is_ok() {
        held.release().await;
    }
    ended
}

/// Waits until the definition is there and may be read.
async fn defined(client: &Client, options: &Options) {
    let api: Api<ToolSearchProxy> = match options.namespaces.first() {
        Some(namespace) => Api::namespaced(client.clone(), namespace),
        None => Api::all(client.clone()),
    };
    let mut told = false;
    loop {
        let answer = timeout(
            Duration::from_secs(15),
            api.list_metadata(&ListParams::default().limit(1)),
        )
        .await;
        match answer {
            Ok(Ok(_)) => return,
            Ok(Err(error)) if !told => {
                told = true;
                tracing::warn!(%error, "ToolSearchProxy resources cannot be listed yet: install the definition (toolsearch-operator crds) and let this account read them");
            }
            _ => {}
        }
        sleep(LOOK).await;
    }
}

async fn work(client: Client, options: &Options, lifecycle: &Lifecycle, metrics: &Metrics) {
    let tools = Arc::new(Tools {
        cluster: Cluster::new(client.clone()),
        defaults: options.defaults.clone(),
        memory: Memory::default(),
        turnstile: Turnstile::new(options.rollout_delay),
        metrics: metrics.clone(),
        journal: Journal::new(
            client.clone(),
            options.lease.as_ref().map(|lease| lease.identity.clone()),
        ),
        looks: Looks::default(),
        resync: options.resync,
    });
    let stores = Stores::default();
    let draining = lifecycle.clone();
    let stop = async move { draining.reached(Phase::Draining).await }
        .boxed()
        .shared();
    let watchdog = watchdog::watch(
        client.clone(),
        options.namespaces.clone(),
        options.instances.clone(),
        stores.clone(),
        lifecycle.clone(),
    );
    let last = async {
        lifecycle.reached(Phase::Draining).await;
        tokio::select! {
            () = sleep(LAST) => {}
            () = lifecycle.reached(Phase::Hurrying) => {}
        }
    };
    tokio::select! {
        () = controller::run(client, options, tools, stop, stores) => {}
        () = watchdog => {}
        () = last => tracing::warn!("reconciles under way are given up"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use kube::client::Body;

    use super::*;
    use crate::controller::tests::options;
    use crate::reconcile::tests::server::Server;

    /// How long the work goes on after it was told to stop, with an API server that hangs.
    async fn stopped_after(more: Option<Phase>) -> Duration {
        let server = Server::default();
        let one = crate::reconcile::tests::resource(&serde_json::json!({}), None);
        server.put(
            "toolsearchproxies",
            "tools",
            serde_json::to_value(one).unwrap(),
        );
        server.stick("tools");
        let lifecycle = Lifecycle::default();
        let metrics = Metrics::new(&Registry::new()).unwrap();
        let options = options(1);
        let work = work(server.client(), &options, &lifecycle, &metrics);
        tokio::pin!(work);
        assert!(timeout(Duration::from_secs(1), &mut work).await.is_err());
        lifecycle.advance(Phase::Draining);
        let began = tokio::time::Instant::now();
        if let Some(phase) = more {
            assert!(timeout(Duration::from_secs(2), &mut work).await.is_err());
            lifecycle.advance(phase);
        }
        work.await;
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a3_reconciles_under_way_get_ten_seconds_and_a_second_signal_none() {
        assert_eq!(stopped_after(None).await.as_secs(), 10);
        assert_eq!(stopped_after(Some(Phase::Hurrying)).await.as_secs(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn r16_it_waits_for_its_definition() {
        let there = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&there);
        let service = tower::service_fn(move |_: http::Request<Body>| {
            let (code, body) = if seen.load(Ordering::Relaxed) {
                (
                    200,
                    r#"{"apiVersion":"v1","kind":"List","metadata":{},"items":[]}"#,
                )
            } else {
                (
                    404,
                    r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"NotFound","code":404}"#,
                )
            };
            let answer = http::Response::builder()
                .status(code)
                .body(Body::from(body.as_bytes().to_vec()));
            async move { answer }
        });
        let client = Client::new(service, "default");
        let options = options(1);
        let waiting = defined(&client, &options);
        tokio::pin!(waiting);
        assert!(
            timeout(Duration::from_secs(60), &mut waiting)
                .await
                .is_err(),
            "it must not go on without"
        );
        there.store(true, Ordering::Relaxed);
        timeout(Duration::from_secs(10), waiting).await.unwrap();
    }
}
