//! Vectors against those of the reference implementation, stored beside each model.

use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView};
use serde_json::Value;

use super::Embedder;
use super::tokens::Tokens;

/// The five models of the tree: four for tests, and the one inside the binary.
const FOLDERS: [&str; 5] = [
    "fixtures/tiny-ml-64-i8-5k",
    "fixtures/tiny-ml-64-vq",
    "fixtures/tiny-ml-64-potionstyle",
    "fixtures/builtin-ml-256-i8-small",
    "model",
];

fn path(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn expected(folder: &str) -> Vec<(String, Vec<u64>, Vec<f32>)> {
    let json = std::fs::read(path(folder).join("expected.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let cases = json["cases"].as_array().unwrap();
    let cases = cases.iter().map(|case| {
        let ids = case["ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_u64().unwrap())
            .collect();
        let vector = case["vector"].as_array().unwrap();
        let vector = vector
            .iter()
            .map(|number| number.as_f64().unwrap() as f32)
            .collect();
        (case["text"].as_str().unwrap().to_owned(), ids, vector)
    });
    let cases: Vec<_> = cases.collect();
    assert!(cases.len() >= 15, "{folder} has {} cases", cases.len());
    cases
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| f64::from(*x) * f64::from(*y))
        .sum()
}

#[test]
fn vectors_equal_those_of_the_reference() {
    for folder in FOLDERS {
        let embedder = Embedder::open(&path(folder)).unwrap();
        for (text, _, expected) in expected(folder) {
            let vector = embedder.embed(&text);
            assert_eq!(vector.len(), embedder.dimensions());
            let lengths = (dot(&vector, &vector) * dot(&expected, &expected)).sqrt();
            if lengths == 0.0 {
                assert_eq!(vector, expected, "{folder}: {text:?}");
                continue;
            }
            let cosine = dot(&vector, &expected) / lengths;
            assert!(cosine >= 0.9999, "{folder}: {text:?} has cosine {cosine}");
            let off = vector
                .iter()
                .zip(&expected)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(off <= 1e-5, "{folder}: {text:?} is off by {off}");
        }
    }
}

#[test]
fn pieces_equal_those_of_the_reference() {
    for folder in FOLDERS {
        let json = std::fs::read(path(folder).join("tokenizer.json")).unwrap();
        let tokens = Tokens::parse(&json).unwrap();
        for (text, expected, _) in expected(folder) {
            let ids: Vec<u64> = tokens.ids(&text).into_iter().map(u64::from).collect();
            assert_eq!(ids, expected, "{folder}: {text:?}");
        }
    }
}

#[test]
fn pieces_of_many_texts_are_those_of_each() {
    let catalog = include_str!("../../../../eval/data/catalog.json");
    let catalog: Value = serde_json::from_str(catalog).unwrap();
    let tools = catalog["tools"].as_array().unwrap().iter();
    let mut texts: Vec<String> = tools
        .map(|tool| tool["description"].as_str().unwrap_or_default().to_owned())
        .collect();
    let odd = [
        "a \u{308}b",
        "\u{600} a",
        "a\r\nb\tc",
        "天 気 b",
        "a\u{b}b",
        "<unk> a<pad>b",
        "ﬁ ™ …",
        "हिन्दी भाषा",
    ];
    texts.extend(odd.map(str::to_owned));
    texts.push("word, ".repeat(2000));
    for folder in FOLDERS {
        let embedder = Embedder::open(&path(folder)).unwrap();
        let mut pieces = embedder.pieces_of_many();
        for text in &texts {
            assert_eq!(
                pieces.of_text(text),
                embedder.pieces(text),
                "{folder}: {text}"
            );
        }
    }
}

#[test]
fn the_builtin_model_is_the_folder() {
    let (builtin, opened) = (
        Embedder::builtin().unwrap(),
        Embedder::open(&path("model")).unwrap(),
    );
    assert_eq!(builtin.id(), opened.id());
    assert_eq!(
        builtin.embed("create an issue"),
        opened.embed("create an issue")
    );
}

#[test]
fn models_have_ids_of_their_own() {
    let ids = FOLDERS.map(|folder| Embedder::open(&path(folder)).unwrap().id().to_owned());
    let distinct: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
}

#[test]
fn a_half_precision_table_gives_the_same_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let source = path("fixtures/tiny-ml-64-potionstyle");
    let bytes = std::fs::read(source.join("model.safetensors")).unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let table = file.tensor("embeddings").unwrap();
    let numbers = table
        .data()
        .as_chunks()
        .0
        .iter()
        .map(|four| f32::from_le_bytes(*four));
    let halves: Vec<u8> = numbers
        .flat_map(|x| half::f16::from_f32(x).to_le_bytes())
        .collect();
    let view = TensorView::new(Dtype::F16, table.shape().to_vec(), &halves).unwrap();
    let written = safetensors::serialize([("embeddings", view)], None).unwrap();
    std::fs::write(folder.path().join("model.safetensors"), written).unwrap();
    for file in ["config.json", "tokenizer.json"] {
        std::fs::copy(source.join(file), folder.path().join(file)).unwrap();
    }
    let halved = Embedder::open(folder.path()).unwrap();
    for (text, _, expected) in expected("fixtures/tiny-ml-64-potionstyle") {
        let off = halved
            .embed(&text)
            .iter()
            .zip(&expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(off <= 1e-3, "{text:?} is off by {off}");
    }
}

#[test]
fn a_broken_folder_says_which_file_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let problem = || Embedder::open(folder.path()).unwrap_err().to_string();
    assert!(problem().contains("config.json"), "{}", problem());
    let source = path("fixtures/tiny-ml-64-i8-5k");
    for file in ["config.json", "tokenizer.json"] {
        std::fs::copy(source.join(file), folder.path().join(file)).unwrap();
    }
    assert!(problem().contains("model.safetensors"), "{}", problem());
    for (bytes, expected) in [
        (vec![], "not a Model2Vec"),
        (vec![0xff; 64], "not a Model2Vec"),
    ] {
        std::fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
        assert!(problem().contains(expected), "{}", problem());
    }
    let other = path("fixtures/builtin-ml-256-i8-small").join("model.safetensors");
    std::fs::copy(other, folder.path().join("model.safetensors")).unwrap();
    assert!(problem().contains("rows for 5002 tokens"), "{}", problem());
}
