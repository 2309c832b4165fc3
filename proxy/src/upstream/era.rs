//! Which era does the upstream speak, and how long may that be believed?
//!
//! The era belongs to the server, so one verdict serves every caller. A stale *modern* verdict
//! corrects itself, since the upstream refuses; a stale *legacy* one never does, since a server of
//! both eras keeps answering: so verdicts expire. Guarantees: no outage and no challenge ever
//! becomes a verdict; of those who find it expired, one asks again and the rest go on with it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::protocol::{Revision, code};
use crate::upstream::error::Error;
use crate::upstream::exchange::Answer;
use crate::upstream::failure::{Failure, Refusal};
use crate::upstream::metrics::Metrics;

/// What `server/discover` told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// 2026-07-28, and the `instructions` where the answer held some.
    Modern(Option<Arc<str>>),
    /// The upstream wants another try with the version it named.
    Again,
    /// `initialize` it is.
    Legacy,
}

/// What is believed at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belief {
    /// Nothing: ask.
    Unknown,
    /// Go ahead.
    Fresh {
        /// Or legacy.
        modern: bool,
    },
    /// Ask again, and go ahead with this if there is no answer.
    Stale {
        /// Or legacy.
        modern: bool,
    },
}

/// The verdict about one upstream.
pub(super) struct Era {
    ttl: Duration,
    state: Mutex<Option<(bool, Instant)>>,
    metrics: Metrics,
}

/// How long the one who found the verdict expired has, before the next one tries.
const CLAIM: Duration = Duration::from_secs(30);

impl Era {
    pub(super) const fn new(ttl: Duration, metrics: Metrics) -> Self {
        Self {
            ttl,
            state: Mutex::new(None),
            metrics,
        }
    }

    /// What to go by. Whoever is told [`Belief::Stale`] is expected to ask.
    pub(super) fn belief(&self) -> Belief {
        let mut state = self.lock();
        match &mut *state {
            None => Belief::Unknown,
            Some((modern, until)) if Instant::now() < *until => Belief::Fresh { modern: *modern },
            Some((modern, until)) => {
                *until = Instant::now() + CLAIM;
                Belief::Stale { modern: *modern }
            }
        }
    }

    /// The upstream has shown which era it speaks.
    pub(super) fn settle(&self, modern: bool) {
        *self.lock() = Some((modern, Instant::now() + jittered(self.ttl)));
        self.metrics.era(Some(modern));
    }

    /// The upstream has shown that the verdict is wrong.
    pub(super) fn forget(&self) {
        *self.lock() = None;
        self.metrics.era(None);
    }

