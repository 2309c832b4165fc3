//! `toolsearch-load`: what rollouts are tested with. An upstream with quick, slow and long tools, a
//! mirror of a model that misbehaves as told, and clients of four kinds that check every answer.

mod clients;
mod connection;
mod message;
mod mirror;
mod report;
mod serve;
mod upstream;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// An MCP server with the tools echo, slow (0.5 s), long (with progress) and note (a write)
    Upstream {
        #[arg(long, default_value = "0.0.0.0:8000")]
        listen: SocketAddr,
        /// Seconds that the long tool takes
        #[arg(long, default_value_t = 20)]
        long: u64,
        /// Tools beside those
        #[arg(long, default_value_t = 300)]
        tools: usize,
    },
    /// A server of one folder of files that misbehaves as told
    Mirror {
        #[arg(long, default_value = "0.0.0.0:8001")]
        listen: SocketAddr,
        folder: PathBuf,
    },
    /// Clients of four kinds; prints a JSON summary, and exits with 1 when a call failed
    Clients(clients::Plan),
}

#[tokio::main]
async fn main() -> anyhow::Result<std::process::ExitCode> {
    match Arguments::parse().command {
        Command::Upstream {
            listen,
            long,
            tools,
        } => upstream::run(listen, long, tools).await?,
        Command::Mirror { listen, folder } => mirror::run(listen, folder).await?,
        Command::Clients(plan) => return clients::run(plan).await,
    }
    Ok(std::process::ExitCode::SUCCESS)
}
