//! What is left of a Lithuanian word without its ending? Works on folded text, so that it does not
//! matter whether the diacritics were typed.
//!
//! A light stemmer: one ending of case, number, person or degree goes, the longest that leaves a
//! stem of three letters. Softened consonants before an ending (`žodis`, `žodžio`) are made equal.

/// Endings in folded spelling, longest first: nouns, adjectives and participles, verbs.
const ENDINGS: &[&str] = &[
    "iausiuose",
    "iausiosios",
    "iuosiuose",
    "davome",
    "damasis",
    "iausias",
    "iesiems",
    "iuosius",
    "iausia",
    "davote",
    "siuose",
    "iuose",
    "uosius",
    "iomis",
    "omis",
    "emis",
    "imis",
    "umis",
    "uose",
    "yse",
    "ose",
    "ese",
    "iams",
    "iems",
    "ioms",
    "oms",
    "ems",
    "ims",
    "ams",
    "ums",
    "iais",
    "ais",
    "iaus",
    "aus",
    "eis",
    "ies",
    "ios",
    "iui",
    "iai",
    "iau",
    "ius",
    "iam",
    "iame",
    "ame",
    "iuje",
    "yje",
    "oje",
    "eje",
    "uje",
    "dama",
    "davo",
    "tume",
    "siu",
    "sime",
    "site",
    "kite",
    "kime",
    "usi",
    "as",
    "is",
    "ys",
    "us",
    "es",
    "os",
    "ai",
    "ui",
    "ei",
    "io",
    "ia",
    "iu",
    "im",
];
const SHORT: [&str; 6] = ["a", "e", "i", "o", "u", "y"];

/// The stem of a folded word; `None` for words too short to have an ending taken off.
pub(crate) fn stem(word: &str) -> Option<String> {
    const SHORTEST: usize = 3;
    let latin = word.len() > SHORTEST && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !latin {
        return None;
    }
    let endings = ENDINGS.iter().chain(&SHORT);
    let stem = endings
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|stem| stem.len() >= SHORTEST)
        .unwrap_or(word);
    Some(hardened(stem))
}

/// `dz` and `c` before an ending are softened `d` and `t`.
fn hardened(stem: &str) -> String {
    match stem.strip_suffix("dz") {
        Some(rest) => format!("{rest}d"),
        None => stem
            .strip_suffix('c')
            .map_or_else(|| stem.to_owned(), |rest| format!("{rest}t")),
    }
}

#[cfg(test)]
mod tests {
    use super::stem;
    use crate::text::fold::fold;

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for forms in [
            &[
                "sąskaita",
                "sąskaitos",
                "sąskaitą",
                "sąskaitų",
                "sąskaitoms",
                "saskaitas",
            ][..],
            &[
                "susitikimas",
                "susitikimą",
                "susitikimai",
                "susitikimų",
                "susitikimuose",
            ],
            &["kalendorius", "kalendoriuje", "kalendoriaus", "kalendorių"],
            &["failas", "failai", "failų", "failus", "faile"],
            &["žodis", "žodžio", "žodį", "žodžiai"],
            &["bilietas", "bilietą", "bilieto", "bilietais"],
        ] {
            let stems: Vec<_> = forms
                .iter()
                .map(|form| stem(&fold(form)).unwrap())
                .collect();
            assert!(
                stems.iter().all(|other| *other == stems[0]),
                "{forms:?}: {stems:?}"
            );
        }
        assert_eq!(stem("ir"), None);
    }
}
