//! The Rust SDK as a peer: which end of a connection is asked for?
//!
//! usage: toolsearch-interop client <url> legacy|auto
//!        toolsearch-interop server <port> <newest revision>

mod client;
mod server;
mod tools;

use std::error::Error;

// One thread, so that what the SDK hands to tasks of its own is heard in the order it came.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["client", url, mode] => client::run(url, mode).await,
        ["server", port, newest] => server::run(port.parse()?, newest).await,
        _ => Err("usage: client <url> legacy|auto, or server <port> <newest revision>".into()),
    }
}
