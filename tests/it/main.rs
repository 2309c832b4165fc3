//! The whole proxy from outside, one module a behaviour: one binary, so that everything is linked
//! once.
//!
//! | module | holds |
//! |---|---|
//! | `handshake` | both eras' static answers, versions, methods, batches |
//! | `answers` | answers of `search_tools` and `describe_tool` fit, and say what was cut |
//! | `calls` | the guard, pass-through byte for byte, batches of reads, failures |
//! | `challenge` | 401 and 403 of the upstream, what is sent of a caller's |
//! | `figures` | `search_tools` finds what the ruler says it finds |
//! | `isolation` | two callers never see each other's tools |
//! | `large` | results too large to be held: byte for byte, in bounded memory, whole or broken |
//! | `mended` | what is said of a call that was mended, in one call, a batch, and over several rounds |
//! | `metadata` | where clients are sent to authorize, under either form of URL |
//! | `privacy` | a canary appears in no log, metric or error |
//! | `streams` | progress, cancellation |
//! | `contract` | every setting that the operator renders starts a real proxy |
//! | `drain` | the order of the end |
//! | `reach` | whether the upstream answers, told on demand |
//! | `reference` | `docs/metrics.md` is fresh; settings that are rendered start a proxy |
//! | `shares` | one caller that floods, and the others |
//! | `tidy` | the tree itself: imports, budgets, module docs, paths named in docs |
//! | `unanswered` | an upstream that falls silent or breaks off; a write is never sent again |
//! | `weak` | a best hit that is weak is called so |

mod answers;
mod calls;
mod challenge;
mod contract;
mod drain;
mod figures;
mod handshake;
mod isolation;
mod large;
mod mended;
mod metadata;
mod privacy;
mod reach;
mod reference;
mod shares;
mod streams;
mod tidy;
mod unanswered;
mod weak;
