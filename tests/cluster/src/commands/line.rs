//! Which commands are there, and what may be said to each?

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

/// The command line as a whole.
pub(crate) fn line() -> Command {
    let node = || Arg::new("node").required(true).help("node-a, node-b, ...");
    Command::new("toolsearch-cluster")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A real Kubernetes for the tests, in namespaces of its own")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("build")
                .about("Make every program, or find them made; print their folder"),
        )
        .subcommand(Command::new("check").about("Say whether this machine can carry the cluster"))
        .subcommand(up())
        .subcommand(
            Command::new("down")
                .about("End the cluster and remove everything of it")
                .arg(flag(
                    "force",
                    "Also when it belongs to a test that is running",
                )),
        )
        .subcommand(image())
        .subcommand(
            Command::new("load")
                .about("Import an image archive into every node")
                .arg(path("archive").required(true)),
        )
        .subcommand(
            Command::new("exec")
                .about("Run a command in the cluster's network, with KUBECONFIG and its programs")
                .arg(Arg::new("command").num_args(1..).required(true).last(true)),
        )
        .subcommand(
            Command::new("node-kill")
                .about("End a node at once")
                .arg(node()),
        )
        .subcommand(
            Command::new("node-up")
                .about("Start a killed node again")
                .arg(node()),
        )
        .subcommand(
            Command::new("link")
                .about("Cut a node off the network, or connect it again")
                .arg(node())
                .arg(
                    Arg::new("state")
                        .required(true)
                        .value_parser(["up", "down"]),
                ),
        )
        .subcommand(Command::new("audit").about("Print who has written how often, by verb"))
        .subcommand(traces())
}

fn up() -> Command {
    Command::new("up")
        .about("Start a cluster, wait until it is ready, and leave it running")
        .arg(
            Arg::new("nodes")
                .long("nodes")
                .value_parser(value_parser!(u8).range(1..=9))
                .default_value("2"),
        )
        .arg(
            path("images")
                .long("images")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .help("Archives to import before the first pod"),
        )
        .arg(flag(
            "keep",
            "When the start fails, leave what stands, for its logs",
        ))
}

fn image() -> Command {
    let text = |name: &'static str| Arg::new(name).long(name);
    Command::new("image")
        .about("Pack files into an image archive; print the image's digest")
        .arg(text("name").required(true).help("localhost/toolsearch:dev"))
        .arg(path("out").long("out").required(true))
        .arg(pairs(
            "file",
            "A file or folder, and where it is in the image",
        ))
        .arg(pairs(
            "program",
            "A program that comes with its shared libraries",
        ))
        .arg(
            text("entrypoint")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .help("What is started; again for each argument"),
        )
        .arg(text("user").default_value("65532:65532"))
        .arg(
            text("env")
                .action(ArgAction::Append)
                .value_name("NAME=VALUE"),
        )
}

fn pairs(name: &'static str, help: &'static str) -> Arg {
    let arg = Arg::new(name).long(name).action(ArgAction::Append);
    arg.value_name("SOURCE=PATH").help(help)
}

fn traces() -> Command {
    Command::new("traces")
        .about("Take a picture of the machine, or compare it with an earlier one")
        .arg(
            Arg::new("what")
                .required(true)
                .value_parser(["save", "compare"]),
        )
        .arg(path("file").required(true))
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn path(name: &'static str) -> Arg {
    Arg::new(name).value_parser(value_parser!(PathBuf))
}
