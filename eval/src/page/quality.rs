//! How well are tools found? By language and kind, on public sets, and beside others.

use std::fmt::Write as _;

use crate::measure::Metric;
use crate::records::{GroupRecord, Rankings, SetRecord};
use crate::run::By;
use crate::table::{markdown, share};

/// The project's own set.
pub(crate) const OWN: &str = "own";

/// The section on the project's own questions.
pub(crate) fn own(ranking: &Rankings) -> String {
    let mut text = "\
## Finding tools

`cargo run --release -p toolsearch-eval -- rank` asks the questions of `eval/data`; `--data FILE` \
asks any other set of the format described in `eval/src/dataset.rs`. `rank --json OUT` keeps every \
question's figures, and `compare A.json B.json` says which of two such runs is better, how surely, \
and which questions moved. Recall at k is the share of a question's needs that are met within the \
first k tools. Bounds are of a bootstrap over needs: questions that are translations or variants of \
one another are drawn together.
"
    .to_owned();
    let Some(set) = ranking.set(OWN) else {
        return text + "\nThe project's own questions were not asked yet.\n";
    };
    let _ = write!(
        text,
        "\nThe {} split of the project's own questions, {} tools; each cell {}. {}\n",
        set.split,
        set.tools,
        set.rankings.join(" / "),
        set.recorded
    );
    let _ = write!(
        text,
        "Model `{}`, weights `{}`.\n\n{}\n{}",
        ranking.embedder,
        ranking.weights,
        grouped(set, "language", &[By::All, By::Language]),
        grouped(set, "kind", &[By::Kind])
    );
    text
}

/// The section on the public sets.
pub(crate) fn public(ranking: &Rankings) -> String {
    let mut text = "\
### Public sets

All of their questions. The sets are not part of the repository: `record public --public DIR` asks \
every set of a folder.

"
    .to_owned();
    let sets = ranking.sets.iter().filter(|set| set.set != OWN);
    let rows: Vec<Vec<String>> = sets
        .filter_map(|set| Some(set_row(set, set.groups.first()?)))
        .collect();
    let head = [
        "set",
        "tools",
        "questions",
        "R@1",
        "R@3",
        "R@5",
        "R@10",
        "MRR",
        "nDCG@10",
        "R@5 hybrid, 95 %",
    ];
    if rows.is_empty() {
        return text + "They were not asked yet.\n";
    }
    text.push_str(&markdown(&head, &rows));
    let last = ranking.sets.iter().rev().find(|set| set.set != OWN);
    if let Some(last) = last {
        let _ = write!(
            text,
            "\nEach cell {}. {}\n",
            last.rankings.join(" / "),
            last.recorded
        );
    }
    text
}

/// The section on peers.
pub(crate) fn peers(ranking: &Rankings, peers: &Rankings) -> String {
    let mut text = "\
### Peers

`cargo run --release -p toolsearch-eval -- peers` installs the packages named in \
`eval/peers/requirements.txt` into a cached Python environment and asks them the same questions over \
the same tools; `eval/peers/run.py` shows how each is called. Each runs as its package ships it, \
without models or services that it would have to reach. A search by pattern gets the question's \
words, any of which may match. A dash: too slow to be asked so much. Recall at 5:

"
    .to_owned();
    text.push_str(&peer_table(ranking, peers));
    let versions = peers
        .peers
        .iter()
        .map(|peer| format!("{} {}", peer.name, peer.version));
    let versions = versions.collect::<Vec<_>>().join(", ");
    let stamp = peers.sets.last().map(|set| set.recorded.to_string());
    let _ = write!(text, "\n{versions}. {}\n", stamp.unwrap_or_default());
    let moved = peers.sets.iter().filter(|theirs| {
        let ours = ranking.set(&theirs.set);
        ours.is_some_and(|ours| (&ours.digest, &ours.split) != (&theirs.digest, &theirs.split))
    });
    for set in moved {
        let _ = write!(
            text,
            "\nThe peers were asked another version of {}; `record peers` asks them this one.\n",
            set.set
        );
    }
    text
}

/// Recall at 5 of ours and of each peer, by set and language.
pub(crate) fn peer_table(ranking: &Rankings, peers: &Rankings) -> String {
    let names = peers.peers.iter().map(|peer| peer.name.as_str());
    let head: Vec<&str> = ["set", "questions", "n", "ours"]
        .into_iter()
        .chain(names)
        .collect();
    let mut rows = Vec::new();
    for theirs in &peers.sets {
        let (ours, set) = (ranking.set(&theirs.set), theirs.set.as_str());
        let single = theirs
            .groups
            .iter()
            .filter(|group| group.by == By::Language)
            .count()
            < 2;
        for group in &theirs.groups {
            if group.by == By::Kind || (single && group.by == By::Language) {
                continue;
            }
            let same = ours.and_then(|ours| {
                let mut groups = ours.groups.iter();
                groups.find(|known| (known.by, &known.name) == (group.by, &group.name))
            });
            let ours = same.and_then(|same| same.figures.last());
            let theirs = peers.peers.iter().map(|peer| {
                let at = theirs.rankings.iter().position(|name| *name == peer.name)?;
                group.figures.get(at)
            });
            let all = [ours].into_iter().chain(theirs);
            let values = all.map(|figures| figures.map(|figures| Metric::MAIN.of(figures)));
            let values: Vec<Option<f64>> = values.collect();
            let best = values.iter().flatten().copied().fold(0.0, f64::max);
            let mut row = vec![set.to_owned(), group.name.clone(), group.n.to_string()];
            let cell =
                |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |it| bold(it, best));
            row.extend(values.into_iter().map(cell));
            rows.push(row);
        }
    }
    markdown(&head, &rows)
}

fn bold(value: f64, best: f64) -> String {
    if value >= best {
        format!("**{}**", share(value))
    } else {
        share(value)
    }
}

fn grouped(set: &SetRecord, title: &str, by: &[By]) -> String {
    let head = [
        title,
        "n",
        "R@1",
        "R@3",
        "R@5",
        "R@10",
        "MRR",
        "nDCG@10",
        "R@5 hybrid, 95 %",
    ];
    let groups = set.groups.iter().filter(|group| by.contains(&group.by));
    let rows = groups.map(|group| {
        let mut row = vec![group.name.clone(), group.n.to_string()];
        row.extend(cells(group));
        row
    });
    markdown(&head, &rows.collect::<Vec<_>>())
}

fn set_row(set: &SetRecord, group: &GroupRecord) -> Vec<String> {
    let mut row = vec![set.set.clone(), set.tools.to_string(), group.n.to_string()];
    row.extend(cells(group));
    row
}

fn cells(group: &GroupRecord) -> Vec<String> {
    let by_metric = Metric::ALL.iter().map(|metric| {
        let values = group
            .figures
            .iter()
            .map(|figures| share(metric.of(figures)));
        values.collect::<Vec<_>>().join(" / ")
    });
    let [low, high] = group.bounds.map(share);
    by_metric.chain([format!("{low}–{high}")]).collect()
}
