//! Is it alive, is it ready, what does it count? Probes and metrics on a listener of their own.
//!
//! `/readyz` never depends on the upstream and stays 200 while draining: a pod that can serve is
//! not made unreachable by its own probe. `/lbz` answers 503 from the first moment of a drain,
//! for load balancers that ask over HTTP.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus::{Encoder, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder};
use tokio::net::TcpListener;

use crate::lifecycle::{Lifecycle, Phase};

/// Registers what every binary of ours tells about itself: its version, and whether it drains.
///
/// # Errors
/// A metric of the same name is registered already.
pub fn register(
    registry: &Registry,
    version: &str,
    lifecycle: &Lifecycle,
) -> Result<(), prometheus::Error> {
    let build = Opts::new(
        "toolsearch_build_info",
        "Always 1; the labels say what is running.",
    );
    let build = IntGaugeVec::new(build, &["version"])?;
    build.with_label_values(&[version]).set(1);
    registry.register(Box::new(build))?;
    let draining = IntGauge::new(
        "toolsearch_draining",
        "1 from the signal to stop until the end.",
    )?;
    registry.register(Box::new(draining.clone()))?;
    let lifecycle = lifecycle.clone();
    tokio::spawn(async move {
        lifecycle.reached(Phase::Draining).await;
        draining.set(1);
    });
    Ok(())
}

/// No routes beside those of every binary.
pub fn nothing_more() -> Router {
    Router::new()
}

/// Serves until the future is dropped; `more` are routes of this binary alone.
///
/// # Errors
/// The listener failed.
pub async fn serve(
    listener: TcpListener,
    lifecycle: Lifecycle,
    registry: Registry,
    more: Router,
) -> std::io::Result<()> {
    axum::serve(listener, router(lifecycle, registry).merge(more)).await
}

fn router(lifecycle: Lifecycle, registry: Registry) -> Router {
    Router::new()
        .route("/livez", get(liveness))
        .route("/startupz", get(readiness))
        .route("/readyz", get(readiness))
        .route("/lbz", get(balancing))
        .with_state(lifecycle)
        .merge(
            Router::new()
                .route("/metrics", get(metrics))
                .with_state(registry),
        )
}

async fn liveness(State(lifecycle): State<Lifecycle>) -> (StatusCode, &'static str) {
    if lifecycle.is_alive() {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "stuck\n")
    }
}

async fn readiness(State(lifecycle): State<Lifecycle>) -> (StatusCode, &'static str) {
    match lifecycle.phase() {
        Phase::Starting => (StatusCode::SERVICE_UNAVAILABLE, "starting\n"),
        Phase::Ready | Phase::Draining | Phase::Hurrying => (StatusCode::OK, "ok\n"),
    }
}

async fn balancing(State(lifecycle): State<Lifecycle>) -> (StatusCode, &'static str) {
    match lifecycle.phase() {
        Phase::Ready => (StatusCode::OK, "ok\n"),
        Phase::Starting => (StatusCode::SERVICE_UNAVAILABLE, "starting\n"),
        Phase::Draining | Phase::Hurrying => (StatusCode::SERVICE_UNAVAILABLE, "draining\n"),
    }
}

async fn metrics(State(registry): State<Registry>) -> Response {
    let encoder = TextEncoder::new();
    let mut text = Vec::new();
    match encoder.encode(&registry.gather(), &mut text) {
        Ok(()) => (
            [(header::CONTENT_TYPE, encoder.format_type().to_owned())],
            text,
        )
            .into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn statuses(lifecycle: &Lifecycle) -> [u16; 2] {
        let ready = readiness(State(lifecycle.clone())).await.0;
        let balanced = balancing(State(lifecycle.clone())).await.0;
        [ready.as_u16(), balanced.as_u16()]
    }

    #[tokio::test]
    async fn readiness_stays_while_draining_and_balancing_does_not() {
        let lifecycle = Lifecycle::default();
        assert_eq!(statuses(&lifecycle).await, [503, 503]);
        lifecycle.advance(Phase::Ready);
        assert_eq!(statuses(&lifecycle).await, [200, 200]);
        lifecycle.advance(Phase::Draining);
        assert_eq!(statuses(&lifecycle).await, [200, 503]);
    }

    #[tokio::test]
    async fn a_stuck_process_looks_dead() {
        let lifecycle = Lifecycle::default();
        assert_eq!(liveness(State(lifecycle.clone())).await.0, 200);
        lifecycle.set_alive(false);
        assert_eq!(liveness(State(lifecycle)).await.0, 503);
    }

    #[tokio::test]
    async fn metrics_are_text_with_the_version() {
        let (registry, lifecycle) = (Registry::new(), Lifecycle::default());
        register(&registry, "1.2.3", &lifecycle).unwrap();
        let answer = metrics(State(registry)).await;
        let body = axum::body::to_bytes(answer.into_body(), 10_000)
            .await
            .unwrap();
        assert!(
            String::from_utf8_lossy(&body).contains("toolsearch_build_info{version=\"1.2.3\"} 1")
        );
    }
}
