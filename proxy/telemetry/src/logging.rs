//! What does a log line look like? Text or JSON on standard error, filtered by directives.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt;

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Logging cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directives cannot be read.
    #[error(
        "the log filter cannot be read; write a level, or directives such as info,toolsearch_proxy=debug"
    )]
    Filter(#[source] tracing_subscriber::filter::ParseError),
    /// Another subscriber is installed.
    #[error("logging was started twice")]
    Twice(#[source] tracing_subscriber::util::TryInitError),
}

/// Starts logging for the whole process.
///
/// # Errors
/// See [`Error`].
pub fn start(format: Format, filter: &str) -> Result<(), Error> {
    subscriber(format, filter, std::io::stderr)?
        .try_init()
        .map_err(Error::Twice)
}

/// A subscriber that writes elsewhere, for tests that read what is logged.
///
/// # Errors
/// [`Error::Filter`].
pub fn subscriber<W>(
    format: Format,
    filter: &str,
    writer: W,
) -> Result<Box<dyn tracing::Subscriber + Send + Sync>, Error>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = EnvFilter::try_new(filter).map_err(Error::Filter)?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer);
    Ok(match format {
        Format::Text => Box::new(lines.with_ansi(false).finish()),
        Format::Json => Box::new(lines.json().flatten_event(true).finish()),
    })
}
