//! Which tools, which questions, which answers count as right?
//!
//! Format: `{"tools": [{name, title?, description, inputSchema}], "queries": [{id, lang, kind?,
//! split?, text, spelt?, relevant: [names], groups?}]}`, also gzipped. Each inner list of `groups` is one
//! need, met by any one of its tools; without groups every relevant tool is a need of its own,
//! unless the set says with `"any": true` that one of them is enough. A misspelt question may say
//! with `spelt` how it is spelt right: it is asked so too, and counts only in a group of that name.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use toolsearch_search::Document;

/// Tools and the questions asked of them.
#[derive(Debug)]
pub struct Dataset {
    /// For reports: the file's name up to its first dot, `own` for the project's own set.
    pub name: String,
    /// Of all the bytes read, so that two recorded runs can be told to be of the same data.
    pub digest: String,
    /// The tools as they stand in the file, in the list's order.
    pub tools: Vec<Value>,
    /// Tool names, in the same order.
    pub names: Vec<String>,
    /// What is indexed, in the same order.
    pub documents: Vec<Document>,
    /// The questions.
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Debug, Clone)]
pub struct Question {
    /// Unique within its set.
    pub id: String,
    /// Language code; `lt-ascii` is Lithuanian typed without diacritics.
    pub lang: String,
    /// What kind of question it is ("plain", "paraphrase", …); empty where the set has no kinds.
    pub kind: String,
    /// "tune" or "test"; empty where the set is not split.
    pub split: String,
    /// What is asked.
    pub text: String,
    /// Needs: each a list of positions, any of which meets it.
    pub needs: Vec<Vec<usize>>,
    /// The same for questions that have the same needs: translations and variants of one another,
    /// which an interval must not count as independent.
    pub cluster: usize,
    /// Asked to be compared with another form of the same question, and in no mean but its own
    /// kind's.
    pub control: bool,
}

/// The kind of a misspelt question spelt right.
pub const SPELT: &str = "misspelt, but spelt right";

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    tools: Vec<Value>,
    #[serde(default)]
    queries: Vec<Query>,
}

#[derive(Deserialize)]
struct Query {
    id: Value,
    #[serde(default)]
    lang: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    split: String,
    text: String,
    #[serde(default)]
    spelt: Option<String>,
    relevant: Vec<String>,
    #[serde(default)]
    groups: Option<Vec<Vec<String>>>,
    #[serde(default)]
    any: bool,
}

impl Dataset {
    /// Reads a set; questions may stand in a file of their own beside `catalog`.
    ///
    /// # Errors
    /// A file cannot be read, or a question names a tool that is not in the set.
    pub fn read(file: &Path, catalog: Option<&Path>) -> anyhow::Result<Self> {
        let mut digest = Sha256::new();
        let File { mut tools, queries } = read(file, &mut digest)?;
        if let Some(catalog) = catalog.filter(|_| tools.is_empty()) {
            tools = read(catalog, &mut digest)?.tools;
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().to_owned();
        let names: Vec<String> = tools.iter().map(|tool| text(tool, "name")).collect();
        let questions =
            questions(queries, &names).with_context(|| format!("in {}", file.display()))?;
        let digest: String = digest.finalize().iter().map(hex).collect();
        Ok(Self {
            name,
            digest,
            documents: tools.iter().map(document).collect(),
            tools,
            names,
            questions,
        })
    }

    /// The project's own set, from the folder `eval/data`.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn own() -> anyhow::Result<Self> {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let (questions, catalog) = (data.join("questions.json"), data.join("catalog.json"));
        let set = Self::read(&questions, Some(&catalog))?;
        Ok(Self {
            name: "own".to_owned(),
            ..set
        })
    }

    /// The questions of a split; all of them when it is "all" or the set is not split.
    pub fn asked(&self, split: &str) -> impl Iterator<Item = &Question> {
        let all = split == "all";
        self.questions
            .iter()
            .filter(move |question| all || question.split.is_empty() || question.split == split)
    }
}

fn hex(byte: &u8) -> String {
    format!("{byte:02x}")
}

fn text(tool: &Value, member: &str) -> String {
    tool[member].as_str().unwrap_or_default().to_owned()
}

fn document(tool: &Value) -> Document {
    let text = |member| text(tool, member);
    Document::new(
        &text("name"),
        &text("title"),
        &text("description"),
        &tool["inputSchema"],
    )
}

