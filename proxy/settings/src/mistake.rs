//! What is wrong with the settings? Each mistake with the setting it is about, so that whoever names
//! settings in another way can say it in theirs.

use std::fmt;

/// Everything that is wrong with the settings given.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes(pub(crate) Vec<Mistake>);

impl Mistakes {
    /// One after the other.
    #[must_use]
    pub fn all(&self) -> &[Mistake] {
        &self.0
    }
}

/// One thing that is wrong with the settings given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The flag of the one setting that it is about, and how the user named it.
    setting: Option<(&'static str, String)>,
    words: String,
}

impl Mistake {
    /// About one setting, which the words go on from: `must be …`.
    pub(crate) const fn of(flag: &'static str, named: String, words: String) -> Self {
        Self {
            setting: Some((flag, named)),
            words,
        }
    }

    /// About no setting, or about several: a whole sentence.
    pub(crate) const fn sentence(words: String) -> Self {
        Self {
            setting: None,
            words,
        }
    }

    /// The flag of the one setting that it is about.
    #[must_use]
    pub fn flag(&self) -> Option<&'static str> {
        self.setting.as_ref().map(|(flag, _)| *flag)
    }

    /// What is wrong, without the name of the setting where it is about one.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, named)) = &self.setting {
            write!(f, "{named} ")?;
        }
        f.write_str(&self.words)
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.0.len() == 1 {
            "setting is"
        } else {
            "settings are"
        };
        writeln!(f, "{} {noun} wrong:", self.0.len())?;
        self.0
            .iter()
            .try_for_each(|mistake| writeln!(f, "  - {mistake}"))
    }
}
