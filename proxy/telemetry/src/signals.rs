//! When does the process end? At the first SIGTERM or SIGINT it drains, at the second it hurries.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::lifecycle::{Lifecycle, Phase};

/// Advances the lifecycle at each signal, for as long as it is polled. Signals count from the call
/// on and not from the first poll: one that came between would end the process at once, or, sent to
/// the first process of a container, be lost.
///
/// # Errors
/// The operating system does not let signals be watched.
pub fn watch(lifecycle: Lifecycle) -> impl Future<Output = std::io::Result<()>> {
    let terminate = signal(SignalKind::terminate());
    let interrupt = signal(SignalKind::interrupt());
    advance(lifecycle, terminate, interrupt)
}

async fn advance(
    lifecycle: Lifecycle,
    terminate: std::io::Result<Signal>,
    interrupt: std::io::Result<Signal>,
) -> std::io::Result<()> {
    let (mut terminate, mut interrupt) = (terminate?, interrupt?);
    for phase in [Phase::Draining, Phase::Hurrying] {
        tokio::select! {
            _ = terminate.recv() => (),
            _ = interrupt.recv() => (),
        }
        tracing::info!(?phase, "told to stop");
        lifecycle.advance(phase);
    }
    std::future::pending().await
}
