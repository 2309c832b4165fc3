//! Where is the server in its life?

/// Each state includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Serving.
    Open,
    /// Serving, and closing each connection after its answer.
    Draining,
    /// Accepting nothing more; idle connections are closed.
    Closing,
    /// Giving up what is still under way.
    Ending,
}
