//! The numbers that the ranking is held to, from `eval/thresholds.json`: recall at 5 on the test
//! split of the project's own questions, built-in model. A row of `hybrid` is the questions in
//! these languages and of these kinds (all, where it names none); `each_language` is every other
//! language, alone and in the mean.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Deserialize;
use toolsearch_eval::dataset::{Dataset, SPELT};
use toolsearch_eval::measure::{Metric, mean};
use toolsearch_eval::run::{By, Judged, SetRun, ask};
use toolsearch_search::{Embedder, Vectors, Weights};

#[derive(Deserialize)]
struct Thresholds {
    split: String,
    /// Questions that a group must have for the hybrid to be held to its two sides.
    large: usize,
    /// Which groups these are.
    large_by: Vec<By>,
    /// How far the hybrid may stay behind the better side there.
    slack: f64,
    hybrid: Vec<Row>,
    /// How much lower recall may be for misspelt questions than for the same ones spelt right.
    misspelling_costs: f64,
    each_language: Each,
}

#[derive(Deserialize)]
struct Row {
    what: String,
    #[serde(default)]
    languages: Vec<String>,
    #[serde(default)]
    kinds: Vec<String>,
    least: f64,
}

#[derive(Deserialize)]
struct Each {
    except: Vec<String>,
    mean: f64,
    each: f64,
    /// Questions that a language must have to be held to `each` alone.
    of: usize,
}

fn recall(run: &SetRun, ranking: &str, wanted: impl Fn(&Judged) -> bool) -> (usize, f64) {
    let at = run.ranking(ranking).expect("this ranking");
    let chosen = run.counted().filter(|question| wanted(question));
    let chosen: Vec<_> = chosen.map(|question| &question.figures[at]).collect();
    (chosen.len(), Metric::MAIN.of(&mean(chosen)))
}

fn among(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|known| known == name)
}

#[test]
fn recall_does_not_fall() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("thresholds.json");
    let held: Thresholds = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let dataset = Dataset::own().unwrap();
    let vectors = Vectors::new(Embedder::builtin().unwrap());
    let run = ask(&dataset, &held.split, Some(&vectors), &Weights::default()).unwrap();

    let mut problems = Vec::new();
    let mut hold = |what: &str, count: usize, reached: f64, least: f64| {
        assert!(count > 0, "{what}: there is no such question");
        if reached < least {
            problems.push(format!(
                "{what} ({count}): recall at 5 is {reached:.4}, held to {least}"
            ));
        }
    };
    for row in &held.hybrid {
        let (count, reached) = recall(&run, "hybrid", |question| {
            among(&row.languages, &question.lang) && among(&row.kinds, &question.kind)
        });
        hold(&row.what, count, reached, row.least);
    }
    let languages: HashSet<&str> = run.counted().map(|it| it.lang.as_str()).collect();
    let others: BTreeMap<&str, (usize, f64)> = languages
        .into_iter()
        .filter(|lang| !held.each_language.except.iter().any(|known| known == lang))
        .map(|lang| {
            (
                lang,
                recall(&run, "hybrid", |question| question.lang == lang),
            )
        })
        .collect();
    let many = others
        .iter()
        .filter(|(_, (count, _))| *count >= held.each_language.of);
    for (lang, (count, reached)) in many {
        hold(lang, *count, *reached, held.each_language.each);
    }
    let sum: f64 = others.values().map(|(_, reached)| reached).sum();
    let mean = sum / others.len() as f64;
    let kinds = run.groups();
    let of_kind = |name: &str| {
        let group = kinds
            .iter()
            .find(|group| group.by == By::Kind && group.name == name);
        let group = group.unwrap_or_else(|| panic!("no question is {name}"));
        Metric::MAIN.of(&group.mean(run.ranking("hybrid").unwrap()))
    };
    let cost = of_kind(SPELT) - of_kind("misspelt");
    assert!(
        cost <= held.misspelling_costs,
        "a misspelling costs {cost:.4}, at most {} is held",
        held.misspelling_costs
    );
    hold(
        "mean of the other languages",
        others.len(),
        mean,
        held.each_language.mean,
    );

    // Two sides are only worth having when together they are no worse than either.
    let groups = run.groups();
    let large = groups
        .iter()
        .filter(|group| group.questions.len() >= held.large && held.large_by.contains(&group.by));
    for group in large {
        let side = |name| Metric::MAIN.of(&group.mean(run.ranking(name).unwrap()));
        let better = f64::max(side("lexical"), side("semantic"));
        let what = format!("{}, against its better side", group.name);
        hold(
            &what,
            group.questions.len(),
            side("hybrid"),
            better - held.slack,
        );
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_data_is_what_its_page_says() {
    let dataset = Dataset::own().unwrap();
    assert!(dataset.names.len() >= 600);
    let services: HashSet<&str> = dataset
        .names
        .iter()
        .filter_map(|name| name.split(['_', '-', '.']).next())
        .collect();
    assert!(services.len() >= 35, "{} services", services.len());
    let ids: HashSet<&String> = dataset.questions.iter().map(|it| &it.id).collect();
    assert_eq!(ids.len(), dataset.questions.len());
    for question in &dataset.questions {
        assert!(
            ["tune", "test"].contains(&question.split.as_str()),
            "{}",
            question.id
        );
        assert!(
            !question.lang.is_empty() && !question.kind.is_empty(),
            "{}",
            question.id
        );
    }
}
