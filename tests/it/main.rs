//! The whole proxy from outside, one module a behaviour: one binary, so that everything is linked
//! once.
//!
//! | module | holds |
//! |---|---|
//! | `handshake` | both eras' static answers, versions, methods, batches |
//! | `answers` | answers of `search_tools` and `describe_tool` fit, and say what was cut |
//! | `breaker` | an upstream that does not answer is left alone; what only seems so is not |
//! | `calls` | the guard, pass-through byte for byte, batches of reads, failures |
//! | `compatibility` | `docs/compatibility.md` is what was recorded |
//! | `ceiling` | results over the ceiling are cut in whole parts, and say so |
//! | `challenge` | 401 and 403 of the upstream, what is sent of a caller's |
//! | `figures` | `search_tools` finds what the ruler says it finds |
//! | `isolation` | two callers never see each other's tools |
//! | `interleavings` | two callers in any order of refreshes, evictions, refusals and failures |
//! | `json_schema` | the official JSON Schema suite against the argument check |
//! | `large` | results too large to be held: byte for byte, in bounded memory, whole or broken |
//! | `mended` | what is said of a call that was mended, in one call, a batch, and over several rounds |
//! | `metadata` | where clients are sent to authorize, under either form of URL |
//! | `privacy` | a canary appears in no log, metric or error |
//! | `streams` | progress, cancellation |
//! | `contract` | every setting that the operator renders starts a real proxy |
//! | `drain` | the order of the end |
//! | `reach` | whether the upstream answers, told on demand |
//! | `refresh_races` | lists that change while calls run: what a read tool may reach |
//! | `reference` | `docs/metrics.md` is fresh; settings that are rendered start a proxy |
//! | `rolling` | restarts and kills under keep-alive clients |
//! | `roundtrip` | odd results, byte for byte, through every pair of revisions |
//! | `shares` | one caller that floods, and the others |
//! | `slow_clients` | clients that are slow, many, or gone early |
//! | `twins` | the same tool under several names takes one place in an answer |
//! | `twisted_clients` | requests that no honest client sends |
//! | `tidy` | the tree itself: imports, budgets, module docs, paths named in docs |
//! | `unanswered` | an upstream that falls silent or breaks off; a write is never sent again |
//! | `upstream_answers` | answers that break, drip, lie or never come |
//! | `upstream_lists` | lists of tools that no careful server sends |
//! | `upstream_statuses` | each refusal at each method, and sessions that end |
//! | `upstream_tls` | certificates that are right and wrong, and addresses of version 6 |
//! | `weak` | a best hit that is weak is called so |

/// The proxy as a program of its own, for `toolsearch_tests::alone`.
const ALONE: &str = env!("CARGO_BIN_EXE_toolsearch-alone");

mod answers;
mod breaker;
mod calls;
mod ceiling;
mod challenge;
mod compatibility;
mod contract;
mod drain;
mod figures;
mod handshake;
mod interleavings;
mod isolation;
mod json_schema;
mod large;
mod mended;
mod metadata;
mod privacy;
mod reach;
mod reference;
mod refresh_races;
mod rolling;
mod roundtrip;
mod shares;
mod slow_clients;
mod streams;
mod tidy;
mod twins;
mod twisted_clients;
mod unanswered;
mod upstream_answers;
mod upstream_lists;
mod upstream_statuses;
mod upstream_tls;
mod weak;
