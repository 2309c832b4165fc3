//! Which name was meant? Close names for one that no tool has.

/// Positions of the nearest names, nearest first, ties in the list's order.
pub(super) fn nearest<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a str>,
    limit: usize,
) -> Vec<usize> {
    let wanted = Shape::new(wanted);
    let mut scored: Vec<(f64, usize)> = names
        .enumerate()
        .map(|(position, name)| (wanted.likeness(name), position))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(limit);
    scored.into_iter().map(|(_, position)| position).collect()
}

/// The position of the one name that `wanted` is clearly a slip of.
///
/// In this order, each only if exactly one name fits: the same letters and digits; the same
/// words in another order; the same without a server prefix on either side; one or two edits
/// away (one edit for every eight characters) while every other name is at least two further.
pub(super) fn intended<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<usize> {
    let wanted = Shape::new(wanted);
    if wanted.letters.is_empty() {
        return None;
    }
    let shapes: Vec<Shape> = names.map(Shape::new).collect();
    let by = |fits: &dyn Fn(&Shape) -> bool| {
        let mut positions = (0..shapes.len()).filter(|&position| fits(&shapes[position]));
        positions.next().filter(|_| positions.next().is_none())
    };
    by(&|shape| shape.letters == wanted.letters)
        .or_else(|| by(&|shape| shape.sorted_words() == wanted.sorted_words()))
        .or_else(|| by(&|shape| shape.extends(&wanted) || wanted.extends(shape)))
        .or_else(|| nearest_by_edits(&wanted, &shapes))
}

fn nearest_by_edits(wanted: &Shape, shapes: &[Shape]) -> Option<usize> {
    let allowed = (wanted.letters.chars().count() / 8).clamp(1, 3);
    let mut best: Option<(usize, usize)> = None;
    let mut second = usize::MAX;
    for (position, shape) in shapes.iter().enumerate() {
        if shape.letters.len().abs_diff(wanted.letters.len()) > allowed + 2 {
            continue;
        }
        let edits = strsim::osa_distance(&wanted.letters, &shape.letters);
        match best {
            Some((least, _)) if edits >= least => second = second.min(edits),
            Some((least, _)) => {
                second = least;
                best = Some((edits, position));
            }
            None => best = Some((edits, position)),
        }
    }
    best.filter(|&(edits, _)| edits <= allowed && second >= edits + 2)
        .map(|(_, position)| position)
}

/// A name without what models change by accident: case and separators.
#[derive(Debug)]
struct Shape {
    /// Lower-cased letters and digits, nothing else.
    letters: String,
    /// The same, split where the name was.
    words: Vec<String>,
}

impl Shape {
    fn new(name: &str) -> Self {
        let mut words = vec![String::new()];
        let mut lower_before = false;
        for character in name.chars() {
            let starts_word = character.is_uppercase() && lower_before;
            lower_before = character.is_lowercase() || character.is_numeric();
            if starts_word || !character.is_alphanumeric() {
                words.push(String::new());
            }
            if character.is_alphanumeric()
                && let Some(word) = words.last_mut()
            {
                word.extend(character.to_lowercase());
            }
        }
        words.retain(|word| !word.is_empty());
        Self {
            letters: words.concat(),
            words,
        }
    }

    fn sorted_words(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        words.sort_unstable();
        words
    }

    /// Whether this is the other with words in front, as a gateway's prefix is; at least two
    /// words must agree, since one word ("search") is everybody's.
    fn extends(&self, other: &Self) -> bool {
        other.words.len() >= 2
            && self.words.len() > other.words.len()
            && self.words.ends_with(&other.words)
    }

