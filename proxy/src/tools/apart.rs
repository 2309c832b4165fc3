//! Where is a large result worked on? On a thread for such work, so that other requests go on, and
//! few at a time: each takes several times its size while it lasts.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::task::finished;

/// Bytes up to which the work is shorter than the way to another thread is worth.
const SMALL: usize = 256 * 1024;

static LARGE: Semaphore = Semaphore::const_new(2);

/// Does the work on something of so many bytes.
pub(super) async fn run<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= SMALL {
        return work();
    }
    // Never closed. The work keeps its place when nobody waits for it any more.
    let place = LARGE.acquire().await;
    finished(spawn_blocking(move || {
        let _place = place;
        work()
    }))
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use futures_util::future::join_all;

    use super::{SMALL, run};

    #[tokio::test]
    async fn what_is_large_is_done_elsewhere_and_two_at_a_time() {
        let here = thread::current().id();
        assert_eq!(run(SMALL, || thread::current().id()).await, here);
        let under_way = Arc::new(AtomicUsize::new(0));
        let works = (0..6).map(|_| {
            let under_way = Arc::clone(&under_way);
            run(SMALL + 1, move || {
                let others = under_way.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(20));
                under_way.fetch_sub(1, Ordering::SeqCst);
                (thread::current().id(), others)
            })
        });
        for (there, others) in join_all(works).await {
            assert!(there != here && others < 2, "{others}");
        }
    }
}
