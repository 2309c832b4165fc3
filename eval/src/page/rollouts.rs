//! Does anybody notice when something changes?

use std::collections::BTreeMap;

use crate::records::{Load, Rollouts, Served};
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
{served}By kind of client, while nothing changes / while everything does:

{kinds}
{stamp}
",
        calls = record.changing.calls,
        failed = record.changing.failed,
        served = record.served.as_ref().map(served).unwrap_or_default(),
        kinds = kinds(&record.calm, &record.changing),
        stamp = record.recorded,
    )
}

/// Nothing for a record from before this was counted.
fn served(served: &Served) -> String {
    let rows = [
        ("generations of pods", &served.generations),
        ("pods", &served.pods),
    ];
    let rows = rows.map(|(name, share)| {
        vec![
            name.to_owned(),
            share.ready.to_string(),
            share.served.to_string(),
            share.fewest_calls.to_string(),
        ]
    });
    let head = ["", "became ready", "served calls", "fewest calls of one"];
    format!(
        "Whose calls reached the upstream, by the addresses that they came from; a generation is the \
         pods of one template:\n\n{}\n",
        markdown(&head, &rows)
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::rollouts;

    fn page(more: &Value) -> String {
        let load = json!({ "calls": 9, "failed": 0, "kinds": {} });
        let stamp = json!({ "date": "2026-12-03", "version": "1", "machine": "m" });
        let mut record =
            json!({ "recorded": stamp, "calm": load, "changing": load, "changes": [] });
        for (key, value) in more.as_object().into_iter().flatten() {
            record[key] = value.clone();
        }
        rollouts(&serde_json::from_value(record).unwrap())
    }

    #[test]
    fn who_served_is_told_where_it_was_counted() {
        assert!(!page(&json!({})).contains("generation"));
        let share = |ready, served| json!({ "ready": ready, "served": served, "fewest_calls": 3 });
        let page =
            page(&json!({ "served": { "generations": share(12, 12), "pods": share(41, 40) } }));
        assert!(
            page.contains("| generations of pods | 12 | 12 | 3 |"),
            "{page}"
        );
        assert!(page.contains("| pods | 41 | 40 | 3 |"), "{page}");
    }
}