    /// 0 to 2: likeness of the letters plus the share of common words.
    fn likeness(&self, name: &str) -> f64 {
        let other = Self::new(name);
        let letters = strsim::normalized_damerau_levenshtein(&self.letters, &other.letters);
        let common = self
            .words
            .iter()
            .filter(|word| other.words.contains(word))
            .count();
        let all = self.words.len().max(other.words.len()).max(1);
        letters + common as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{intended, nearest};

    const NAMES: [&str; 8] = [
        "trackwell_create_issue",
        "trackwell_close_issue",
        "trackwell_list_issues",
        "quillboard-create-card",
        "mintdesk.create_ticket",
        "nimbar__listMachines",
        "search",
        "paylane_refund_payment",
    ];

    #[test]
    fn a_clear_slip_names_one_tool() {
        for (wanted, expected) in [
            ("trackwell-create-issue", Some("trackwell_create_issue")),
            ("TRACKWELL.create/issue", Some("trackwell_create_issue")),
            ("trackwellCreateIssue", Some("trackwell_create_issue")),
            ("create_issue", Some("trackwell_create_issue")),
            (
                "gateway_quillboard_create_card",
                Some("quillboard-create-card"),
            ),
            ("nimbar_list_machines", Some("nimbar__listMachines")),
            ("paylane_refund_paymnet", Some("paylane_refund_payment")),
            ("paylane_payment_refund", Some("paylane_refund_payment")),
            ("trackwell_create_isue", Some("trackwell_create_issue")),
            ("trackwell_delete_issue", None),
            ("list", None),
            ("web_search", None),
            ("", None),
            ("---", None),
            ("🚀", None),
        ] {
            let found = intended(wanted, NAMES.into_iter()).map(|position| NAMES[position]);
            assert_eq!(found, expected, "for {wanted:?}");
        }
    }

    #[test]
    fn two_equal_candidates_are_none() {
        let names = ["a_list_users", "b_list_users", "A-list.users"];
        assert_eq!(intended("list_users", names.into_iter()), None);
        assert_eq!(intended("a_list_users", names.into_iter()), None);
    }

    #[test]
    fn the_nearest_come_first_and_never_more_than_asked() {
        let found = nearest("trackwell_make_issue", NAMES.into_iter(), 3);
        let found: Vec<&str> = found.into_iter().map(|position| NAMES[position]).collect();
        assert!(found[0].starts_with("trackwell_c"), "{found:?}");
        assert_eq!(found.len(), 3);
        assert!(nearest("x", std::iter::empty(), 3).is_empty());
    }

    /// Every name of six made-up servers slipped in several ways: the right one is among three.
    #[test]
    fn slips_have_the_right_tool_among_the_suggestions() {
        let servers = [
            "trackwell",
            "quillboard",
            "mintdesk",
            "nimbar",
            "paylane",
            "gaugewell",
        ];
        let verbs = ["create", "list", "get", "update", "delete"];
        let nouns = [
            "issue",
            "card",
            "invoice",
            "machine",
            "payment_method",
            "alert_history",
        ];
        let mut names = Vec::new();
        for server in servers {
            for verb in verbs {
                names.extend(nouns.iter().map(|noun| format!("{server}_{verb}_{noun}")));
            }
        }
        let (mut slips, mut missed) = (0, Vec::new());
        for (at, name) in names.iter().enumerate() {
            let (server, rest) = name.split_once('_').unwrap();
            let (verb, noun) = rest.split_once('_').unwrap();
            let cut = 2 + at % (name.len() - 3);
            for slip in [
                name.replace('_', "-"),
                name.replace('_', ".").to_uppercase(),
                format!("{server}/{verb}_{noun}"),
                format!("gateway__{name}"),
                format!("{server}_{noun}_{verb}"),
                format!("{}{}", &name[..cut], &name[cut + 1..]),
                format!("{}x{}", &name[..cut], &name[cut..]),
                format!("{name}s"),
            ] {
                let found = nearest(&slip, names.iter().map(String::as_str), 3);
                slips += 1;
                if !found.contains(&at) {
                    missed.push(slip);
                }
            }
        }
        assert!(slips >= 500);
        assert!(
            missed.len() * 50 <= slips,
            "{} of {slips}: {missed:?}",
            missed.len()
        );
    }
}
