//! What does the server need to know?

use std::time::Duration;

use crate::server::policy::Policy;

/// Everything that [`Server::new`](crate::server::Server::new) needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// Who may call, by `Host` and `Origin`.
    pub policy: Policy,
    /// Bytes of one request body.
    pub max_body: usize,
    /// Connections held at once.
    pub max_connections: usize,
    /// Requests under way at once.
    pub max_requests: usize,
    /// How long to keep accepting after the signal to stop.
    pub drain_delay: Duration,
    /// How long what is under way may take after that.
    pub drain_timeout: Duration,
}
