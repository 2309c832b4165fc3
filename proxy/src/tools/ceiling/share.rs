//! Who gets how much where not all can have what they need? Small ones all of it, the others an
//! equal share of what is left.

/// What one part would take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    /// Tokens of all of it.
    pub(super) tokens: usize,
    /// Whether a part of it is worth something.
    pub(super) cuts: bool,
}

/// What one part gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    /// All it needs.
    Whole,
    /// So many tokens.
    Part(usize),
    /// Nothing.
    Nothing,
}

/// Parts that are looked at; later ones get nothing. Bounds the time that sharing takes.
pub(super) const MOST: usize = 1000;

/// Shares out: all shares together are no more than `budget`.
///
/// A part that cannot be cut gets all or nothing, the largest nothing first. Where the equal share
/// would be less than `least`, the last ones that need more than it get nothing: a few parts that
/// say something are better than scraps of all.
pub(super) fn shares(needs: &[Need], budget: usize, least: usize) -> Vec<Share> {
    let mut active: Vec<bool> = (0..needs.len()).map(|at| at < MOST).collect();
    let mut sorted: Vec<usize> = needs.iter().take(MOST).map(|need| need.tokens).collect();
    sorted.sort_unstable();
    let level = loop {
        let level = level(&sorted, budget);
        let sum: usize = sorted.iter().sum();
        let small = |at: usize| 4 * needs[at].tokens * sorted.len() < sum;
        let over = |at: &usize| active[*at] && needs[*at].tokens > level;
        let mut larger = (0..needs.len().min(MOST)).rev().filter(over);
        let mut stiff: Option<usize> = None;
        for at in larger.clone().filter(|at| !needs[*at].cuts) {
            if stiff.is_none_or(|most| needs[at].tokens > needs[most].tokens) {
                stiff = Some(at);
            }
        }
        // One that is small among the others costs little, and is often what is said of them.
        let last = larger.clone().find(|at| !small(*at)).or(larger.next());
        let dropped = match (stiff, last) {
            (Some(stiff), _) => stiff,
            (None, Some(last)) if level < least => last,
            (None, _) => break level,
        };
        active[dropped] = false;
        let place = sorted.partition_point(|tokens| *tokens < needs[dropped].tokens);
        sorted.remove(place);
    };
    let shared = needs.iter().zip(active).map(|(need, active)| match active {
        false => Share::Nothing,
        true if need.tokens <= level => Share::Whole,
        true => Share::Part(level),
    });
    shared.collect()
}

/// The equal share of those that need more than it.
fn level(sorted: &[usize], budget: usize) -> usize {
    let mut left = budget;
    for (at, need) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - at);
        if *need > share {
            return share;
        }
        left -= need;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Share::{Nothing, Part, Whole};
    use super::{Need, Share, shares};

    fn shared(needs: &[(usize, bool)], budget: usize, least: usize) -> Vec<Share> {
        let needs: Vec<Need> = needs
            .iter()
            .map(|&(tokens, cuts)| Need { tokens, cuts })
            .collect();
        shares(&needs, budget, least)
    }

    #[test]
    fn small_ones_are_whole_and_large_ones_equal() {
        let needs = [(50_000, true), (100, true), (90_000, true), (30, false)];
        assert_eq!(
            shared(&needs, 1130, 100),
            [Part(500), Whole, Part(500), Whole]
        );
        assert_eq!(shared(&[(3, true), (4, false)], 7, 100), [Whole, Whole]);
    }

    #[test]
    fn many_alike_are_the_first_ones_whole() {
        let mut needs = vec![(100, true); 500];
        needs.push((5, true));
        let shares = shared(&needs, 1005, 250);
        assert!(shares[..10].iter().all(|share| *share == Whole));
        assert!(shares[10..500].iter().all(|share| *share == Nothing));
        assert_eq!(shares[500], Whole);
    }

    #[test]
    fn what_cannot_be_cut_is_whole_or_absent() {
        let needs = [(50_000, true), (1600, false), (9000, false), (1600, false)];
        assert_eq!(
            shared(&needs, 6000, 1000),
            [Part(2800), Whole, Nothing, Whole]
        );
    }

    proptest! {
        #[test]
        fn never_more_than_there_is(
            needs in proptest::collection::vec((0_usize..400, any::<bool>()), 0..30),
            budget in 0_usize..3000, least in 0_usize..500,
        ) {
            let shares = shared(&needs, budget, least);
            let mut spent = 0;
            for (share, (tokens, cuts)) in shares.iter().zip(&needs) {
                spent += match share {
                    Whole => *tokens,
                    Part(part) => {
                        prop_assert!(*cuts && part < tokens && *part >= least);
                        *part
                    }
                    Nothing => 0,
                };
            }
            prop_assert!(spent <= budget);
            let all: usize = needs.iter().map(|(tokens, _)| tokens).sum();
            prop_assert!(all > budget || shares.iter().all(|share| *share == Whole));
        }
    }
}
