//! What came of a task? Its value, or its panic, which goes on where the task is waited for.

use tokio::task::{JoinError, JoinHandle};

/// Waits for a task; the end of the runtime, which cancels it, ends nobody's wait.
pub(crate) async fn finished<T>(task: JoinHandle<T>) -> T {
    match task.await.map_err(JoinError::try_into_panic) {
        Ok(value) => value,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        Err(Err(_cancelled)) => std::future::pending().await,
    }
}
