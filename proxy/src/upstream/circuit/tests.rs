//! What opens the breaker, what closes it and what does neither, in every order.

use std::time::Duration;

use proptest::prelude::*;
use tokio::time::Instant;

use super::{Change, Circuit, MOMENT, Sign, Turn};
use crate::upstream::error::{Error, Phase};
use crate::upstream::request::Method;

const PAUSE: Duration = Duration::from_secs(5);

#[test]
fn a_status_speaks_of_the_upstream_or_of_who_asks() {
    use Sign::{Alive, Doubtful, Silent};
    for (status, handshake, call) in [
        (200, Some(Alive), Some(Alive)),
        (202, Some(Alive), Some(Alive)),
        (302, Some(Alive), Some(Alive)),
        (400, Some(Alive), Some(Alive)),
        (401, None, None),
        (403, None, None),
        (404, Some(Alive), Some(Alive)),
        (407, None, None),
        (429, None, None),
        (500, Some(Alive), Some(Alive)),
        (502, Some(Silent), Some(Doubtful)),
        (503, Some(Silent), Some(Doubtful)),
        (504, Some(Silent), Some(Doubtful)),
    ] {
        for method in [Method::Discover, Method::Initialize, Method::Ping] {
            assert_eq!(Sign::of(method, Ok(status)), handshake, "{status}");
        }
        for method in [Method::List, Method::Call] {
            assert_eq!(Sign::of(method, Ok(status)), call, "{status}");
        }
    }
    for method in Method::ALL {
        let timeout = |phase| Error::Timeout { phase };
        for error in [Error::Unreachable, Error::Tls, timeout(Phase::Connect)] {
            assert_eq!(Sign::of(method, Err(&error)), Some(Silent));
        }
        for error in [
            Error::Lost,
            timeout(Phase::FirstByte),
            timeout(Phase::Total),
        ] {
            // A tool may be what is slow.
            let expected = Sign::of(method, Ok(503));
            assert_eq!(Sign::of(method, Err(&error)), expected);
        }
    }
}

#[test]
fn it_opens_after_a_run_and_closes_at_an_answer() {
    let now = Instant::now();
    let mut circuit = Circuit::new(3, PAUSE);
    for _ in 0..2 {
        assert_eq!(circuit.hear(Sign::Silent, now), None);
    }
    // The run is broken.
    assert_eq!(circuit.hear(Sign::Alive, now), None);
    for expected in [None, None, Some(Change::Opened)] {
        assert_eq!(circuit.next(now), Turn::Go);
        assert_eq!(circuit.hear(Sign::Silent, now), expected);
    }
    assert_eq!(circuit.next(now), Turn::Wait(PAUSE));
    let later = now + PAUSE;
    assert_eq!(circuit.next(later), Turn::Ask);
    assert_eq!(circuit.next(later), Turn::Wait(MOMENT));
    assert_eq!(circuit.hear(Sign::Silent, later), None);
    circuit.asked();
    assert_eq!(circuit.next(later), Turn::Wait(PAUSE));
    let later = later + PAUSE;
    assert_eq!(circuit.next(later), Turn::Ask);
    assert_eq!(circuit.hear(Sign::Alive, later), Some(Change::Closed));
    circuit.asked();
    assert_eq!(circuit.next(later), Turn::Go);
}

#[test]
fn failures_of_tools_make_one_ask_and_hold_nobody_up() {
    let now = Instant::now();
    let mut circuit = Circuit::new(2, PAUSE);
    for _ in 0..10 {
        assert_eq!(circuit.hear(Sign::Doubtful, now), None);
    }
    assert_eq!(circuit.next(now), Turn::Ask);
    assert_eq!(circuit.next(now), Turn::Go);
    assert_eq!(circuit.hear(Sign::Alive, now), None);
    circuit.asked();
    assert_eq!(circuit.next(now), Turn::Go);
    for _ in 0..2 {
        circuit.hear(Sign::Doubtful, now);
    }
    assert_eq!(circuit.next(now), Turn::Ask);
    assert_eq!(circuit.hear(Sign::Silent, now), Some(Change::Opened));
}

#[test]
fn who_asks_and_learns_nothing_leaves_the_turn_to_the_next() {
    let now = Instant::now();
    let mut circuit = Circuit::new(1, PAUSE);
    assert_eq!(circuit.hear(Sign::Silent, now), Some(Change::Opened));
    let later = now + PAUSE;
    assert_eq!(circuit.next(later), Turn::Ask);
    circuit.asked();
    assert_eq!(circuit.wait(later), Some(MOMENT));
    assert_eq!(circuit.next(later), Turn::Ask);
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Hear(Sign),
    Next,
    Asked,
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::Hear(Sign::Alive)),
        3 => Just(Step::Hear(Sign::Silent)),
        3 => Just(Step::Hear(Sign::Doubtful)),
        4 => Just(Step::Next),
        1 => Just(Step::Asked),
        2 => (0_u64..8).prop_map(Step::Pass),
    ]
}

proptest! {
    /// Whatever happens in whatever order: said once more, in counts of what came since the last
    /// answer.
    #[test]
    fn it_is_open_only_in_a_run_without_an_answer(
        most in 1_usize..5, steps in proptest::collection::vec(step(), 0..80),
    ) {
        let mut circuit = Circuit::new(most, PAUSE);
        let (mut now, mut open, mut askers) = (Instant::now(), false, 0_usize);
        let (mut silent, mut doubtful) = (0_usize, 0_usize);
        for step in steps {
            match step {
                Step::Pass(seconds) => now += Duration::from_secs(seconds),
                Step::Asked => {
                    circuit.asked();
                    askers = 0;
                }
                Step::Hear(sign) => {
                    let change = circuit.hear(sign, now);
                    match sign {
                        Sign::Alive => {
                            prop_assert_eq!(change, open.then_some(Change::Closed));
                            (open, silent, doubtful) = (false, 0, 0);
                        }
                        Sign::Doubtful => {
                            doubtful += 1;
                            prop_assert_eq!(change, None);
                        }
                        Sign::Silent => {
                            silent += 1;
                            let opens = !open && (silent >= most || doubtful >= most);
                            prop_assert_eq!(change, opens.then_some(Change::Opened));
                            open |= opens;
                        }
                    }
                }
                Step::Next => match circuit.next(now) {
                    Turn::Go => prop_assert!(!open),
                    Turn::Ask => {
                        askers += 1;
                        prop_assert_eq!(askers, 1);
                        prop_assert!(open || doubtful >= most);
                    }
                    Turn::Wait(time) => {
                        prop_assert!(open && !time.is_zero());
                        prop_assert!(time <= PAUSE);
                    }
                },
            }
            prop_assert_eq!(circuit.wait(now).is_some(), open);
        }
        // However it came to this, it does not stay so: once nobody asks, the pause ends it.
        circuit.asked();
        now += PAUSE;
        prop_assert!(!matches!(circuit.next(now), Turn::Wait(_)));
    }
}
