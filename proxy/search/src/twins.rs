//! Which tools are one tool under several names? A gateway that serves two accounts of one service
//! lists all of its tools twice, under two prefixes: such twins take one place in an answer.

use std::collections::HashMap;

use crate::document::{Document, Parameter};
use crate::text;

/// What twins have in common: everything that is searched, but the beginning of the name.
#[derive(PartialEq, Eq, Hash)]
struct Likeness<'a> {
    last_word: String,
    title: &'a str,
    description: &'a str,
    parameters: &'a [Parameter],
}

/// The groups of twins of one list.
#[derive(Debug)]
pub(crate) struct Twins {
    /// By position, the group; tools without a twin are in none.
    groups: HashMap<usize, usize>,
    members: Vec<Vec<usize>>,
}

impl Twins {
    pub(crate) fn new(documents: &[Document]) -> Self {
        let mut alike: HashMap<Likeness<'_>, Vec<usize>> = HashMap::new();
        for (position, document) in documents.iter().enumerate() {
            if let Some(likeness) = likeness(document) {
                alike.entry(likeness).or_default().push(position);
            }
        }
        let alike = alike.into_values();
        let members: Vec<Vec<usize>> = alike.filter(|members| members.len() > 1).collect();
        let groups = members.iter().enumerate();
        let groups = groups
            .flat_map(|(group, members)| members.iter().map(move |&position| (position, group)));
        Self {
            groups: groups.collect(),
            members,
        }
    }

    /// The others of a tool's group, in the list's order.
    pub(crate) fn of(&self, position: usize) -> impl Iterator<Item = usize> {
        let group = self.groups.get(&position);
        let members = group.map_or(&[][..], |&group| &self.members[group]);
        members
            .iter()
            .copied()
            .filter(move |&member| member != position)
    }

    /// Puts all but the best of each group, of equal ones the first, out of every order: at minus
    /// infinity.
    pub(crate) fn keep_best(&self, scores: &mut [f32]) {
        for members in &self.members {
            let better = |best, member| {
                if scores[member] > scores[best] {
                    member
                } else {
                    best
                }
            };
            let best = members.iter().copied().reduce(better);
            for &member in members.iter().filter(|&&member| Some(member) != best) {
                scores[member] = f32::NEG_INFINITY;
            }
        }
    }
}

/// None for a tool without a description: what several of those do, nobody knows.
fn likeness(document: &Document) -> Option<Likeness<'_>> {
    if document.description.trim().is_empty() {
        return None;
    }
    Some(Likeness {
        last_word: text::words(&document.name).pop()?,
        title: &document.title,
        description: &document.description,
        parameters: &document.parameters,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Twins;
    use crate::document::Document;

    fn tool(name: &str, description: &str, parameter: &str) -> Document {
        let schema = json!({"properties": {parameter: {}}});
        Document::new(name, "", description, &schema)
    }

    #[test]
    fn twins_differ_in_nothing_but_the_beginning_of_their_names() {
        let documents = [
            tool("work_create_issue", "Opens an issue.", "title"),
            tool("home_create_issue", "Opens an issue.", "title"),
            tool("home_create_ticket", "Opens an issue.", "title"),
            tool("play_create_issue", "Opens an issue!", "title"),
            tool("toy_create_issue", "Opens an issue.", "name"),
            tool("a_blank", " ", "x"),
            tool("b_blank", " ", "x"),
            tool("create_issue", "Opens an issue.", "title"),
        ];
        let twins = Twins::new(&documents);
        assert_eq!(twins.of(0).collect::<Vec<_>>(), [1, 7]);
        assert_eq!(twins.of(7).collect::<Vec<_>>(), [0, 1]);
        for alone in 2..=6 {
            assert_eq!(twins.of(alone).count(), 0, "{alone}");
        }
        let best = |mut scores: [f32; 8]| {
            twins.keep_best(&mut scores);
            let kept = scores
                .iter()
                .enumerate()
                .filter(|(_, score)| score.is_finite());
            kept.map(|(position, _)| position).collect::<Vec<_>>()
        };
        assert_eq!(
            best([1.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]),
            [1, 2, 3, 4, 5, 6]
        );
        assert_eq!(
            best([1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
            [0, 2, 3, 4, 5, 6]
        );
        assert_eq!(
            best([1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]),
            [2, 3, 4, 5, 6, 7]
        );
    }
}
