//! When does the process end? At the first SIGTERM or SIGINT it drains, at the second it hurries.

use tokio::signal::unix::{SignalKind, signal};

use crate::lifecycle::{Lifecycle, Phase};

/// Advances the lifecycle at each signal, for as long as it is polled.
///
/// # Errors
/// The operating system does not let signals be watched.
pub async fn watch(lifecycle: Lifecycle) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
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
