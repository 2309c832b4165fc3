//! Is the best hit good enough to be called? One threshold a way of searching.
//!
//! A score is the cosine of query and tool plus what their words have in common, which grows with
//! the query (`docs/decisions/0003-fusion.md`); without a model it is the words alone. The figures behind
//! the thresholds are in `docs/decisions/0011-answers-that-fit.md` and held by `tests/it/weak.rs`;
//! whoever changes the scale of scores measures again there.

/// With a model.
const HYBRID: f32 = 0.45;
/// By words alone.
const LEXICAL: f32 = 0.36;

/// Whether the best hit's score says that perhaps no tool does what was asked.
pub(super) fn is_weak(best: f32, by_meaning: bool) -> bool {
    best < if by_meaning { HYBRID } else { LEXICAL }
}
