//! The tree itself: what the architecture page promises, held against the sources.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the tree has failed"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Lines of one file, tests in it included.
const LONGEST: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Every file of an ending below a folder, paths relative to the root.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["target", "node_modules", "venv", ".git"].contains(&name.as_str()) {
                    open.push(path);
                }
            } else if name.ends_with(ending) {
                found.push(
                    path.strip_prefix(root())
                        .unwrap()
                        .to_string_lossy()
                        .into_owned(),
                );
            }
        }
    }
    found.sort();
    found
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

fn sources() -> Vec<String> {
    let sources = files("", ".rs");
    assert!(sources.len() > 60, "the tree is where it is looked for");
    sources
}

fn none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for_and_is_short() {
    let mut problems = Vec::new();
    for file in sources() {
        let text = read(&file);
        if !text.starts_with("//!") {
            problems.push(format!("{file}: begins without a module doc"));
        }
        let lines = text.lines().count();
        if lines > LONGEST {
            problems.push(format!("{file}: {lines} lines, at most {LONGEST}"));
        }
    }
    none(&problems);
}

#[test]
fn no_file_is_a_room_without_a_question() {
    let named = |file: &String| {
        let stem = Path::new(file)
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        ["util", "utils", "common", "helper", "helpers", "misc"].contains(&stem.as_str())
    };
    none(&sources().into_iter().filter(named).collect::<Vec<_>>());
}

/// The table of `docs/architecture.md`: what each module may use, by crate.
fn table() -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let page = read("docs/architecture.md");
    let mut tables = BTreeMap::new();
    for block in page.split("```imports ").skip(1) {
        let block = block.split("```").next().unwrap();
        let (folder, lines) = block.split_once('\n').unwrap();
        let rows = lines
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(module, used)| {
                (
                    module.trim().to_owned(),
                    used.split_whitespace().map(str::to_owned).collect(),
                )
            });
        tables.insert(folder.trim().to_owned(), rows.collect());
    }
    assert_eq!(tables.len(), 4, "the page has its four tables");
    tables
}

/// The paths of every `use crate::…` outside of tests, braces taken apart.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let statements = code.split(';').filter_map(|statement| {
        let at = statement.find("use crate::")?;
        Some(
            statement[at + "use crate::".len()..]
                .split_whitespace()
                .collect::<String>(),
        )
    });
    statements.flat_map(|path| flatten(&path)).collect()
}

fn flatten(path: &str) -> Vec<String> {
    let Some(open) = path.find('{') else {
        return vec![path.to_owned()];
    };
    let (prefix, inner) = (&path[..open], path[open + 1..].trim_end_matches('}'));
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => (),
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts
        .flat_map(|part| flatten(&format!("{prefix}{part}")))
        .collect()
}

#[test]
fn imports_go_one_way_as_the_table_says() {
    let mut problems = Vec::new();
    for (folder, allowed) in table() {
        for file in files(&folder, ".rs") {
            let inside = Path::new(&file)
                .strip_prefix(&folder)
                .unwrap()
                .with_extension("");
            let parts: Vec<String> = inside
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            let module = &parts[0];
            if ["main", "lib"].contains(&module.as_str())
                || parts.last().is_some_and(|part| part == "tests")
                || parts.contains(&"tests".to_owned())
            {
                continue;
            }
            let Some(may_use) = allowed.get(module) else {
                problems.push(format!("{file}: {module} is not in the table of {folder}"));
                continue;
            };
            for import in imports(&read(&file)) {
                let used = import.split("::").next().unwrap_or_default().to_owned();
                if used != *module && !may_use.contains(&used) {
                    problems.push(format!("{file}: {module} may not use {used} ({import})"));
                }
                let parent = parts[..parts.len() - 1].join("::");
                let of_parent = import
                    .strip_prefix(&format!("{parent}::"))
                    .filter(|_| !parent.is_empty());
                if of_parent.is_some_and(|item| {
                    !item.contains("::") && item.starts_with(char::is_uppercase)
                }) {
                    problems.push(format!("{file}: a child takes {import} from its parent"));
                }
            }
            let code = read(&file);
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            if code.lines().any(|line| {
                line.contains("super::")
                    && !line.trim_start().starts_with("//")
                    && !line.contains("pub(super)")
            }) {
                problems.push(format!("{file}: uses super:: outside of tests"));
            }
        }
    }
    none(&problems);
}

#[test]
fn one_file_calls_the_upstream() {
    let callers: Vec<String> = files("proxy/src/tools", ".rs")
        .into_iter()
        .filter(|file| read(file).contains("upstream.call("))
        .collect();
    assert_eq!(callers, ["proxy/src/tools/call.rs"]);
}

#[test]
fn every_path_named_in_the_docs_exists() {
    let mut problems = Vec::new();
    let pages = files("docs", ".md")
        .into_iter()
        .chain(["README.md".to_owned()]);
    for page in pages {
        let text = read(&page);
        for quoted in text.split('`').skip(1).step_by(2) {
            let first = quoted.split('/').next().unwrap_or_default();
            let is_path = quoted.contains('/')
                && [
                    "crds", "operator", "proxy", "eval", "tests", "docs", "charts",
                ]
                .contains(&first)
                && quoted
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            if is_path && !root().join(quoted).exists() {
                problems.push(format!("{page}: {quoted} does not exist"));
            }
        }
    }
    none(&problems);
}

#[test]
fn the_operator_carries_no_search() {
    let tree = std::process::Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "-e",
            "normal",
            "-p",
            "toolsearch-operator",
            "--prefix",
            "none",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    assert!(tree.contains("toolsearch-crds"), "cargo tree answers");
    for absent in [
        "candle-core",
        "tantivy",
        "toolsearch-search",
        "toolsearch-proxy ",
    ] {
        assert!(!tree.contains(absent), "{absent} is in the operator");
    }
}

/// Name and version of every package that a lock holds.
fn locked(file: &str) -> Vec<(String, String)> {
    let lock = read(file);
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key));
        line.map(|line| line.trim_matches(&[' ', '=', '"'][..]).to_owned())
    };
    let blocks = lock.split("[[package]]").skip(1);
    blocks
        .map(|block| {
            (
                value(block, "name").unwrap(),
                value(block, "version").unwrap(),
            )
        })
        .collect()
}

#[test]
fn what_is_fuzzed_is_what_is_shipped() {
    let shipped = locked("Cargo.lock");
    let fuzzed = locked("tests/fuzz/Cargo.lock");
    assert!(fuzzed.iter().any(|(name, _)| name == "jsonschema"));
    let differs = |package: &&(String, String)| {
        let is_known = shipped.iter().any(|(name, _)| *name == package.0);
        is_known && !shipped.contains(package)
    };
    let problems = fuzzed.iter().filter(differs);
    let problems = problems.map(|(name, version)| {
        format!("tests/fuzz/Cargo.lock: {name} {version} is not the version in Cargo.lock")
    });
    none(&problems.collect::<Vec<_>>());
}

#[test]
fn nothing_names_this_machine() {
    let mut problems = Vec::new();
    let texts = [".rs", ".md", ".toml", ".py", ".mjs", ".yaml"]
        .into_iter()
        .flat_map(|ending| files("", ending));
    for file in texts.filter(|file| !file.ends_with("tidy.rs")) {
        for absolute in ["root", "home", "work"].map(|folder| format!("/{folder}/")) {
            if read(&file).contains(&absolute) {
                problems.push(format!("{file}: names {absolute}"));
            }
        }
    }
    none(&problems);
}
