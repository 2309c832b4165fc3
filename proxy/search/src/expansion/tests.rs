//! Words that mean the same, in small lists.

use serde_json::json;

use super::Expansion;
use crate::corpus::Corpus;
use crate::document::Document;
use crate::embed::Embedder;

fn expansion() -> Expansion {
    let tool = |name: &str, description: &str| Document::new(name, "", description, &json!({}));
    let tools = [
        tool("create_invoice", "Makes an invoice for a customer."),
        tool("get_weather", "Weather forecast for a place."),
        tool("empty", ""),
    ];
    let embedder = Embedder::builtin().unwrap();
    let mut pieces = embedder.pieces_of_many();
    Expansion::build(&Corpus::read(&tools), &embedder, &mut pieces)
}

#[test]
fn a_word_finds_its_translation() {
    let expansion = expansion();
    for (query, expected) in [
        ("klientas", 0),
        ("factura", 0),
        ("sukurti", 0),
        ("oras", 1),
        ("天気", 1),
        ("forecasts", 1),
    ] {
        let scores = expansion.score(query).scores;
        let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        assert_eq!(best, Some(expected), "{query}: {scores:?}");
        assert_eq!(scores[2], 0.0);
    }
}

#[test]
fn the_nearest_word_is_said() {
    let near = expansion().matched("send the invoices", 0);
    let invoice = near.iter().find(|near| near.asked == "invoices").unwrap();
    assert_eq!(invoice.found, "invoice");
    assert!(invoice.similarity > 0.5 && invoice.similarity <= 1.01);
    assert!(expansion().matched("invoice", 2).is_empty());
}

#[test]
fn nothing_is_known_of_what_is_no_word() {
    for query in ["", "42 7", "🚀", "\u{0}"] {
        assert_eq!(expansion().score(query).scores, [0.0; 3], "{query:?}");
    }
}
