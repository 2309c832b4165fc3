//! The official JSON Schema test suite against the argument check: every keyword of 2020-12, and of
//! 2019-09 and draft 7 by `$schema`; `format` explains and does not assert.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the suite has failed"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolsearch_proxy::validate::{Validator, Verdict};

/// Folders of the suite, each with what `$schema` says where a test leaves it out, and the least
/// number of tests in it: fewer are a suite that was not read.
const DRAFTS: [(&str, &str, usize); 3] = [
    (
        "draft2020-12",
        "https://json-schema.org/draft/2020-12/schema",
        1200,
    ),
    (
        "draft2019-09",
        "https://json-schema.org/draft/2019-09/schema",
        1100,
    ),
    ("draft7", "http://json-schema.org/draft-07/schema#", 800),
];

/// What may fail, a line each: draft, file, schema and test, and behind two blanks and a hash why.
const EXPECTED: &str = include_str!("../json-schema/expected-failures.txt");

fn suite() -> PathBuf {
    let fetch = Path::new(env!("CARGO_MANIFEST_DIR")).join("json-schema/fetch.py");
    let fetched = Command::new("python3").arg(fetch).output();
    let fetched = fetched.expect("python3 runs");
    let said = String::from_utf8_lossy(&fetched.stderr).into_owned();
    assert!(fetched.status.success(), "{said}");
    String::from_utf8(fetched.stdout).unwrap().trim().into()
}

/// Every file of a draft, but those that hold `format` to be an assertion.
fn files(draft: &Path) -> Vec<PathBuf> {
    let in_folder = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    let all = in_folder(draft.to_owned()).chain(in_folder(draft.join("optional")));
    let mut files: Vec<_> = all
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter(|path| !path.ends_with("optional/format-assertion.json"))
        .collect();
    files.sort();
    files
}

/// Runs one draft; names of the tests with what was found where it is wrong, and how many there are.
fn run(folder: &Path, draft: &str, dialect: &str) -> (Vec<(String, &'static str)>, usize) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    let folder = folder.join(draft);
    for file in files(&folder) {
        let name = file.strip_prefix(&folder).unwrap().with_extension("");
        let groups: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for group in groups.as_array().unwrap() {
            let mut schema = group["schema"].clone();
            if let Some(members) = schema.as_object_mut() {
                members.entry("$schema").or_insert_with(|| json!(dialect));
            }
            let schema = RawValue::from_string(schema.to_string()).unwrap();
            let validator = Validator::compile(&schema);
            for test in group["tests"].as_array().unwrap() {
                count += 1;
                let valid = test["valid"].as_bool().unwrap();
                let found = match (validator.check(&test["data"]), valid) {
                    (Verdict::Fits, true) | (Verdict::Violates(_), false) => continue,
                    (Verdict::Fits, false) => "fits",
                    (Verdict::Violates(_), true) => "violates",
                    (Verdict::Unchecked(reason), _) => reason,
                };
                let said = |value: &Value| value["description"].as_str().unwrap().to_owned();
                let name = name.display();
                let test = format!("{draft}: {name}: {}: {}", said(group), said(test));
                wrong.push((test, found));
            }
        }
    }
    (wrong, count)
}

#[test]
fn the_official_suite_passes_but_for_what_is_expected() {
    let folder = suite();
    let lines = EXPECTED
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let expected: BTreeSet<&str> = lines
        .map(|line| {
            let (test, reason) = line.split_once("  # ").expect("a reason on each line");
            assert!(!reason.trim().is_empty(), "{line}");
            test
        })
        .collect();
    let (mut problems, mut met, mut told) = (Vec::new(), BTreeSet::new(), Vec::new());
    for (draft, dialect, least) in DRAFTS {
        let (wrong, count) = run(&folder, draft, dialect);
        told.push(format!("{} of {count} of {draft}", count - wrong.len()));
        assert!(count >= least, "{count} tests of {draft}");
        for (test, found) in wrong {
            // A wrong verdict is never expected, only none.
            if !expected.contains(test.as_str()) || found != "schema_does_not_compile" {
                problems.push(format!("not expected: {test}  # {found}"));
            }
            met.insert(test);
        }
    }
    let passing = expected.into_iter().filter(|test| !met.contains(*test));
    problems.extend(passing.map(|test| format!("expected to fail, and passes: {test}")));
    let told = told.join(", ");
    println!("JSON Schema suite: {told}");
    if !include_str!("../../docs/contributing.md").contains(&told) {
        problems.push(format!("docs/contributing.md does not say: {told}"));
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
