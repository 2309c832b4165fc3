//! What does each command do?

mod line;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgMatches;
use toolsearch_cluster::{Cluster, Error, Image, Options, Traces, counts, down};

pub(crate) use line::line;

/// Does what the command line says.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let Some((name, given)) = matches.subcommand() else {
        return Ok(ExitCode::FAILURE);
    };
    match name {
        "build" => print(&toolsearch_cluster::build()?.display().to_string())?,
        "check" => toolsearch_cluster::check()?,
        "up" => run_up(given)?,
        "down" => {
            let was = down(given.get_flag("force"))?;
            print(if was {
                "the cluster is gone"
            } else {
                "there was no cluster"
            })?;
        }
        "image" => run_image(given)?,
        "load" => Cluster::found()?.load(one::<PathBuf>(given, "archive")?)?,
        "exec" => return run_exec(given),
        "node-kill" => Cluster::found()?.node_kill(one::<String>(given, "node")?)?,
        "node-up" => Cluster::found()?.node_up(one::<String>(given, "node")?)?,
        "link" => {
            let up = one::<String>(given, "state")? == "up";
            Cluster::found()?.link(one::<String>(given, "node")?, up)?;
        }
        "audit" => run_audit()?,
        _ => return run_traces(given),
    }
    Ok(ExitCode::SUCCESS)
}

fn run_up(given: &ArgMatches) -> Result<(), Error> {
    let images = given.get_many::<PathBuf>("images").unwrap_or_default();
    let mut cluster = Cluster::up(&Options {
        nodes: *one(given, "nodes")?,
        images: images.cloned().collect(),
        keep: given.get_flag("keep"),
    })?;
    let (config, programs) = (cluster.kubeconfig(), cluster.programs().to_owned());
    print(&format!(
        "The cluster is up: {}. It runs until it is stopped.

  export KUBECONFIG={}
  export PATH={}:$PATH
  kubectl get nodes

Pods and Services answer at their addresses, from this machine alone. Load belongs inside:
  tests/cluster/run exec -- COMMAND
Stop it with:
  tests/cluster/down",
        cluster.nodes().join(", "),
        config.display(),
        programs.display(),
    ))?;
    cluster.leave()
}

fn run_image(given: &ArgMatches) -> Result<(), Error> {
    let mut image = Image::new(one::<String>(given, "name")?);
    let many = |name: &str| -> Vec<String> {
        let values = given.get_many::<String>(name).unwrap_or_default();
        values.cloned().collect()
    };
    for pair in many("file") {
        let (source, inside) = split(&pair)?;
        image.file(Path::new(source), inside)?;
    }
    for pair in many("program") {
        let (source, inside) = split(&pair)?;
        image.program(Path::new(source), inside)?;
    }
    image.entrypoint = many("entrypoint");
    image.user.clone_from(one::<String>(given, "user")?);
    image.environment = many("env");
    let digest = image.write(one::<PathBuf>(given, "out")?)?;
    print(&digest)
}

fn split(pair: &str) -> Result<(&str, &str), Error> {
    pair.split_once('=')
        .ok_or_else(|| Error::Invalid(format!("{pair}: SOURCE=PATH is expected")))
}

fn run_exec(given: &ArgMatches) -> Result<ExitCode, Error> {
    let words = given.get_many::<String>("command").unwrap_or_default();
    let words: Vec<&str> = words.map(String::as_str).collect();
    let Some((program, arguments)) = words.split_first() else {
        return Ok(ExitCode::FAILURE);
    };
    let cluster = Cluster::found()?;
    let status = cluster.command(program, arguments).status();
    let status = status.map_err(|source| Error::Start {
        program: (*program).to_owned(),
        source,
    })?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

fn run_audit() -> Result<(), Error> {
    let writes = Cluster::found()?.audit_writes()?;
    for ((user, verb), count) in counts(&writes) {
        print(&format!("{count:6} {verb:7} {user}"))?;
    }
    Ok(())
}

fn run_traces(given: &ArgMatches) -> Result<ExitCode, Error> {
    let file = one::<PathBuf>(given, "file")?;
    let invalid = |error: serde_json::Error| Error::Invalid(format!("{}: {error}", file.display()));
    let failed = |doing: &'static str| {
        move |source| Error::File {
            doing,
            path: file.clone(),
            source,
        }
    };
    let now = Traces::now()?;
    if one::<String>(given, "what")? == "save" {
        let text = serde_json::to_string_pretty(&now).map_err(invalid)?;
        fs::write(file, text).map_err(failed("write"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = fs::read_to_string(file).map_err(failed("read"))?;
    let before: Traces = serde_json::from_str(&text).map_err(invalid)?;
    let found = before.difference(&now);
    for line in &found {
        print(line)?;
    }
    Ok(if found.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn one<'a, T: Clone + Send + Sync + 'static>(
    given: &'a ArgMatches,
    name: &str,
) -> Result<&'a T, Error> {
    let value = given.get_one(name);
    value.ok_or_else(|| Error::Invalid(format!("{name} is missing")))
}

fn print(text: &str) -> Result<(), Error> {
    writeln!(io::stdout(), "{text}").map_err(|source| Error::File {
        doing: "write to",
        path: "standard output".into(),
        source,
    })
}
