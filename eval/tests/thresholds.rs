//! The numbers that the ranking is held to: recall at 5 on the test split of the project's own
//! questions, built-in model. Each stands at what was first measured, less one question.

use std::path::Path;

use toolsearch_eval::dataset::Dataset;
use toolsearch_eval::measure::{ask, by, mean};
use toolsearch_search::{Embedder, Index, Mode, Vectors, Weights};

#[test]
fn recall_does_not_fall() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let dataset = Dataset::read(
        &data.join("questions.json"),
        Some(&data.join("catalog.json")),
    )
    .unwrap();
    let vectors = Vectors::new(Embedder::builtin().unwrap());
    let index = Index::build(&dataset.documents, Some(&vectors)).unwrap();
    let measured = ask(&index, &dataset, "test", Mode::Hybrid, &Weights::default());
    let recall = |questions: &[_]| {
        mean(
            questions
                .iter()
                .map(|question: &toolsearch_eval::measure::Measured| &question.figures),
        )
        .recall[2]
    };
    let (languages, kinds) = (
        by(&measured, |question| &question.lang),
        by(&measured, |question| &question.kind),
    );
    for (found, least) in [
        (("en", recall(&languages["en"])), 0.73),
        (("lt", recall(&languages["lt"])), 0.50),
        (("lt-ascii", recall(&languages["lt-ascii"])), 0.40),
        (("name", recall(&kinds["name"])), 1.0),
        (("terse", recall(&kinds["terse"])), 0.94),
        (("all", recall(&measured)), 0.61),
    ] {
        let (name, reached) = found;
        assert!(
            reached >= least,
            "{name}: recall at 5 is {reached:.3}, held to {least}"
        );
    }
}

#[test]
fn the_data_is_what_its_page_says() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let dataset = Dataset::read(
        &data.join("questions.json"),
        Some(&data.join("catalog.json")),
    )
    .unwrap();
    assert!(dataset.names.len() >= 500);
    let services: std::collections::HashSet<&str> = dataset
        .names
        .iter()
        .filter_map(|name| name.split(['_', '-', '.']).next())
        .collect();
    assert!(services.len() >= 30, "{} services", services.len());
    let ids: std::collections::HashSet<&String> = dataset
        .questions
        .iter()
        .map(|question| &question.id)
        .collect();
    assert_eq!(ids.len(), dataset.questions.len());
}
