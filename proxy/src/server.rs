//! How do requests come in and answers go out? One HTTP route on an accept loop of our own, and
//! the order in which it ends.
//!
//! Draining: keep accepting, and say `Connection: close` with each answer, until load balancers
//! have noticed; then close the listener, finish what is under way up to a deadline, and answer
//! what is left with an error rather than cutting it off.

mod body;
mod config;
mod connection;
mod cors;
mod flow;
mod headers;
mod metadata;
mod policy;
mod respond;
mod route;
mod state;
mod stream;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_util::task::TaskTracker;

use crate::caller::Callers;
use crate::endpoint::Endpoint;

use route::Route;

pub use config::Config;
pub use policy::Policy;
pub use route::PATH;
pub use state::State;

/// The MCP endpoint over HTTP.
#[derive(Debug)]
pub struct Server {
    config: Config,
    route: Arc<Route>,
    state: watch::Sender<State>,
    connections: Arc<Semaphore>,
    tasks: TaskTracker,
}

/// After giving up, how long the last errors may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(3);

impl Server {
    /// A server that is not listening yet.
    #[must_use]
    pub fn new(config: Config, endpoint: Endpoint, callers: Callers) -> Self {
        let state = watch::Sender::new(State::Open);
        let route = Arc::new(Route::new(&config, endpoint, callers, state.clone()));
        let connections = Arc::new(Semaphore::new(config.max_connections));
        Self {
            config,
            route,
            state,
            connections,
            tasks: TaskTracker::new(),
        }
    }

    /// Serves until `stop` is told to end, and then drains; `hurry` ends all waiting.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()>,
        hurry: impl Future<Output = ()>,
    ) {
        // Asked more than once: a second signal that comes at once is still known later.
        let hurry = hurry.shared();
        self.accept_until(&listener, stop).await;
        tracing::info!(
            seconds = self.config.drain_delay.as_secs(),
            "draining: still accepting"
        );
        self.state.send_replace(State::Draining);
        self.route.drain();
        let delay = tokio::time::sleep(self.config.drain_delay);
        let hurried = self.accept_until(&listener, async {
            tokio::select! { () = delay => (), () = hurry.clone() => () }
        });
        hurried.await;
        self.accept_queued(&listener).await;
        drop(listener);
        self.state.send_replace(State::Closing);
        self.tasks.close();
        tracing::info!(
            connections = self.tasks.len(),
            "draining: finishing what is under way"
        );
        tokio::select! {
            () = self.tasks.wait() => return,
            () = tokio::time::sleep(self.config.drain_timeout) => (),
            () = hurry.clone() => (),
        }
        tracing::warn!(
            connections = self.tasks.len(),
            "draining: giving up what is still under way"
        );
        self.state.send_replace(State::Ending);
        // What cannot be written within this is cut off with the process.
        let _late = tokio::time::timeout(LAST_WORDS, self.tasks.wait()).await;
    }

    async fn accept_until(&self, listener: &TcpListener, end: impl Future<Output = ()>) {
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => return,
                () = self.accept(listener) => (),
            }
        }
    }

    /// Connections that the kernel accepted already: closing the listener would reset them.
    async fn accept_queued(&self, listener: &TcpListener) {
        const WAIT: Duration = Duration::from_millis(5);
        while tokio::time::timeout(WAIT, self.accept(listener))
            .await
            .is_ok()
        {}
    }

    async fn accept(&self, listener: &TcpListener) {
        // At the ceiling, new connections wait in the kernel's queue.
        let Ok(permit) = Arc::clone(&self.connections).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let connection =
                    connection::serve(stream, Arc::clone(&self.route), self.state.subscribe());
                self.tasks.spawn(async move {
                    connection.await;
                    drop(permit);
                });
                let _: SocketAddr = peer;
            }
            Err(error) => {
                // Out of descriptors, most likely: accepting again at once would spin.
                tracing::warn!(kind = ?error.kind(), "failed to accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
