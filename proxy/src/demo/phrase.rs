//! What does a tool's name say? Service, deed and noun of a made-up tool.

/// A name taken apart: `trackwell_list_issues` lists the issues of trackwell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    service: String,
    pub(super) deed: Deed,
    /// In the singular, words joined by underscores.
    pub(super) noun: String,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    List,
    Read,
    Create,
    Change,
    Remove,
    Other,
}

const DEEDS: [(Deed, &[&str]); 5] = [
    (
        Deed::List,
        &[
            "list", "search", "find", "query", "browse", "lookup", "count",
        ],
    ),
    (
        Deed::Read,
        &[
            "get", "show", "read", "describe", "fetch", "view", "check", "inspect",
        ],
    ),
    (
        Deed::Create,
        &[
            "create", "add", "new", "open", "post", "send", "upload", "submit", "book", "schedule",
            "register", "insert", "publish", "invite", "start", "place", "save", "log", "write",
            "request",
        ],
    ),
    (
        Deed::Change,
        &[
            "update", "edit", "set", "rename", "move", "assign", "change", "patch", "modify",
            "close", "archive", "complete", "resolve", "merge", "enable", "disable", "mark",
            "approve", "reopen",
        ],
    ),
    (
        Deed::Remove,
        &[
            "delete", "remove", "cancel", "revoke", "drop", "purge", "trash", "destroy",
        ],
    ),
];

impl Phrase {
    pub(super) fn parse(name: &str) -> Self {
        let mut words = words(name).into_iter();
        let service = words.next().unwrap_or_default();
        let words: Vec<String> = words.collect();
        let verb = words
            .iter()
            .enumerate()
            .find_map(|(at, word)| Some((at, deed(word)?)));
        let (deed, nouns) = match verb {
            Some((at, deed)) => (
                deed,
                words
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != at)
                    .map(|(_, word)| word)
                    .collect(),
            ),
            None => (Deed::Other, words.iter().collect::<Vec<_>>()),
        };
        let noun = nouns
            .iter()
            .map(|word| singular(word))
            .collect::<Vec<_>>()
            .join("_");
        let noun = if noun.is_empty() {
            "item".to_owned()
        } else {
            noun
        };
        Self {
            service,
            deed,
            noun,
        }
    }

    /// Where the records of this noun are kept.
    pub(super) fn collection(&self) -> String {
        format!("{}/{}", self.service, self.noun)
    }

    pub(super) fn plural(&self) -> String {
        format!("{}s", self.noun)
    }

    /// The key a write answers under.
    pub(super) const fn done(&self) -> &'static str {
        match self.deed {
            Deed::Create => "created",
            Deed::Remove => "removed",
            Deed::List | Deed::Read | Deed::Change | Deed::Other => "updated",
        }
    }
}

fn deed(word: &str) -> Option<Deed> {
    DEEDS
        .iter()
        .find(|(_, verbs)| verbs.contains(&word))
        .map(|(deed, _)| *deed)
}

fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

/// Splits at case and at everything that is no letter or digit.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for character in name.chars() {
        let breaks = !character.is_alphanumeric() || (character.is_uppercase() && lower_before);
        lower_before = character.is_lowercase();
        if breaks {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{Deed, Phrase};

    #[test]
    fn a_name_says_service_deed_and_noun() {
        for (name, service, deed, noun) in [
            ("trackwell_list_issues", "trackwell", Deed::List, "issue"),
            ("nimbar__listMachines", "nimbar", Deed::List, "machine"),
            ("quillboard-create-card", "quillboard", Deed::Create, "card"),
            ("desk.delete_ticket", "desk", Deed::Remove, "ticket"),
            ("weather_forecast", "weather", Deed::Other, "forecast"),
            ("ping", "ping", Deed::Other, "item"),
        ] {
            let expected = Phrase {
                service: service.into(),
                deed,
                noun: noun.into(),
            };
            assert_eq!(Phrase::parse(name), expected);
        }
    }
}
