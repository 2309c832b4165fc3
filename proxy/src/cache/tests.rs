//! The cache under a paused clock, with loads that are counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Cache, Cached, Lifetime};

const TTL: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq)]
enum Failure {
    Passing,
    Final,
}

struct Bench {
    cache: Cache<u8, usize, Failure>,
    loads: Arc<AtomicUsize>,
}

impl Bench {
    fn new() -> Self {
        let lifetime = Lifetime {
            ttl: TTL,
            pause: PAUSE,
            idle: TTL * 6,
            capacity: 10,
        };
        let cache = Cache::new(lifetime, |error| *error == Failure::Final, |_| ());
        Self {
            cache,
            loads: Arc::default(),
        }
    }

    async fn load(loads: Arc<AtomicUsize>, fails: Option<Failure>) -> Result<usize, Failure> {
        let count = loads.fetch_add(1, Ordering::SeqCst) + 1;
        tokio::time::sleep(Duration::from_secs(1)).await;
        fails.map_or(Ok(count), Err)
    }

    async fn get(&self, fails: Option<Failure>) -> Result<Cached<usize, Failure>, Failure> {
        let loads = Arc::clone(&self.loads);
        self.cache
            .get(1, true, move || Self::load(loads, fails))
            .await
    }

    async fn get_newer(&self, fails: Option<Failure>) -> Result<Cached<usize, Failure>, Failure> {
        let loads = Arc::clone(&self.loads);
        self.cache
            .get_newer(1, move || Self::load(loads, fails))
            .await
    }

    fn loads(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }

    /// Lets background refreshes run to their end.
    async fn settle() {
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn many_waiters_share_one_load() {
    let bench = Bench::new();
    let all = futures_util::future::join_all((0..20).map(|_| bench.get(None))).await;
    assert!(all.iter().all(|got| got.as_ref().unwrap().value == 1));
    assert_eq!(bench.loads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_load_outlives_the_request_that_asked() {
    let bench = Bench::new();
    let hurried = tokio::time::timeout(Duration::from_millis(10), bench.get(None)).await;
    assert!(hurried.is_err());
    Bench::settle().await;
    assert_eq!(bench.get(None).await.unwrap().value, 1);
    assert_eq!(bench.loads(), 1);
}

#[tokio::test(start_paused = true)]
async fn stale_is_served_while_one_refresh_runs() {
    let bench = Bench::new();
    bench.get(None).await.unwrap();
    tokio::time::sleep(TTL).await;
    for _ in 0..5 {
        assert_eq!(bench.get(None).await.unwrap().value, 1);
    }
    Bench::settle().await;
    assert_eq!(bench.loads(), 2);
    assert_eq!(bench.get(None).await.unwrap().value, 2);
}

#[tokio::test(start_paused = true)]
async fn no_refresh_starts_when_told_not_to() {
    let bench = Bench::new();
    bench.get(None).await.unwrap();
    tokio::time::sleep(TTL).await;
    let loads = Arc::clone(&bench.loads);
    bench
        .cache
        .get(1, false, move || Bench::load(loads, None))
        .await
        .unwrap();
    Bench::settle().await;
    assert_eq!(bench.loads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_refresh_keeps_the_value_and_says_why() {
    let bench = Bench::new();
    bench.get(None).await.unwrap();
    tokio::time::sleep(TTL).await;
    bench.get(Some(Failure::Passing)).await.unwrap();
    Bench::settle().await;
    let kept = bench.get(Some(Failure::Passing)).await.unwrap();
    assert_eq!((kept.value, kept.failure), (1, Some(Failure::Passing)));
    assert!(
        kept.loaded.elapsed() >= TTL,
        "the age is that of the value, not of the attempt"
    );
    assert_eq!(
        bench.loads(),
        2,
        "the pause keeps a failing upstream from being hammered"
    );
    tokio::time::sleep(PAUSE).await;
    bench.get(None).await.unwrap();
    Bench::settle().await;
    let mended = bench.get(None).await.unwrap();
    assert_eq!((mended.value, mended.failure), (3, None));
}

#[tokio::test(start_paused = true)]
async fn a_final_error_evicts() {
    let bench = Bench::new();
    bench.get(None).await.unwrap();
    tokio::time::sleep(TTL).await;
    bench.get(Some(Failure::Final)).await.unwrap();
    Bench::settle().await;
    assert_eq!(
        bench.get(Some(Failure::Final)).await.unwrap_err(),
        Failure::Final
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_first_load_is_not_kept() {
    let bench = Bench::new();
    assert_eq!(
        bench.get(Some(Failure::Passing)).await.unwrap_err(),
        Failure::Passing
    );
    assert_eq!(bench.get(None).await.unwrap().value, 2);
}

#[tokio::test(start_paused = true)]
async fn newer_loads_once_a_pause_for_all_who_ask() {
    let bench = Bench::new();
    bench.get(None).await.unwrap();
    assert_eq!(
        bench.get_newer(None).await.unwrap().value,
        1,
        "loaded a moment ago"
    );
    tokio::time::sleep(PAUSE).await;
    let all = futures_util::future::join_all((0..20).map(|_| bench.get_newer(None))).await;
    assert!(all.iter().all(|got| got.as_ref().unwrap().value == 2));
    assert_eq!(bench.loads(), 2);
}

#[tokio::test(start_paused = true)]
async fn newer_keeps_the_value_when_the_load_fails() {
    let bench = Bench::new();
    bench.get(None).await.unwrap();
    tokio::time::sleep(PAUSE).await;
    let kept = bench.get_newer(Some(Failure::Passing)).await.unwrap();
    assert_eq!((kept.value, kept.failure), (1, Some(Failure::Passing)));
}

#[tokio::test(start_paused = true)]
async fn a_late_refresh_does_not_take_the_place_of_a_newer_load() {
    let bench = Bench::new();
    for fails in [None, Some(Failure::Passing)] {
        let first = bench.get(None).await.unwrap().value;
        tokio::time::sleep(PAUSE).await;
        let loads = Arc::clone(&bench.loads);
        let late = bench.cache.get_newer(1, move || async move {
            let count = Bench::load(loads, fails).await;
            tokio::time::sleep(Duration::from_secs(10)).await;
            count
        });
        let meanwhile = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            bench.cache.remove(&1).await;
            bench.get(None).await.unwrap().value
        };
        let (late, newest) = tokio::join!(late, meanwhile);
        assert_eq!(newest, first + 2);
        assert_eq!(late.unwrap().value, newest);
        assert_eq!(bench.get(None).await.unwrap().value, newest);
        bench.cache.remove(&1).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_first_load_does_not_take_the_place_of_a_newer_refresh() {
    let bench = Bench::new();
    bench.get(None).await.unwrap();
    tokio::time::sleep(PAUSE).await;
    let slow = |number: usize, seconds: u64| {
        move || async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            Ok(number)
        }
    };
    let at = |seconds: u64| tokio::time::sleep(Duration::from_secs(seconds));
    let refresh = bench.cache.get_newer(1, slow(100, 3));
    let first = async {
        at(1).await;
        bench.cache.remove(&1).await;
        bench.cache.get(1, true, slow(200, 20)).await
    };
    let newest = async {
        at(10).await;
        bench.cache.get_newer(1, slow(300, 1)).await
    };
    let (refresh, first, newest) = tokio::join!(refresh, first, newest);
    let values = [refresh, first, newest].map(|cached| cached.unwrap().value);
    assert_eq!(values, [100, 300, 300]);
    assert_eq!(bench.get(None).await.unwrap().value, 300);
}
