//! Which words does a text have? In any script, without knowing its language.
//!
//! Words of scripts that put blanks between them are folded and split as programmers' names are;
//! scripts without blanks become pairs of neighbouring characters.

pub(crate) mod fold;
pub(crate) mod lithuanian;
pub(crate) mod script;
pub(crate) mod stem;
pub(crate) mod stop;

use script::Script;

/// The words of a text, folded, in order: `createIssue` gives `create`, `issue`.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each(text, &mut |word, joined| {
        if !joined {
            words.push(word);
        }
    });
    words
}

/// As [`words`], and the joined form of every name that was split at case or digits.
pub(crate) fn words_and_joined(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each(text, &mut |word, _| words.push(word));
    words
}

/// One stretch of a text without a blank, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run<'a> {
    /// A word, or a part of a name.
    Word(&'a str),
    /// Several words, in a script that does not say where one ends.
    Unspaced(&'a str),
}

/// Letters of one way of writing, with nothing between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch<'a> {
    /// As in the text.
    pub(crate) written: &'a str,
    script: Script,
}

/// Calls back for each run, names taken apart.
pub(crate) fn each_run<'a>(text: &'a str, found: &mut dyn FnMut(Run<'a>)) {
    each_stretch(text, &mut |stretch| stretch.each_run(found));
}

/// Calls back for each word; the flag marks the joined form of several.
fn each(text: &str, found: &mut dyn FnMut(String, bool)) {
    each_stretch(text, &mut |stretch| stretch.each_word(found));
}

/// Calls back for each stretch.
pub(crate) fn each_stretch<'a>(text: &'a str, found: &mut impl FnMut(Stretch<'a>)) {
    let mut begun: Option<(usize, Script)> = None;
    let signs = text.char_indices().map(|(at, sign)| (at, script::of(sign)));
    for (at, script) in signs.chain([(text.len(), None)]) {
        if begun.map(|(_, script)| script) == script {
            continue;
        }
        if let Some((from, script)) = begun {
            let written = &text[from..at];
            found(Stretch { written, script });
        }
        begun = script.map(|script| (at, script));
    }
}

impl<'a> Stretch<'a> {
    /// Calls back for each run, names taken apart.
    pub(crate) fn each_run(self, found: &mut dyn FnMut(Run<'a>)) {
        match self.script {
            Script::Spaced => parts(self.written)
                .into_iter()
                .for_each(|part| found(Run::Word(part))),
            Script::Unspaced => found(Run::Unspaced(self.written)),
        }
    }

    /// Calls back for each word, folded; the flag marks the joined form of several.
    pub(crate) fn each_word(self, found: &mut dyn FnMut(String, bool)) {
        match self.script {
            Script::Spaced => {
                let parts = parts(self.written);
                let several = parts.len() > 1;
                for part in &parts {
                    let folded = fold::fold(part);
                    if !folded.is_empty() {
                        found(folded, false);
                    }
                }
                if several {
                    found(fold::fold(self.written), true);
                }
            }
            Script::Unspaced => {
                let folded: Vec<char> = fold::fold(self.written).chars().collect();
                match folded.as_slice() {
                    [] => (),
                    [one] => found(one.to_string(), false),
                    several => several
                        .windows(2)
                        .for_each(|pair| found(pair.iter().collect(), false)),
                }
            }
        }
    }
}

/// Splits where a name changes from lower to upper case, from several upper to lower (`HTTPServer`),
/// and between letters and digits.
fn parts(run: &str) -> Vec<&str> {
    let characters: Vec<(usize, char)> = run.char_indices().collect();
    let mut starts = vec![0];
    for at in 1..characters.len() {
        let (before, (position, this)) = (characters[at - 1].1, characters[at]);
        let next_is_lower = characters
            .get(at + 1)
            .is_some_and(|(_, next)| next.is_lowercase());
        let camel = before.is_lowercase() && this.is_uppercase();
        let acronym_ends = before.is_uppercase() && this.is_uppercase() && next_is_lower;
        let digits = before.is_numeric() != this.is_numeric();
        if camel || acronym_ends || digits {
            starts.push(position);
        }
    }
    starts.push(run.len());
    starts
        .windows(2)
        .map(|pair| &run[pair[0]..pair[1]])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{words, words_and_joined};

    #[test]
    fn every_script_has_words() {
        for (text, expected) in [
            ("create_issue", "create issue"),
            ("nimbar__listMachines", "nimbar list machines"),
            ("HTTPServer2go", "http server 2 go"),
            ("Sukurti naują bilietą", "sukurti nauja bilieta"),
            ("Žąsų ūkis, ß & Øre", "zasu ukis ss ore"),
            ("ИЗМЕНЁННЫЙ файл", "измененныи фаил"),
            ("課題を作成", "課題 題を を作 作成"),
            ("天", "天"),
            ("API設計v2", "api 設計 v 2"),
            ("회의실 예약", "회의 의실 예약"),
            ("ประชุม", "ปร ระ ะช ชุ ุม"),
            ("كِتَابٌ", "كتاب"),
            ("שָׁלוֹם", "שלום"),
            ("किताब", "किताब"),
            ("don't", "don t"),
            ("🚀 ", ""),
            ("", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn split_names_keep_their_joined_form() {
        assert_eq!(
            words_and_joined("listMachines now"),
            ["list", "machines", "listmachines", "now"]
        );
    }

    mod properties {
        use proptest::prelude::*;

        use super::super::fold::fold;
        use super::words_and_joined;

        proptest! {
            #[test]
            fn no_text_panics_and_no_word_is_empty(text in any::<String>()) {
                prop_assert!(words_and_joined(&text).iter().all(|word| !word.is_empty()));
            }

            #[test]
            fn folding_twice_is_folding_once(text in any::<String>()) {
                prop_assert_eq!(fold(&fold(&text)), fold(&text));
            }
        }
    }
}
