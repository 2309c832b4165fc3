//! What do the flags mean that several commands take?

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Arg, ArgAction, ArgMatches};
use toolsearch_eval::dataset::Dataset;
use toolsearch_search::{Embedder, Vectors, Weights};

/// `--data`.
pub(crate) fn data() -> Arg {
    Arg::new("data")
        .long("data")
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_parser(clap::value_parser!(PathBuf))
        .help("A set to ask, .json or .json.gz; repeat for several [default: the project's own]")
}

/// `--split`.
pub(crate) fn split() -> Arg {
    Arg::new("split")
        .long("split")
        .value_name("tune|test|all")
        .value_parser(["tune", "test", "all"])
        .default_value("all")
        .help("Only this part of a set that is split")
}

/// `--embedder`.
pub(crate) fn embedder() -> Arg {
    Arg::new("embedder")
        .long("embedder")
        .value_name("builtin|none|DIR")
        .default_value("builtin")
        .help("The model")
}

/// `--weights`.
pub(crate) fn weights() -> Arg {
    Arg::new("weights")
        .long("weights")
        .value_name("NAME=NUMBER,…")
        .help("Other weights than production's: semantic, expansion, lexical")
}

/// A text flag's value.
pub(crate) fn text<'a>(flags: &'a ArgMatches, name: &str) -> &'a str {
    flags.get_one::<String>(name).map_or("", String::as_str)
}

/// The sets that `--data` names, or the project's own.
pub(crate) fn datasets(flags: &ArgMatches) -> anyhow::Result<Vec<Dataset>> {
    let given = flags.get_many::<PathBuf>("data").into_iter().flatten();
    let given: Vec<Dataset> = given
        .map(|file| Dataset::read(file, None))
        .collect::<anyhow::Result<_>>()?;
    Ok(if given.is_empty() {
        vec![Dataset::own()?]
    } else {
        given
    })
}

/// The model that `--embedder` names.
pub(crate) fn vectors(embedder: &str) -> anyhow::Result<Option<Vectors>> {
    Ok(match embedder {
        "none" => None,
        "builtin" => Some(Vectors::new(Embedder::builtin()?)),
        folder => Some(Vectors::new(Embedder::open(Path::new(folder))?)),
    })
}

/// Production's weights, but for those that `--weights` names.
pub(crate) fn chosen_weights(given: &str) -> anyhow::Result<Weights> {
    let mut weights = Weights::default();
    for part in given.split(',').filter(|part| !part.trim().is_empty()) {
        let (name, number) = part
            .split_once('=')
            .with_context(|| format!("--weights takes NAME=NUMBER, not {part}"))?;
        let number: f32 = number
            .trim()
            .parse()
            .with_context(|| format!("{number} is no number"))?;
        let weight = match name.trim() {
            "semantic" => &mut weights.semantic,
            "expansion" => &mut weights.expansion,
            "lexical" => &mut weights.lexical,
            other => bail!("there is no weight {other}: semantic, expansion, lexical"),
        };
        *weight = number;
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use toolsearch_search::Weights;

    use super::chosen_weights;

    #[test]
    fn weights_that_are_not_named_stay() {
        let chosen = chosen_weights("expansion=0.5, lexical=2").unwrap();
        assert_eq!((chosen.expansion, chosen.lexical), (0.5, 2.0));
        assert_eq!(chosen.semantic, Weights::default().semantic);
        assert_eq!(chosen_weights("").unwrap(), Weights::default());
        for wrong in ["1,2,3", "vigour=1", "lexical=x"] {
            assert!(chosen_weights(wrong).is_err(), "{wrong}");
        }
    }
}
