//! The command line: which command, with which settings, and how it ends.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return commands::fail(1, &format!("cannot start the runtime: {error}")),
    };
    let code = runtime.block_on(commands::run(std::env::args_os().collect()));
    // A blocking task that is stuck must not keep the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    code
}
