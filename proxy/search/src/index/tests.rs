//! Small lists, searched: the rules that hold whatever the weights are.

use serde_json::json;

use super::{Explanation, Index, Mode};
use crate::{Document, Embedder, Vectors, Weights};

fn documents() -> Vec<Document> {
    let tool = |name: &str, description: &str| Document::new(name, "", description, &json!({}));
    vec![
        tool("trackwell_create_issue", "Opens a new issue in a project."),
        tool("trackwell_list_issues", "Lists issues, newest first."),
        tool(
            "daymark_create_event",
            "Adds an event to a calendar and invites people.",
        ),
        tool("nimbus__getForecast", "Weather forecast for a place."),
        tool("saskaita_siusti", "Išsiunčia sąskaitą klientui."),
        tool("tenki_shirabe", "天気予報を調べる。"),
        tool("empty", ""),
    ]
}

fn index() -> Index {
    let vectors = Vectors::new(Embedder::builtin().unwrap());
    Index::build(&documents(), Some(&vectors)).unwrap()
}

fn first(index: &Index, query: &str) -> String {
    documents()[index.search(query, 1)[0].position].name.clone()
}

#[test]
fn words_meaning_and_slips_find_their_tool() {
    let index = index();
    for (query, expected) in [
        ("open an issue", "trackwell_create_issue"),
        ("schedule a meeting with my team", "daymark_create_event"),
        ("will it rain tomorrow", "nimbus__getForecast"),
        ("sąskaitos", "saskaita_siusti"),
        ("saskaitos", "saskaita_siusti"),
        ("天気", "tenki_shirabe"),
        ("calender event", "daymark_create_event"),
        ("trackwell-list-issues", "trackwell_list_issues"),
        ("trackwell_lsit_issues", "trackwell_list_issues"),
        ("nimbus getforecast", "nimbus__getForecast"),
    ] {
        assert_eq!(first(&index, query), expected, "{query}");
    }
}

#[test]
fn nothing_is_never_the_answer() {
    let index = index();
    for query in [
        "🚀",
        "?",
        "xyzzy",
        "the",
        "ąčę",
        &"word ".repeat(4000),
        "\u{0}",
        "a",
    ] {
        let hits = index.search(query, 3);
        assert_eq!(hits.len(), 3, "{query:?}");
        assert!(hits.iter().all(|hit| hit.score.is_finite()));
    }
    assert!(index.search(" \n", 3).is_empty() && index.search("a", 0).is_empty());
    assert!(Index::build(&[], None).unwrap().search("a", 3).is_empty());
}

#[test]
fn equal_tools_keep_the_lists_order() {
    let same = ["a", "b", "c", "d", "e"].map(|name| Document::new(name, "", "same", &json!({})));
    let index = Index::build(&same, None).unwrap();
    let positions: Vec<_> = index
        .search("same", 5)
        .into_iter()
        .map(|hit| hit.position)
        .collect();
    assert_eq!(positions, [0, 1, 2, 3, 4]);
}

#[test]
fn two_builds_answer_alike() {
    let (one, two) = (index(), index());
    for query in ["create an issue", "weather", "キャンセル", "sąskaita"] {
        assert_eq!(one.search(query, 7), two.search(query, 7));
    }
}

#[test]
fn an_explanation_adds_up_and_names_the_words() {
    let index = index();
    for explained in index.explain("create an issue", 7, Mode::Hybrid, &Weights::default()) {
        let Explanation {
            hit,
            named,
            lexical,
            expansion,
            semantic,
            ..
        } = explained;
        assert!((named + lexical + expansion + semantic - hit.score).abs() < 1e-6);
    }
    let best = &index.explain("create an issue", 1, Mode::Hybrid, &Weights::default())[0];
    assert_eq!(
        best.matched,
        ["name:create", "name:issue", "description:issue"]
    );
}

#[test]
fn vectors_are_shared_and_let_go() {
    let vectors = Vectors::new(Embedder::builtin().unwrap());
    let one = Index::build(&documents(), Some(&vectors)).unwrap();
    let two = Index::build(&documents(), Some(&vectors)).unwrap();
    assert_eq!(vectors.len(), documents().len());
    drop((one, two));
    assert!(vectors.is_empty());
}

mod properties {
    use proptest::prelude::*;

    use super::{Document, Index};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn any_tools_and_query_give_an_answer(
            texts in proptest::collection::vec((".{0,12}", ".{0,40}"), 1..6), query in ".{1,40}",
        ) {
            let documents: Vec<_> = texts.iter()
                .map(|(name, text)| Document::new(name, "", text, &serde_json::Value::Null)).collect();
            let index = Index::build(&documents, None).unwrap();
            let hits = index.search(&query, 10);
            prop_assert!(query.trim().is_empty() || hits.len() == documents.len());
            prop_assert!(hits.iter().all(|hit| hit.score.is_finite()));
        }
    }
}
