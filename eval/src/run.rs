//! What came out of one run of the ruler? Every question's figures by every ranking, so that two
//! runs can be compared question by question. Holds ids, never texts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toolsearch_search::{Index, Mode, Vectors, Weights};

use crate::bootstrap::{Estimate, estimate};
use crate::dataset::{Dataset, Question};
use crate::measure::{DEPTH, Figures, Metric, judge, mean};

/// One run over some sets.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// Version of the code.
    pub version: String,
    /// The model's digest, or "none".
    pub embedder: String,
    /// The weights, as they print.
    pub weights: String,
    /// "tune", "test" or "all".
    pub split: String,
    /// What was asked.
    pub sets: Vec<SetRun>,
}

/// One set, asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SetRun {
    /// The set's name.
    pub set: String,
    /// Digest of its files.
    pub digest: String,
    /// Tools in it.
    pub tools: usize,
    /// The rankings: our modes, or peers.
    pub rankings: Vec<String>,
    /// The questions, in the set's order.
    pub questions: Vec<Judged>,
}

/// One question with its figures by each ranking, in the order of [`SetRun::rankings`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The question's id.
    pub id: String,
    /// Its language.
    pub lang: String,
    /// Its kind.
    pub kind: String,
    /// The same for questions with the same needs.
    pub cluster: usize,
    /// Counts in its kind's mean alone.
    #[serde(default)]
    pub control: bool,
    /// How each ranking did.
    pub figures: Vec<Figures>,
}

/// Asks a set's questions of our own index: by words, by meaning, by both; by words alone without
/// vectors.
///
/// # Errors
/// The index cannot be built.
pub fn ask(
    dataset: &Dataset,
    split: &str,
    vectors: Option<&Vectors>,
    weights: &Weights,
) -> anyhow::Result<SetRun> {
    let index = Index::build(&dataset.documents, vectors)?;
    let modes = [Mode::Lexical, Mode::Semantic, Mode::Hybrid];
    let modes = if vectors.is_some() {
        &modes[..]
    } else {
        &modes[..1]
    };
    let names = modes.iter().map(|mode| match mode {
        Mode::Lexical => "lexical".to_owned(),
        Mode::Semantic => "semantic".to_owned(),
        Mode::Hybrid => "hybrid".to_owned(),
    });
    Ok(judged(dataset, split, names.collect(), |question| {
        let positions = modes.iter().map(|mode| {
            let hits = index.rank(&question.text, DEPTH, *mode, weights);
            hits.iter().map(|hit| hit.position).collect()
        });
        positions.collect()
    }))
}

/// Judges rankings of any origin: for each question one list of positions by each ranking.
pub fn judged(
    dataset: &Dataset,
    split: &str,
    rankings: Vec<String>,
    mut ranked: impl FnMut(&Question) -> Vec<Vec<usize>>,
) -> SetRun {
    let questions = dataset.asked(split).map(|question| Judged {
        id: question.id.clone(),
        lang: question.lang.clone(),
        kind: question.kind.clone(),
        cluster: question.cluster,
        control: question.control,
        figures: ranked(question)
            .iter()
            .map(|ranking| judge(ranking, &question.needs))
            .collect(),
    });
    SetRun {
        set: dataset.name.clone(),
        digest: dataset.digest.clone(),
        tools: dataset.names.len(),
        questions: questions.collect(),
        rankings,
    }
}

impl SetRun {
    /// The place of a ranking.
    #[must_use]
    pub fn ranking(&self, name: &str) -> Option<usize> {
        self.rankings.iter().position(|ranking| ranking == name)
    }

    /// All questions, then those of each language, then those of each kind where there are kinds.
    #[must_use]
    pub fn groups(&self) -> Vec<Group<'_>> {
        let all = Group {
            by: By::All,
            name: "all",
            questions: self.counted().collect(),
        };
        let langs = grouped(self.counted(), By::Language, |question| &question.lang);
        let kinds = grouped(&self.questions, By::Kind, |question| &question.kind);
        [all].into_iter().chain(langs).chain(kinds).collect()
    }

    /// All questions but those that are asked only for comparison.
    pub fn counted(&self) -> impl Iterator<Item = &Judged> {
        self.questions.iter().filter(|question| !question.control)
    }
}

fn grouped<'a>(
    asked: impl IntoIterator<Item = &'a Judged>,
    by: By,
    key: impl Fn(&'a Judged) -> &'a str,
) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for question in asked {
        groups.entry(key(question)).or_default().push(question);
    }
    groups.remove("");
    let groups = groups.into_iter().map(|(name, questions)| Group {
        by,
        name,
        questions,
    });
    groups.collect()
}

/// What a group of questions has in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Nothing but the set.
    All,
    /// The language.
    Language,
    /// The kind.
    Kind,
}

/// Some questions of a set.
#[derive(Debug)]
pub struct Group<'a> {
    /// What they have in common.
    pub by: By,
    /// Which language, or which kind.
    pub name: &'a str,
    /// The questions.
    pub questions: Vec<&'a Judged>,
}

impl Group<'_> {
    /// The means of one ranking.
    #[must_use]
    pub fn mean(&self, ranking: usize) -> Figures {
        mean(
            self.questions
                .iter()
                .map(|question| &question.figures[ranking]),
        )
    }

    /// The main figure of one ranking, with its bounds.
    #[must_use]
    pub fn estimate(&self, ranking: usize) -> Estimate {
        let values = self.questions.iter().map(|question| {
            let value = Metric::MAIN.of(&question.figures[ranking]);
            (question.cluster, value)
        });
        estimate(values)
    }
}
