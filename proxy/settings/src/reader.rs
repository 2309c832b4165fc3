//! How is one setting read? From its flag, its variable or its default, by the form that is declared;
//! what is wrong with it is noted, and the reading goes on.

use std::collections::HashMap;
use std::time::Duration;

use clap::ArgMatches;

use crate::ToolTimeout;
use crate::declared::{DECLARATIONS, Declaration, Kind, PREFIX};
use crate::mistake::Mistake;
use crate::{host, value};

/// What was given, and what was wrong with it so far.
#[derive(Default)]
pub(crate) struct Reader {
    /// Text by flag, and how the user named it.
    pub(crate) given: HashMap<&'static str, (String, String)>,
    /// In the order in which they were found.
    pub(crate) mistakes: Vec<Mistake>,
}

impl Reader {
    /// A variable that begins like ours and is none is a mistake.
    pub(crate) fn refuse_unknown(&mut self, environment: &HashMap<String, String>) {
        let mut unknown: Vec<_> = environment
            .keys()
            .filter(|name| !is_service_link(name))
            .filter(|name| {
                !DECLARATIONS
                    .iter()
                    .any(|declared| declared.variable() == **name)
            })
            .collect();
        unknown.sort();
        for name in unknown {
            let nearest = DECLARATIONS.iter().map(Declaration::variable);
            let nearest = nearest
                .max_by_key(|known| common_prefix(known, name))
                .unwrap_or_default();
            self.mistakes.push(Mistake::sentence(format!(
                "{name} is no setting; did you mean {nearest}?"
            )));
        }
    }

    /// Takes one setting's text: the flag's, else the variable's, else the default.
    pub(crate) fn take(
        &mut self,
        declared: &Declaration,
        flags: &ArgMatches,
        environment: &HashMap<String, String>,
    ) {
        let variable = declared.variable();
        let flag = flags.get_many::<String>(declared.flag).map(|values| {
            let values: Vec<&str> = values.map(String::as_str).collect();
            let named = format!("--{}", declared.flag);
            if values.len() > 1 && !declared.kind.is_list() {
                let words = format!("is given {} times", values.len());
                self.mistakes
                    .push(Mistake::of(declared.flag, named.clone(), words));
            }
            (values.join(","), named)
        });
        let given = flag
            .or_else(|| {
                environment
                    .get(&variable)
                    .map(|value| (value.clone(), variable))
            })
            .or_else(|| Some((declared.default?.to_owned(), format!("--{}", declared.flag))));
        if let Some(given) = given {
            self.given.insert(declared.flag, given);
        }
    }

    /// Whether there is any text.
    pub(crate) fn is_given(&self, flag: &str) -> bool {
        self.given
            .get(flag)
            .is_some_and(|(text, _)| !text.is_empty())
    }

    /// Reads one value; a mistake is noted with what is asked for.
    pub(crate) fn read<T>(
        &mut self,
        flag: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let (text, source) = self.given.get(flag).filter(|(text, _)| !text.is_empty())?;
        match read(text) {
            Ok(value) => Some(value),
            Err(problem) => {
                // A URL may hold a password, and of a list the wrong items are shown: it is not.
                let kind = Self::bounds(flag);
                let shown = if matches!(kind, Kind::Url) || kind.is_list() {
                    String::new()
                } else {
                    format!(" (it is {text:?})")
                };
                let words = format!("{problem}{shown}");
                self.mistakes.push(Mistake::of(flag, source.clone(), words));
                None
            }
        }
    }

    fn bounds(flag: &str) -> Kind {
        let declared = DECLARATIONS.iter().find(|declared| declared.flag == flag);
        declared.map_or(Kind::Path, |declared| declared.kind)
    }

    /// A number or a size within its bounds.
    pub(crate) fn number(&mut self, flag: &'static str) -> Option<usize> {
        self.read(flag, |text| match Self::bounds(flag) {
            Kind::Number(least, most) => within(text.parse().ok(), least, most)
                .ok_or_else(|| format!("must be a whole number from {least} to {most}")),
            Kind::Bytes(least, most) => within(value::bytes(text), least, most).ok_or_else(|| {
                let (least, most) = (value::size_text(least), value::size_text(most));
                format!("must be a size from {least} to {most}, such as 4MiB")
            }),
            _ => Err("is declared without bounds".to_owned()),
        })
    }

    /// A duration within its bounds.
    pub(crate) fn duration(&mut self, flag: &'static str) -> Option<Duration> {
        let Kind::Duration(least, most) = Self::bounds(flag) else {
            return None;
        };
        let (least, most) = (Duration::from_millis(least), Duration::from_millis(most));
        self.read(flag, |text| {
            within(value::parse_duration(text), least, most).ok_or_else(|| {
                let (least, most) = (value::duration_text(least), value::duration_text(most));
                format!(
                    "must be a duration from {least} to {most} with its unit, such as 30s or 5m"
                )
            })
        })
    }

