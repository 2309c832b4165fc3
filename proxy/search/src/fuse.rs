//! How do words and meaning become one score? A weighted sum whose lexical part follows the query.
//!
//! Reciprocal rank fusion, the usual choice, trusts both sides alike and measurably loses to the
//! better of them; see `docs/decisions/0003-fusion.md`.

/// The free parameters of the ranking. `Weights::default()` is what production uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Factor of the cosine of query and tool, which is in [-1, 1].
    pub semantic: f32,
    /// Factor of the coverage: the lexical score divided by the best that the query could have
    /// reached, in [0, 1]. A foreign or conversational query covers little, and leans on meaning.
    pub coverage: f32,
    /// Factor of the lexical score divided by the best document's, in [0, 1].
    pub lexical: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            semantic: 1.0,
            coverage: 1.3,
            lexical: 0.15,
        }
    }
}

/// One document's score in its two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Parts {
    pub(crate) lexical: f32,
    pub(crate) semantic: f32,
}

impl Parts {
    pub(crate) fn sum(self) -> f32 {
        self.lexical + self.semantic
    }
}

/// Fuses the scores of both sides, each in the documents' order; a side that knows nothing about
/// this query is `None`. Every part is finite.
pub(crate) fn fuse(
    lexical: Option<(&[f32], f32)>,
    semantic: Option<&[f32]>,
    count: usize,
    weights: &Weights,
) -> Vec<Parts> {
    let highest = lexical.map_or(0.0, |(scores, _)| {
        scores.iter().copied().fold(0.0, f32::max)
    });
    let part = |document: usize| {
        let lexical = lexical.map_or(0.0, |(scores, best)| {
            let coverage = ratio(scores[document], best).min(1.0);
            weights.coverage * coverage + weights.lexical * ratio(scores[document], highest)
        });
        let semantic = semantic.map_or(0.0, |scores| weights.semantic * scores[document]);
        Parts {
            lexical: finite(lexical),
            semantic: finite(semantic),
        }
    };
    (0..count).map(part).collect()
}

fn ratio(score: f32, most: f32) -> f32 {
    if most > 0.0 { score / most } else { 0.0 }
}

const fn finite(score: f32) -> f32 {
    if score.is_finite() { score } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Parts, Weights, fuse};

    #[test]
    fn parts_are_weighted_and_finite() {
        let weights = Weights {
            semantic: 1.0,
            coverage: 2.0,
            lexical: 0.5,
        };
        let fused = fuse(
            Some((&[4.0, 2.0, 0.0], 8.0)),
            Some(&[0.1, f32::NAN, -0.2]),
            3,
            &weights,
        );
        assert_eq!(
            fused[0],
            Parts {
                lexical: 1.5,
                semantic: 0.1
            }
        );
        assert_eq!(
            fused[1],
            Parts {
                lexical: 0.75,
                semantic: 0.0
            }
        );
        assert_eq!(fused[2].sum(), -0.2);
        assert_eq!(fuse(None, None, 1, &weights)[0].sum(), 0.0);
        assert_eq!(fuse(Some((&[0.0], 0.0)), None, 1, &weights)[0].sum(), 0.0);
    }
}