fn questions(queries: Vec<Query>, names: &[String]) -> anyhow::Result<Vec<Question>> {
    let mut positions = HashMap::new();
    for (position, name) in names.iter().enumerate() {
        positions.entry(name.as_str()).or_insert(position);
    }
    let mut clusters = BTreeMap::new();
    let mut questions = Vec::with_capacity(queries.len());
    for mut query in queries {
        let spelt = query.spelt.take();
        let mut question = question(query, &positions)?;
        let mut needs = question.needs.clone();
        needs.iter_mut().for_each(|need| need.sort_unstable());
        needs.sort();
        let next = clusters.len();
        question.cluster = *clusters.entry(needs).or_insert(next);
        let right = spelt.map(|text| Question {
            id: format!("{}-spelt", question.id),
            kind: SPELT.to_owned(),
            text,
            control: true,
            ..question.clone()
        });
        questions.push(question);
        questions.extend(right);
    }
    Ok(questions)
}

fn question(query: Query, positions: &HashMap<&str, usize>) -> anyhow::Result<Question> {
    let position = |name: &String| {
        let position = positions.get(name.as_str()).copied();
        position.with_context(|| format!("question {} names {name}, which is no tool", query.id))
    };
    let groups = match query.groups {
        Some(groups) => groups,
        None if query.any => vec![query.relevant],
        None => query.relevant.into_iter().map(|name| vec![name]).collect(),
    };
    let needs = groups
        .iter()
        .map(|group| group.iter().map(position).collect())
        .collect::<anyhow::Result<Vec<Vec<_>>>>()?;
    if needs.is_empty() || needs.iter().any(Vec::is_empty) {
        bail!("question {} has a need without a right answer", query.id);
    }
    let id = query
        .id
        .as_str()
        .map_or_else(|| query.id.to_string(), str::to_owned);
    Ok(Question {
        id,
        lang: query.lang,
        kind: query.kind,
        split: query.split,
        text: query.text,
        needs,
        cluster: 0,
        control: false,
    })
}

fn read(file: &Path, digest: &mut Sha256) -> anyhow::Result<File> {
    let mut bytes =
        std::fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
    digest.update(&bytes);
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut json = Vec::new();
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut json)?;
        bytes = json;
    }
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is no evaluation set", file.display()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::Dataset;

    const SET: &str = r#"{"tools":[{"name":"a","description":"x","inputSchema":{}},{"name":"b"}],
        "queries":[{"id":1,"lang":"en","text":"q","relevant":["a","b"]},
        {"id":"two","text":"r","relevant":["a","b"],"groups":[["b","a"]],"split":"test"},
        {"id":"three","kind":"misspelt","lang":"en","text":"s","spelt":"ss","relevant":["b","a"],"any":true,"split":"tune"}]}"#;

    #[test]
    fn plain_and_gzipped_sets_are_read_alike() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, zipped) = (
            folder.path().join("s.json"),
            folder.path().join("s.json.gz"),
        );
        std::fs::write(&plain, SET).unwrap();
        let file = std::fs::File::create(&zipped).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        gzip.write_all(SET.as_bytes()).unwrap();
        gzip.finish().unwrap();
        for file in [plain, zipped] {
            let set = Dataset::read(&file, None).unwrap();
            assert_eq!((set.name.as_str(), set.names.len()), ("s", 2));
            let [one, two, three, right] = &set.questions[..] else {
                panic!("three questions, one of them twice")
            };
            assert_eq!(one.id, "1");
            assert_eq!(one.needs, [[0], [1]]);
            assert_eq!(two.needs, [[1, 0]]);
            assert_eq!((two.cluster, three.cluster), (1, 1), "the same needs");
            assert_eq!((right.text.as_str(), right.cluster), ("ss", 1));
            assert!(right.control && !three.control && right.kind == super::SPELT);
            let asked = |split| set.asked(split).count();
            assert_eq!((asked("all"), asked("test"), asked("tune")), (4, 2, 3));
        }
    }

    #[test]
    fn a_wrong_set_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.json");
        for (change, complaint) in [
            (
                SET.replace(r#"["a","b"]}"#, r#"["a","c"]}"#),
                "names c, which is no tool",
            ),
            (
                SET.replace(r#"[["b","a"]]"#, "[[]]"),
                "without a right answer",
            ),
            ("{".to_owned(), "no evaluation set"),
        ] {
            std::fs::write(&file, change).unwrap();
            let error = format!("{:#}", Dataset::read(&file, None).unwrap_err());
            assert!(error.contains(complaint), "{error}");
        }
    }
}