    fn lock(&self) -> MutexGuard<'_, Option<(bool, Instant)>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Up to a tenth more, so that replicas do not ask in step.
fn jittered(ttl: Duration) -> Duration {
    let tenth = ttl / 10;
    let random = getrandom::u32().unwrap_or(0);
    ttl + tenth.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// Reads the outcome of a `server/discover`. An error is no verdict.
pub(super) fn judge(outcome: Result<Answer, Failure>) -> Result<Verdict, Error> {
    match outcome {
        Ok(answer) => discovered(&answer.result),
        Err(Failure::Refused(refusal)) => refused(refusal),
        // An answer that is no MCP at all comes from a server that knows no such method.
        Err(Failure::Error(Error::Malformed { .. })) => Ok(Verdict::Legacy),
        Err(Failure::Error(error)) => Err(error),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Discovered {
    supported_versions: Vec<String>,
    #[serde(default)]
    instructions: Option<String>,
}

fn discovered(result: &RawValue) -> Result<Verdict, Error> {
    let Ok(discovered) = serde_json::from_str::<Discovered>(result.get()) else {
        return Ok(Verdict::Legacy);
    };
    match common(&discovered.supported_versions)? {
        true => Ok(Verdict::Modern(discovered.instructions.map(Arc::from))),
        false => Ok(Verdict::Legacy),
    }
}

fn refused(refusal: Refusal) -> Result<Verdict, Error> {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    if refusal.code() == Some(code::UNSUPPORTED_VERSION) {
        let data = refusal.error.as_ref().and_then(|error| error.data.as_ref());
        let data = data.and_then(|data| serde_json::from_str::<Data>(data.get()).ok());
        // It knows the code, so it is modern; what it speaks must then be tried.
        return data.map_or(Ok(Verdict::Again), |data| {
            common(&data.supported).map(|modern| match modern {
                true => Verdict::Again,
                false => Verdict::Legacy,
            })
        });
    }
    if refusal.is_modern() {
        tracing::warn!(
            status = refusal.status,
            "the upstream refuses server/discover with a modern error; speaking 2026-07-28 to it"
        );
        return Ok(Verdict::Modern(None));
    }
    match refusal.status {
        // A redirect that is not followed and an outage say nothing about the era.
        300..=399 | 500.. => Err(Failure::Refused(refusal).into()),
        _ => Ok(Verdict::Legacy),
    }
}

/// Whether the two sides have a modern revision in common, or only a legacy one.
fn common(versions: &[String]) -> Result<bool, Error> {
    let known = || versions.iter().filter_map(|text| Revision::parse(text));
    if known().any(Revision::is_modern) {
        return Ok(true);
    }
    let newer = |text: &String| text.as_str() > Revision::LATEST.as_str();
    if known().next().is_none() && versions.iter().any(newer) {
        return Err(Error::NoCommonVersion);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ErrorObject;
    use crate::upstream::error::Phase;

    fn yes(result: &str) -> Result<Answer, Failure> {
        Ok(Answer {
            result: serde_json::from_str(result).unwrap(),
            session: None,
        })
    }

    fn no(status: u16, error: Option<(i64, &str)>) -> Result<Answer, Failure> {
        let error = error.map(|(code, data)| ErrorObject {
            data: serde_json::from_str(data).ok(),
            ..ErrorObject::new(code, "m")
        });
        Err(Failure::Refused(Refusal {
            status,
            error,
            names_session: false,
            retry_after: None,
        }))
    }

    #[track_caller]
    fn check(outcome: Result<Answer, Failure>, expected: &str) {
        let said = match judge(outcome) {
            Ok(Verdict::Modern(Some(instructions))) => format!("modern: {instructions}"),
            Ok(Verdict::Modern(None)) => "modern".to_owned(),
            Ok(Verdict::Again) => "again".to_owned(),
            Ok(Verdict::Legacy) => "legacy".to_owned(),
            Err(error) => format!("none: {}", error.kind()),
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn a_discover_result_names_the_era() {
        check(yes(r#"{"supportedVersions":["2026-07-28"]}"#), "modern");
        check(
            yes(r#"{"supportedVersions":["2027-01-01","2026-07-28"],"instructions":"hi"}"#),
            "modern: hi",
        );
        check(yes(r#"{"supportedVersions":["2025-11-25"]}"#), "legacy");
        check(
            yes(r#"{"supportedVersions":["2027-01-01","2025-11-25"]}"#),
            "legacy",
        );
        check(
            yes(r#"{"supportedVersions":["2027-01-01"]}"#),
            "none: no_common_version",
        );
        check(yes(r#"{"supportedVersions":[]}"#), "legacy");
        check(yes("{}"), "legacy");
        check(yes("[]"), "legacy");
    }

    #[test]
    fn a_modern_error_names_the_era() {
        check(
            no(400, Some((-32022, r#"{"supported":["2026-07-28"]}"#))),
            "again",
        );
        check(
            no(400, Some((-32022, r#"{"supported":["2025-06-18"]}"#))),
            "legacy",
        );
        check(
            no(400, Some((-32022, r#"{"supported":["2027-01-01"]}"#))),
            "none: no_common_version",
        );
        check(no(400, Some((-32022, "null"))), "again");
        check(no(400, Some((-32020, "null"))), "modern");
        check(no(400, Some((-32021, "{}"))), "modern");
    }

    #[test]
    fn other_refusals_are_legacy() {
        check(no(400, Some((-32000, "null"))), "legacy");
        check(no(400, Some((-32600, "null"))), "legacy");
        check(no(400, None), "legacy");
        check(no(404, None), "legacy");
        check(no(405, None), "legacy");
        check(no(406, None), "legacy");
        check(no(200, Some((-32601, "null"))), "legacy");
        check(no(200, Some((-32603, "null"))), "legacy");
        check(Err(Error::Malformed { what: "x" }.into()), "legacy");
    }

    #[test]
    fn challenges_and_outages_are_no_verdict() {
        check(no(500, None), "none: status");
        check(no(503, Some((-32603, "null"))), "none: rpc");
        check(no(302, None), "none: status");
        for error in [
            Error::Unauthorized { challenges: vec![] },
            Error::Forbidden {
                challenges: vec![],
                scope: false,
            },
            Error::RateLimited { retry_after: None },
            Error::Timeout {
                phase: Phase::Total,
            },
            Error::Unreachable,
            Error::Tls,
            Error::Lost,
        ] {
            let kind = error.kind();
            check(Err(error.into()), &format!("none: {kind}"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn of_those_who_find_it_expired_one_asks() {
        let metrics = Metrics::register(&prometheus::Registry::new()).unwrap();
        let era = Era::new(Duration::from_secs(600), metrics);
        assert_eq!(era.belief(), Belief::Unknown);
        era.settle(false);
        assert_eq!(era.belief(), Belief::Fresh { modern: false });
        tokio::time::advance(Duration::from_secs(661)).await;
        assert_eq!(era.belief(), Belief::Stale { modern: false });
        assert_eq!(era.belief(), Belief::Fresh { modern: false });
        tokio::time::advance(CLAIM).await;
        assert_eq!(era.belief(), Belief::Stale { modern: false });
        era.settle(true);
        assert_eq!(era.belief(), Belief::Fresh { modern: true });
        era.forget();
        assert_eq!(era.belief(), Belief::Unknown);
    }
}
