//! How do hits become an answer that fits? First names with descriptions, then schemas.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::fold;
use crate::tools::answer::serialize;
use crate::tools::tokens::at_most;

/// One hit as the model reads it.
#[derive(Serialize)]
pub(super) struct Hit<'a> {
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) description: String,
    #[serde(rename = "readOnly")]
    pub(super) read_only: bool,
    /// The same tool's other names.
    #[serde(rename = "alsoAs", skip_serializing_if = "Vec::is_empty")]
    pub(super) also_as: Vec<&'a str>,
    #[serde(rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    pub(super) schema: Option<Box<RawValue>>,
    /// The schema was shortened.
    #[serde(rename = "schemaFolded", skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_folded: bool,
    /// A schema was asked for and did not fit, not even shortened.
    #[serde(rename = "schemaOmitted", skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_omitted: bool,
    #[serde(skip)]
    pub(super) sentences: &'a [String],
    #[serde(skip)]
    pub(super) whole_schema: &'a RawValue,
}

/// Every query's hits, best first.
pub(super) type Hits<'a> = Vec<Vec<Hit<'a>>>;

/// Widths of a description that are tried, in quarters of a token as [`shorten`] counts them.
const WIDTHS: [usize; 3] = [200, 120, 60];
/// What punctuation between two hits may cost beyond the hits themselves.
const JOINT: usize = 4;

/// Gives descriptions of the first width at which all hits fit, and drops the worst hits where
/// none does. Says what is left of the budget, and how many hits were dropped.
pub(super) fn describe(hits: &mut Hits<'_>, budget: usize) -> (usize, usize) {
    let cost = |hit: &Hit<'_>| at_most(serialize(hit).get()) + JOINT;
    let mut spent = 0;
    for width in WIDTHS {
        for hit in hits.iter_mut().flatten() {
            hit.description = shorten(hit.sentences, width);
        }
        spent = hits.iter().flatten().map(cost).sum();
        if spent <= budget {
            return (budget - spent, 0);
        }
    }
    let mut dropped = 0;
    while spent > budget
        && let Some(hit) = drop_worst(hits)
    {
        spent -= cost(&hit);
        dropped += 1;
    }
    (budget.saturating_sub(spent), dropped)
}

/// The last hit of the longest list.
pub(super) fn drop_worst<'a>(hits: &mut Hits<'a>) -> Option<Hit<'a>> {
    hits.iter_mut().max_by_key(|hits| hits.len())?.pop()
}

/// Gives schemas to the best `most` hits of each query, best first: of what is left a hit may take
/// twice its even share, so that the best of three has half of it.
pub(super) fn add_schemas(hits: &mut Hits<'_>, most: usize, budget: usize) {
    let mut left = budget;
    let ranks = hits
        .iter()
        .map(|hits| hits.len().min(most))
        .max()
        .unwrap_or_default();
    let mut waiting: usize = hits.iter().map(|hits| hits.len().min(most)).sum();
    for rank in 0..ranks {
        for hit in hits.iter_mut().filter_map(|hits| hits.get_mut(rank)) {
            let share = left * 2 / (waiting + 1);
            waiting -= 1;
            // A token is hardly ever longer: what cannot fit is not counted.
            let fits = |json: &str| json.len() <= 32 * share && at_most(json) <= share;
            let folded = fold::within(hit.whole_schema, &[], fits);
            if let Some(folded) = &folded {
                left -= at_most(folded.schema.get());
            }
            hit.is_folded = folded.as_ref().is_some_and(|folded| folded.is_cut);
            hit.is_omitted = folded.is_none();
            hit.schema = folded.map(|folded| folded.schema);
        }
    }
}

/// Takes away the worst hit's schema.
pub(super) fn drop_schema(hits: &mut Hits<'_>) -> bool {
    let ranks = hits.iter().map(Vec::len).max().unwrap_or_default();
    for rank in (0..ranks).rev() {
        for hit in hits.iter_mut().rev().filter_map(|hits| hits.get_mut(rank)) {
            if hit.schema.take().is_some() {
                (hit.is_folded, hit.is_omitted) = (false, true);
                return true;
            }
        }
    }
    false
}

/// The sentences that fit into so many quarters of a token, or the first one cut at a word.
///
/// An estimate, not a bound: four ASCII characters are about a token, and so is one of CJK.
fn shorten(sentences: &[String], most: usize) -> String {
    let mut text = String::new();
    let mut left = most;
    for sentence in sentences {
        match left.checked_sub(sentence.chars().map(weight).sum::<usize>() + 1) {
            Some(rest) => left = rest,
            None => break,
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    let Some(first) = sentences.first().filter(|_| text.is_empty()) else {
        return text;
    };
    let mut left = most;
    let kept = |character: &char| {
        let rest = left.checked_sub(weight(*character));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let head: String = first.chars().take_while(kept).collect();
    let word = head
        .rfind(' ')
        .filter(|at| *at > head.len() / 2)
        .unwrap_or(head.len());
    format!("{}…", head[..word].trim_end_matches([',', ';', ':', ' ']))
}

const fn weight(character: char) -> usize {
    match character.len_utf8() {
        1 => 1,
        2 => 2,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    fn short(text: &[&str]) -> String {
        shorten(
            &text.iter().map(|&it| it.to_owned()).collect::<Vec<_>>(),
            200,
        )
    }

    #[test]
    fn descriptions_end_at_a_sentence_or_a_word() {
        assert_eq!(short(&[]), "");
        assert_eq!(short(&["List boards.", "Fast."]), "List boards. Fast.");
        let sentences = ["Creates an issue in the tracker."; 10];
        assert!(short(&sentences).ends_with("tracker.") && short(&sentences).len() <= 200);
        assert!(short(&["word ".repeat(100).trim()]).ends_with("word…"));
        assert_eq!(short(&["課題を作成します。"; 40]).matches('。').count(), 5);
        assert_eq!(short(&["x".repeat(400).as_str()]).chars().count(), 201);
    }
}
