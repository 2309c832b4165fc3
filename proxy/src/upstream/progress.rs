//! Which progress notifications of one call reach its caller?
//!
//! Guarantees: values only rise; a caller that does not keep up loses notifications, never the
//! call. The token is left behind: each side has its own.

use crate::protocol::{Progress, ProgressSender};

/// The relay of one call.
#[derive(Debug, Default)]
pub(super) struct Relay {
    highest: Option<f64>,
}

impl Relay {
    /// Passes one notification on, if it is progress.
    pub(super) fn pass(&mut self, to: Option<&ProgressSender>, progress: Progress) {
        let Some(to) = to else { return };
        let Ok(value) = progress.progress.get().parse::<f64>() else {
            return;
        };
        if self.highest.is_some_and(|highest| value <= highest) {
            return;
        }
        self.highest = Some(value);
        // Full or closed: progress is a courtesy.
        drop(to.try_send(progress));
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    #[test]
    fn only_rising_values_pass() {
        let (to, mut from) = mpsc::channel(10);
        let mut relay = Relay::default();
        for value in ["0.10", "0.1", "0", "1e0", "-1", "2"] {
            let progress = Progress {
                progress: serde_json::from_str(value).unwrap(),
                total: None,
                message: None,
            };
            relay.pass(Some(&to), progress.clone());
            relay.pass(None, progress);
        }
        drop(to);
        let passed: Vec<_> = std::iter::from_fn(|| from.try_recv().ok())
            .map(|progress| progress.progress.get().to_owned())
            .collect();
        assert_eq!(passed, ["0.10", "1e0", "2"]);
    }
}
