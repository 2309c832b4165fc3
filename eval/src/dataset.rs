//! Which tools, which questions, which answers count as right?
//!
//! Format: `{"tools": [{name, title?, description, inputSchema}], "queries": [{id, lang, kind?,
//! split?, text, relevant: [names], groups?}]}`, also gzipped. Each inner list of `groups` is one
//! need, met by any one of its tools; without groups every relevant tool is a need of its own,
//! unless the set says with `"any": true` that one of them is enough.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value;
use toolsearch_search::Document;

/// Tools and the questions asked of them.
#[derive(Debug)]
pub struct Dataset {
    /// For reports.
    pub name: String,
    /// Tool names, in the list's order.
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
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    tools: Vec<Tool>,
    #[serde(default)]
    queries: Vec<Query>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(rename = "inputSchema", default)]
    input_schema: Value,
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
        let File { mut tools, queries } = read(file)?;
        if let Some(catalog) = catalog.filter(|_| tools.is_empty()) {
            tools = read(catalog)?.tools;
        }
        let name = file
            .file_name()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let name = name.split('.').next().unwrap_or_default().to_owned();
        let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
        let questions = queries.into_iter().map(|query| question(query, &names));
        let questions = questions
            .collect::<anyhow::Result<_>>()
            .with_context(|| format!("in {}", file.display()))?;
        let documents = tools.iter().map(document).collect();
        Ok(Self {
            name,
            names,
            documents,
            questions,
        })
    }
}

fn document(tool: &Tool) -> Document {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Document::new(
        &tool.name,
        &text(&tool.title),
        &text(&tool.description),
        &tool.input_schema,
    )
}

fn question(query: Query, names: &[String]) -> anyhow::Result<Question> {
    let position = |name: &String| {
        let position = names.iter().position(|known| known == name);
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
    if needs.iter().all(Vec::is_empty) {
        bail!("question {} has no right answer", query.id);
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
    })
}

fn read(file: &Path) -> anyhow::Result<File> {
    let mut bytes =
        std::fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut json = Vec::new();
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut json)?;
        bytes = json;
    }
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is no evaluation set", file.display()))
}
