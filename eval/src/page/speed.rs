//! How long do things take?

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::records::{Timing, Timings, Wire, WireRow};
use crate::table::markdown;

const MODES: [&str; 3] = ["lexical", "semantic", "hybrid"];

/// The section on searching, building and embedding.
pub(crate) fn search(timings: &Timings) -> String {
    let mut text = "\
## Search

`cargo bench -p toolsearch-search` (criterion): one query on one core, by size of the list and mode; \
building an index; embedding a query. Each iteration of `search` asks four queries, in English, \
Lithuanian and Japanese; the time of one query is shown.

"
    .to_owned();
    let mut sizes: BTreeMap<u64, BTreeMap<&str, f64>> = BTreeMap::new();
    for timing in &timings.timings {
        if let ["search", mode, size] = timing.id.split('/').collect::<Vec<_>>()[..]
            && let Ok(size) = size.parse()
        {
            sizes.entry(size).or_default().insert(mode, timing.ns);
        }
    }
    let rows = sizes.iter().map(|(size, modes)| {
        let times = MODES.map(|mode| {
            modes
                .get(mode)
                .map_or_else(|| "–".to_owned(), |ns| time(*ns))
        });
        [vec![size.to_string()], times.to_vec()].concat()
    });
    let head = ["tools", "lexical", "semantic", "hybrid"];
    text.push_str(&markdown(&head, &rows.collect::<Vec<_>>()));
    text.push('\n');
    text.push_str(&others(timings, |id| {
        let told_apart = ["search/", ONE, VECTORS];
        !told_apart.iter().any(|begin| id.starts_with(begin)) && !is_of_arguments(id)
    }));
    text.push_str(&loops(timings));
    let _ = write!(text, "\n{}\n", timings.recorded);
    text
}

/// What begins the names of single queries' times: then what is asked, and the share that is faster.
const ONE: &str = "one of 10000/";
/// What begins the names of the two ways through the vectors.
const VECTORS: &str = "vectors of 10000/";

/// How slow the slowest are, and how far from what memory allows; nothing where it was not measured.
fn loops(timings: &Timings) -> String {
    let named = |name: String| timings.timings.iter().find(|timing| timing.id == name);
    let kinds = timings.timings.iter().filter_map(|timing| {
        let kind = timing.id.strip_prefix(ONE)?.strip_suffix("/p50")?;
        let slow = named(format!("{ONE}{kind}/p99"))?;
        Some(vec![kind.to_owned(), time(timing.ns), time(slow.ns)])
    });
    let kinds: Vec<_> = kinds.collect();
    let mut text = String::new();
    if !kinds.is_empty() {
        text.push_str("\nOne hybrid query over 10,000 tools, each timed alone:\n\n");
        text.push_str(&markdown(&["queries", "p50", "p99"], &kinds));
    }
    let (sum, products) = (format!("{VECTORS}plain sum"), format!("{VECTORS}products"));
    if let (Some(sum), Some(products)) = (named(sum), named(products)) {
        let _ = write!(
            text,
            "\nScoring 10,000 vectors takes {}, {:.2} times as long as a plain sum of the same \
             bytes in the same run.\n",
            time(products.ns),
            products.ns / sum.ns
        );
    }
    text
}

/// The section on the check of arguments.
pub(crate) fn arguments(timings: &Timings) -> String {
    let mut text = "\
## Checking arguments

`cargo bench -p toolsearch-proxy --bench validate`: a schema of four properties is compiled once for \
each distinct definition; each call's arguments are checked.

"
    .to_owned();
    text.push_str(&others(timings, is_of_arguments));
    text
}

/// The section on relayed calls.
pub(crate) fn relayed(wire: &Wire) -> String {
    let mut text = "\
## A relayed call

`cargo bench -p toolsearch-proxy --bench relay`: the same call to the upstream alone, behind a proxy \
that only hands on what comes, and through ours, in turns, in one run over loopback, with clients, \
proxies and upstream on the same cores. `-- --beside PROGRAM` asks other builds of the proxy too.

"
    .to_owned();
    let rows = wire.rows.iter().map(|row| {
        vec![
            row.name.clone(),
            time(row.p50_us * 1e3),
            time(row.p99_us * 1e3),
            format!("{:.0}", row.calls_per_second),
        ]
    });
    let head = ["", "p50", "p99", "calls/s, 32 at once"];
    text.push_str(&markdown(&head, &rows.collect::<Vec<_>>()));
    if let [alone, bare, ours] = &wire.rows[..] {
        let added = |of: fn(&WireRow) -> f64| (of(ours) - of(alone)) / (of(bare) - of(alone));
        let _ = write!(
            text,
            "\nThe proxy adds {:.2} times what the bare one adds at p50, {:.2} times at p99, and \
             carries {:.2} of its calls a second.\n",
            added(|row| row.p50_us),
            added(|row| row.p99_us),
            ours.calls_per_second / bare.calls_per_second
        );
    }
    let _ = write!(text, "\n{}\n", wire.recorded);
    text
}

fn is_of_arguments(id: &str) -> bool {
    id.contains("arguments") || id.contains("schema")
}

fn others(timings: &Timings, wanted: impl Fn(&str) -> bool) -> String {
    let rows = timings.timings.iter().filter(|timing| wanted(&timing.id));
    let rows = rows.map(|Timing { id, ns }| vec![id.replace('/', ": "), time(*ns)]);
    markdown(&["", "time"], &rows.collect::<Vec<_>>())
}

/// A time in the unit that suits it, in three digits or two.
fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let digits = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_have_their_unit() {
        for (ns, text) in [
            (160.0, "160 ns"),
            (6_020.0, "6.02 µs"),
            (96_400.0, "96.4 µs"),
            (1.29e6, "1.29 ms"),
            (4.7e8, "470 ms"),
            (2e9, "2.00 s"),
        ] {
            assert_eq!(time(ns), text);
        }
    }
}
