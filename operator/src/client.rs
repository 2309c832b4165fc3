//! How is the API server spoken to? With a bounded rate, and every answer counted.

use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::{Request, Response};
use kube::client::{Body, ClientBuilder};
use kube::{Client, Config};
use tower::limit::RateLimitLayer;
use tower::{Layer, Service};

use crate::metrics::Metrics;

/// A client of the cluster that the environment names.
///
/// # Errors
/// No cluster is configured, or its credentials cannot be read.
pub(crate) async fn connect(
    qps: u32,
    burst: u32,
    metrics: &Metrics,
) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    bounded(Config::infer().await?, qps, burst, metrics)
}

/// `burst` requests at once, and `qps` a second over time. The client's own layer waits and tries
/// again after 429, 503 and 504, for as long as `Retry-After` says; every such try counts too.
fn bounded(
    config: Config,
    qps: u32,
    burst: u32,
    metrics: &Metrics,
) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let window = Duration::from_secs_f64(f64::from(burst) / f64::from(qps.max(1)));
    let builder = ClientBuilder::try_from(config)?
        .with_layer(&RateLimitLayer::new(u64::from(burst.max(1)), window))
        .with_layer(&Counted(metrics.clone()));
    Ok(builder.build())
}

/// Counts answers by verb, resource and code.
#[derive(Debug, Clone)]
pub(crate) struct Counted(pub(crate) Metrics);

impl<S> Layer<S> for Counted {
    type Service = Counting<S>;

    fn layer(&self, inner: S) -> Counting<S> {
        Counting {
            inner,
            metrics: self.0.clone(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Counting<S> {
    inner: S,
    metrics: Metrics,
}

impl<S, B> Service<Request<Body>> for Counting<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let resource = resource(request.uri().path());
        let verb = request.method().as_str().to_lowercase();
        let metrics = self.metrics.clone();
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            let code = answer.as_ref().map_or("error".to_owned(), |answer| {
                answer.status().as_u16().to_string()
            });
            metrics.request(&verb, resource, &code);
            answer
        })
    }
}

const KNOWN: &[&str] = &[
    "toolsearchproxies",
    "deployments",
    "services",
    "serviceaccounts",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "horizontalpodautoscalers",
    "poddisruptionbudgets",
    "networkpolicies",
    "servicemonitors",
    "events",
    "leases",
];

/// A fixed word, so that no object's name becomes a label.
fn resource(path: &str) -> &'static str {
    let found = path
        .split('/')
        .rev()
        .find_map(|part| KNOWN.iter().find(|known| **known == part));
    found.copied().unwrap_or("other")
}

#[cfg(test)]
mod tests;
