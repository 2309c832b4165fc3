//! How long may the upstream take? Its usual limits, phase by phase, or one deadline for a call of a
//! tool that has its own.

use std::time::Duration;

use globset::GlobMatcher;
use tokio::time::Instant;

use crate::upstream::error::Phase;

/// How long what is said of a refusal may take.
const EXPLANATION: Duration = Duration::from_secs(10);

/// How long calls of single tools may take: the first that names a tool counts.
#[derive(Debug, Clone, Default)]
pub struct ToolTimeouts(pub Vec<(GlobMatcher, Duration)>);

impl ToolTimeouts {
    /// The one of this tool.
    pub(super) fn of(&self, tool: &str) -> Option<Duration> {
        let mut all = self.0.iter();
        all.find(|(tools, _)| tools.is_match(tool))
            .map(|(_, timeout)| *timeout)
    }
}

/// The limits of any request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usual {
    /// Until the answer begins, the connection included.
    pub(super) first_byte: Duration,
    /// The longest silence within it.
    pub(super) idle: Duration,
    /// All of it.
    pub(super) total: Duration,
}

/// The limits of one request that is about to be sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Until the answer begins.
    pub(super) first_byte: Duration,
    /// The longest silence within it.
    pub(super) idle: Duration,
    /// The longest that what is said of a refusal may take.
    explanation: Duration,
    /// When all is over.
    pub(super) deadline: Instant,
}

impl Usual {
    /// The limits from now on. Whoever says how long a tool may take says too that it may be
    /// silent for so long: only the deadline counts then.
    pub(super) fn patience(self, until: Option<Instant>) -> Patience {
        let now = Instant::now();
        let explanation = self.idle.min(EXPLANATION);
        match until {
            None => Patience {
                explanation,
                first_byte: self.first_byte,
                idle: self.idle,
                deadline: now + self.total,
            },
            Some(deadline) => {
                let left = deadline.saturating_duration_since(now);
                Patience {
                    explanation,
                    first_byte: left,
                    idle: left,
                    deadline,
                }
            }
        }
    }
}

impl Patience {
    /// When to stop reading what is said of a refusal. Its status has come, so a silence must not
    /// last until the deadline, which would make a timeout of it.
    pub(super) fn explained_by(self) -> Instant {
        let now = Instant::now();
        let left = self.deadline.saturating_duration_since(now);
        now + self.explanation.min(left / 2)
    }

    /// When a wait of one phase that begins now ends, and which limit that is.
    pub(super) fn within(self, most: Duration, phase: Phase) -> (Instant, Phase) {
        let ends = Instant::now() + most;
        if ends < self.deadline {
            (ends, phase)
        } else {
            (self.deadline, Phase::Total)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use globset::Glob;

    use super::ToolTimeouts;

    #[test]
    fn the_first_that_names_a_tool_counts() {
        let of = |pattern: &str, seconds| {
            let glob = Glob::new(pattern).unwrap().compile_matcher();
            (glob, Duration::from_secs(seconds))
        };
        let timeouts = ToolTimeouts(vec![
            of("export_all", 900),
            of("export_*", 600),
            of("{a,b}_*", 5),
        ]);
        for (tool, seconds) in [
            ("export_all", Some(900)),
            ("export_one", Some(600)),
            ("b_x", Some(5)),
            ("exports", None),
        ] {
            assert_eq!(
                timeouts.of(tool),
                seconds.map(Duration::from_secs),
                "{tool}"
            );
        }
    }
}
