//! How long to wait before the next attempt?
//!
//! Exponential with full jitter, so that many pods which start together do not come back
//! together; a server's own `Retry-After` comes first.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;

const LONGEST: Duration = Duration::from_secs(30);

/// Up to `base` doubled with each attempt after the first, at random.
pub(crate) fn pause(base: Duration, attempt: u32) -> Duration {
    let doubled = base.saturating_mul(
        1_u32
            .checked_shl(attempt.saturating_sub(1))
            .unwrap_or(u32::MAX),
    );
    let most = doubled.min(LONGEST);
    // Without randomness, half of the most is as good a guess as any.
    let dice = getrandom::u64().unwrap_or(u64::MAX / 2);
    let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(dice % most.saturating_add(1))
}

/// What the server asks to wait: seconds, or until a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn pauses_grow_and_end_growing() {
        let base = Duration::from_millis(500);
        for (attempt, most) in [(1, 500), (2, 1000), (4, 4000), (10, 30_000), (200, 30_000)] {
            for _ in 0..50 {
                assert!(
                    pause(base, attempt) <= Duration::from_millis(most),
                    "{attempt}"
                );
            }
        }
        assert_eq!(pause(Duration::ZERO, 3), Duration::ZERO);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH;
        let check = |text: &'static str, seconds: Option<u64>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(text));
            assert_eq!(
                retry_after(&headers, now),
                seconds.map(Duration::from_secs),
                "{text}"
            );
        };
        check("7", Some(7));
        check("Thu, 01 Jan 1970 00:01:00 GMT", Some(60));
        check("soon", None);
        check("-1", None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
