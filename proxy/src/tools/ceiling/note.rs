//! What is the model told about a result that was cut? What is missing, and how to get it.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::Members;
use crate::tools::ceiling::losses::Losses;
use crate::tools::tokens::{clip, within};

/// Tokens that are kept free for a note.
pub(super) const ROOM: usize = 400;
/// Arguments that are named.
const MOST_NAMED: usize = 5;
/// Bytes of an argument's name.
const NAME: usize = 30;

/// How the rest may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The same tool again.
    Again,
    /// The tool alone, not among others.
    Alone,
    /// Not with this tool: it may change something each time.
    Otherwise,
}

/// Arguments by which tools commonly give less at a time, without signs and in lower case.
const NARROWER: [&str; 46] = [
    "after",
    "before",
    "count",
    "cursor",
    "end",
    "endline",
    "fields",
    "filter",
    "first",
    "from",
    "head",
    "last",
    "length",
    "limit",
    "lines",
    "max",
    "maxbytes",
    "maxcharacters",
    "maxchars",
    "maxcount",
    "maxitems",
    "maxlength",
    "maxlines",
    "maxresults",
    "nextcursor",
    "offset",
    "page",
    "pagenumber",
    "pagesize",
    "pagetoken",
    "perpage",
    "q",
    "query",
    "range",
    "select",
    "since",
    "size",
    "skip",
    "start",
    "startat",
    "startindex",
    "startline",
    "tail",
    "to",
    "top",
    "until",
];

/// Arguments of a tool that ask for less, as its input schema writes them.
pub(super) fn narrower(schema: &RawValue) -> Vec<String> {
    #[derive(Deserialize)]
    struct Schema {
        #[serde(default)]
        properties: Option<Members>,
    }
    let schema = serde_json::from_str::<Schema>(schema.get()).ok();
    let properties = schema.and_then(|schema| schema.properties);
    let names = properties.unwrap_or_default().0.into_iter();
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|letter| letter.to_ascii_lowercase()).collect()
    };
    names
        .map(|(name, _)| name.name().to_owned())
        .filter(|name| name.len() <= NAME && NARROWER.contains(&plain(name).as_str()))
        .take(MOST_NAMED)
        .collect()
}

/// The note; `limit`: what is said to be the ceiling.
pub(super) fn note(losses: &Losses, limit: usize, way: Way, narrower: &[String]) -> String {
    let opening = if losses.is_short() {
        format!("This result was cut: the proxy gives at most {limit} tokens of one.")
    } else {
        format!("Nothing is missing; only so is it within {limit} tokens, as the proxy gives them.")
    };
    let named = narrower.iter().take(MOST_NAMED);
    let named: Vec<String> = named
        .map(|name| format!("`{}`", clip(name, NAME)))
        .collect();
    let takes = match (way, named.is_empty()) {
        (Way::Otherwise, _) | (_, true) => String::new(),
        (_, false) => format!(": it takes {}", named.join(", ")),
    };
    let rest = match way {
        _ if !losses.is_short() => String::new(),
        Way::Again => {
            format!(" For the rest, call the tool again and ask for less at a time{takes}.")
        }
        Way::Alone => format!(
            " For the rest, call the tool alone with call_read_tool, and ask for less at a time{takes}."
        ),
        Way::Otherwise => {
            " Do not repeat the call for the rest, since the tool may change things each \
            time: use a tool that only reads."
                .to_owned()
        }
    };
    let written = |most: usize| format!("[{opening} {}.{rest}]", losses.told(most));
    (1..=losses.named())
        .rev()
        .map(written)
        .find(|note| within(note, ROOM).is_some())
        .unwrap_or_else(|| written(0))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::value::RawValue;

    use super::{ROOM, Way, narrower, note};
    use crate::tools::ceiling::losses::Losses;
    use crate::tools::tokens::at_most;

    #[test]
    fn arguments_that_ask_for_less_are_known_by_their_names() {
        let schema = r#"{"properties":{"id":{},"page_size":{},"nextCursor":{},"x-limit":{},"Offset":{},"of":7}}"#;
        let named = |schema: &str| narrower(&RawValue::from_string(schema.to_owned()).unwrap());
        assert_eq!(named(schema), ["page_size", "nextCursor", "Offset"]);
        for none in ["7", "{}", r#"{"properties":7}"#, r#"{"properties":{}}"#] {
            assert_eq!(named(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn it_says_what_is_missing_and_how_to_get_it() {
        let mut losses = Losses::default();
        losses.rewrite("structuredContent", "left out, the text says the same");
        expect!["[Nothing is missing; only so is it within 2000 tokens, as the proxy gives them. structuredContent: left out, the text says the same.]"].assert_eq(&note(&losses, 2000, Way::Again, &[]));
        losses.lose("text/rows", "the first 40 of 500 items");
        let takes = ["limit".to_owned(), "offset".to_owned()];
        expect!["[This result was cut: the proxy gives at most 2000 tokens of one. structuredContent: left out, the text says the same; text/rows: the first 40 of 500 items. For the rest, call the tool again and ask for less at a time: it takes `limit`, `offset`.]"].assert_eq(&note(&losses, 2000, Way::Again, &takes));
        expect!["[This result was cut: the proxy gives at most 2000 tokens of one. structuredContent: left out, the text says the same; text/rows: the first 40 of 500 items. For the rest, call the tool alone with call_read_tool, and ask for less at a time.]"].assert_eq(&note(&losses, 2000, Way::Alone, &[]));
        expect!["[This result was cut: the proxy gives at most 2000 tokens of one. structuredContent: left out, the text says the same; text/rows: the first 40 of 500 items. Do not repeat the call for the rest, since the tool may change things each time: use a tool that only reads.]"].assert_eq(&note(&losses, 2000, Way::Otherwise, &takes));
    }

    #[test]
    fn it_keeps_to_its_room() {
        let mut losses = Losses::default();
        let names = vec!["Ω".repeat(15); 9];
        for _ in 0..2000 {
            losses.lose(&"物".repeat(500), "left out");
            for way in [Way::Again, Way::Alone, Way::Otherwise] {
                assert!(at_most(&note(&losses, 1_000_000, way, &names)) <= ROOM);
            }
        }
    }
}
