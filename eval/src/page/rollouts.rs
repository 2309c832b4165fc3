//! Does anybody notice when something changes?

use std::collections::BTreeMap;

use crate::records::{Load, Rollouts};
use crate::table::markdown;

/// The section on rollouts under load.
pub(crate) fn rollouts(record: &Rollouts) -> String {
    let mut counts: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for change in &record.changes {
        let entry = counts.entry(&change.change).or_default();
        entry.0 += 1;
        entry.1 += change.seconds;
    }
    let changes = counts.iter().map(|(name, (count, seconds))| {
        #[expect(clippy::cast_precision_loss, reason = "a handful of changes")]
        let mean = seconds / *count as f64;
        vec![
            (*name).to_owned(),
            count.to_string(),
            format!("{mean:.0} s"),
        ]
    });
    let changes = markdown(
        &["change", "times", "until all was settled again"],
        &changes.collect::<Vec<_>>(),
    );
    format!(
        "\
## Rollouts

`tests/run cluster` (`toolsearch-rollouts`): clients without any retry call through the Service of a \
cluster of two nodes while everything that can change does, and check the contents of every answer. \
In the same run the controls (no drain, killed pods, readiness that is always true) lose calls, as \
they must.

Changes under load: {calls} calls, **{failed} failed**.

{changes}
By kind of client, while nothing changes / while everything does:

{kinds}
{stamp}
",
        calls = record.changing.calls,
        failed = record.changing.failed,
        kinds = kinds(&record.calm, &record.changing),
        stamp = record.recorded,
    )
}

fn kinds(calm: &Load, changing: &Load) -> String {
    let rows = changing.kinds.iter().map(|(name, kind)| {
        let before = calm.kinds.get(name).cloned().unwrap_or_default();
        let pair = |a: Option<f64>, b: Option<f64>| {
            let one = |value: Option<f64>| {
                value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1} ms"))
            };
            format!("{} / {}", one(a), one(b))
        };
        vec![
            name.clone(),
            kind.calls.to_string(),
            kind.failed.to_string(),
            pair(before.p50_ms, kind.p50_ms),
            pair(before.p99_ms, kind.p99_ms),
            kind.longest_gap_ms
                .map_or_else(|| "–".to_owned(), |gap| format!("{gap:.0} ms")),
        ]
    });
    let head = [
        "clients",
        "calls",
        "failed",
        "p50",
        "p99",
        "longest pause without an answer",
    ];
    markdown(&head, &rows.collect::<Vec<_>>())
}
