//! How do words and meaning become one score? A weighted sum whose parts follow the query.
//!
//! Both sides that count words are divided by the square root of the best they could have reached:
//! a long question in the catalog's own words leans on them, as its one vector is a blur; a short
//! one on meaning. Words taken literally count as far as the query is in the catalog's language.
//! Reciprocal rank fusion, the usual choice, trusts all sides alike and measurably loses to the
//! better of them; see `docs/decisions/0003-fusion.md`.

use crate::bm25f::Matches;

/// The free parameters of the ranking. `Weights::default()` is what production uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Factor of the cosine of query and tool, which is in [-1, 1].
    pub semantic: f32,
    /// Factor of BM25F over the words nearest in meaning, divided by the square root of its best.
    pub expansion: f32,
    /// Factor of BM25F over the words themselves, divided by the square root of its best, and
    /// multiplied by the square of the share of the query's words that are known.
    pub lexical: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            semantic: 1.0,
            expansion: 0.3,
            lexical: 0.6,
        }
    }
}

/// What each side says about one query; a side that knows nothing about it is `None`.
pub(crate) struct Sides {
    /// What a query that names tools or services adds to each document.
    pub(crate) named: Option<Vec<f32>>,
    pub(crate) lexical: Option<Matches>,
    pub(crate) expansion: Option<Matches>,
    pub(crate) semantic: Option<Vec<f32>>,
    /// The share of the query's words that some tool has, in [0, 1].
    pub(crate) known: f32,
}

/// One document's score in its parts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Parts {
    pub(crate) named: f32,
    pub(crate) lexical: f32,
    pub(crate) expansion: f32,
    pub(crate) semantic: f32,
}

impl Parts {
    pub(crate) fn sum(self) -> f32 {
        self.named + self.lexical + self.expansion + self.semantic
    }
}

impl Sides {
    /// The factor of the lexical side for this query, before its division.
    pub(crate) fn lexical_weight(&self, weights: &Weights) -> f32 {
        // Alone, the words are all there is.
        let alone = self.semantic.is_none() && self.expansion.is_none();
        let trust = if alone { 1.0 } else { self.known * self.known };
        weights.lexical * trust
    }

    /// The parts of each document, all finite, by its position.
    pub(crate) fn fuse(&self, weights: &Weights) -> impl Fn(usize) -> Parts {
        let lexical = self.lexical_weight(weights);
        let lexical = scaled(self.lexical.as_ref(), lexical);
        let expansion = scaled(self.expansion.as_ref(), weights.expansion);
        let (named, semantic) = (self.named.as_deref(), self.semantic.as_deref());
        let weight = weights.semantic;
        move |document| Parts {
            named: named.map_or(0.0, |all| all[document]),
            lexical: finite(lexical(document)),
            expansion: finite(expansion(document)),
            semantic: finite(semantic.map_or(0.0, |all| weight * all[document])),
        }
    }
}

fn scaled(matches: Option<&Matches>, weight: f32) -> impl Fn(usize) -> f32 {
    let best = matches.map_or(0.0, |matches| matches.best);
    let factor = if best > 0.0 {
        weight / best.sqrt()
    } else {
        0.0
    };
    move |document| matches.map_or(0.0, |matches| factor * matches.scores[document])
}

const fn finite(score: f32) -> f32 {
    if score.is_finite() { score } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Parts, Sides, Weights};
    use crate::bm25f::Matches;

    const WEIGHTS: Weights = Weights {
        semantic: 1.0,
        expansion: 0.5,
        lexical: 2.0,
    };

    fn matches(scores: &[f32], best: f32) -> Option<Matches> {
        let scores = scores.to_vec();
        Some(Matches { scores, best })
    }

    #[test]
    fn parts_are_weighted_and_finite() {
        let sides = Sides {
            lexical: matches(&[4.0, 2.0, 0.0], 16.0),
            expansion: matches(&[0.0, 8.0, 0.0], 4.0),
            semantic: Some(vec![0.1, f32::NAN, -0.2]),
            known: 0.5,
            named: Some(vec![0.0, 0.0, 1.0]),
        };
        let fused = sides.fuse(&WEIGHTS);
        let expected = |lexical, expansion, semantic| Parts {
            named: 0.0,
            lexical,
            expansion,
            semantic,
        };
        assert_eq!(fused(0), expected(0.5, 0.0, 0.1));
        assert_eq!(fused(1), expected(0.25, 2.0, 0.0));
        assert_eq!(fused(2).sum(), 1.0 - 0.2);
    }

    #[test]
    fn words_alone_count_in_any_language() {
        let sides = Sides {
            lexical: matches(&[1.0, 0.0], 1.0),
            expansion: None,
            semantic: None,
            known: 0.0,
            named: None,
        };
        assert_eq!(sides.fuse(&WEIGHTS)(0).sum(), 2.0);
        let nothing = Sides {
            lexical: matches(&[0.0], 0.0),
            ..sides
        };
        assert_eq!(nothing.fuse(&WEIGHTS)(0).sum(), 0.0);
    }
}