    /// The value of a word, of which the declaration has as many.
    pub(crate) fn choice<T: Copy>(&mut self, flag: &'static str, values: &[T]) -> Option<T> {
        let Kind::Choice(words) = Self::bounds(flag) else {
            return None;
        };
        self.read(flag, |text| {
            let chosen = words.iter().zip(values).find(|(word, _)| **word == text);
            chosen
                .map(|(_, value)| *value)
                .ok_or_else(|| format!("must be one of {}", words.join(", ")))
        })
    }

    /// A list of globs; none where none is given.
    pub(crate) fn globs(&mut self, flag: &'static str) -> Option<Vec<String>> {
        self.items(flag, |glob| match globset::Glob::new(glob) {
            Ok(_) => Ok(glob.to_owned()),
            Err(error) => Err(format!("a glob that cannot be read: {}", error.kind())),
        })
    }

    /// Web origins; none where none is given.
    pub(crate) fn origins(&mut self, flag: &'static str) -> Option<Vec<String>> {
        self.items(flag, |text| {
            let wanted = "no origin: write scheme and host as browsers send them, with a port where it \
                          is not the usual one, such as https://chat.example.com, or * for any";
            host::is_origin(text)
                .then(|| text.to_owned())
                .ok_or_else(|| wanted.to_owned())
        })
    }

    /// Host names; none where none is given.
    pub(crate) fn hosts(&mut self, flag: &'static str) -> Option<Vec<String>> {
        self.items(flag, |text| {
            let wanted = "no host name: write it without scheme and path, such as tools.example.com, \
                          or leave the list out to accept any";
            host::is_host(text)
                .then(|| text.to_owned())
                .ok_or_else(|| wanted.to_owned())
        })
    }

    /// Globs with a duration each, in the order given; none where none is given.
    pub(crate) fn tool_timeouts(&mut self, flag: &'static str) -> Option<Vec<ToolTimeout>> {
        let Kind::Timeouts(least, most) = Self::bounds(flag) else {
            return None;
        };
        let (least, most) = (Duration::from_millis(least), Duration::from_millis(most));
        let read = |pair: &str| {
            let (tools, timeout) = pair.rsplit_once('=')?;
            let timeout = within(value::parse_duration(timeout.trim()), least, most)?;
            let tools = tools.trim();
            globset::Glob::new(tools)
                .ok()
                .filter(|_| !tools.is_empty())?;
            let tools = tools.to_owned();
            Some(ToolTimeout { tools, timeout })
        };
        self.items(flag, |pair| {
            read(pair).ok_or_else(|| {
                let (least, most) = (value::duration_text(least), value::duration_text(most));
                format!(
                    "no name or glob with a duration from {least} to {most}, such as export_*=10m"
                )
            })
        })
    }

    /// A list of which each item is read for itself; of the wrong ones each is named.
    fn items<T>(
        &mut self,
        flag: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<Vec<T>> {
        if !self.is_given(flag) {
            return Some(Vec::new());
        }
        self.read(flag, |text| {
            let (mut items, mut wrong) = (Vec::new(), Vec::new());
            for item in value::list(text) {
                match read(&item) {
                    Ok(read) => items.push(read),
                    Err(why) => wrong.push((item, why)),
                }
            }
            if wrong.is_empty() {
                return Ok(items);
            }
            Err(holds(&wrong))
        })
    }
}

/// What is wrong with items, those of one fault together.
fn holds(wrong: &[(String, String)]) -> String {
    let mut faults: Vec<(&str, Vec<String>)> = Vec::new();
    for (item, why) in wrong {
        let item = format!("{item:?}");
        match faults.iter_mut().find(|(fault, _)| fault == why) {
            Some((_, items)) => items.push(item),
            None => faults.push((why, vec![item])),
        }
    }
    let faults = faults
        .iter()
        .map(|(why, items)| format!("holds {}, {why}", items.join(", ")));
    faults.collect::<Vec<_>>().join("; ")
}

fn within<T: PartialOrd>(value: Option<T>, least: T, most: T) -> Option<T> {
    value.filter(|value| (least..=most).contains(value))
}

/// What a cluster sets for a Service whose name begins like ours: `TOOLSEARCH_SERVICE_HOST`,
/// `TOOLSEARCH_PORT_80_TCP_ADDR`.
fn is_service_link(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    let port = rest == "PORT"
        || rest.ends_with("_PORT")
        || (rest.contains("PORT_") && rest.contains("_TCP"));
    port || rest.ends_with("SERVICE_HOST") || rest.contains("SERVICE_PORT")
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count()
}
