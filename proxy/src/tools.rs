//! What do our five tools do? Parsing of a `tools/call` into one of five, and its run.

mod answer;
mod apart;
mod arguments;
mod asked;
mod batch;
mod call;
mod ceiling;
mod complaint;
mod definitions;
mod describe;
mod hits;
mod limits;
mod mended;
mod metrics;
mod refusal;
mod relay;
mod search;
mod session;
mod single;
mod tokens;
mod trouble;
mod weak;

use std::fmt;

use serde_json::value::RawValue;

use crate::upstream::{CallContext, Error};

use arguments::{Given, Members, Problem};
use asked::SearchArgs;
use batch::BatchArgs;
use describe::DescribeArgs;

pub use answer::{Answer, Long, Outcome, Reply};
pub use definitions::{NAMES, definitions};
pub use limits::Limits;
pub use metrics::Metrics;
pub use session::Session;

/// A `tools/call` of ours, parsed: the last place that sees raw arguments of ours.
///
/// `Debug` shows which tool, never the arguments.
pub struct Invocation {
    tool: &'static str,
    args: Result<Args, Problem>,
}

enum Args {
    Search(SearchArgs),
    Describe(DescribeArgs),
    Read(Given),
    ReadMany(BatchArgs),
    Write(Given),
}

impl fmt::Debug for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("tool", &self.tool)
            .field("parsed", &self.args.is_ok())
            .finish()
    }
}

/// The name is none of the five (`-32602`).
#[derive(Debug, Clone, thiserror::Error)]
#[error("unknown tool")]
pub struct UnknownTool;

/// By hand, so that no argument is printed.
impl Invocation {
    /// Reads `params.name` and `params.arguments` of a `tools/call`.
    ///
    /// A name that is not ours is an error of the protocol; arguments that do not fit one of our
    /// five are an invocation whose run answers with what is wrong (`isError`).
    ///
    /// # Errors
    /// [`UnknownTool`].
    pub fn parse(name: &str, arguments: Option<&RawValue>) -> Result<Self, UnknownTool> {
        let tool = *NAMES
            .iter()
            .find(|known| **known == name)
            .ok_or(UnknownTool)?;
        let args = Members::read(arguments).and_then(|members| match tool {
            "search_tools" => SearchArgs::parse(members).map(Args::Search),
            "describe_tool" => DescribeArgs::parse(members).map(Args::Describe),
            "call_read_tool" => members.into_call().map(Args::Read),
            "call_read_tools" => BatchArgs::parse(members).map(Args::ReadMany),
            _ => members.into_call().map(Args::Write),
        });
        Ok(Self { tool, args })
    }

    /// The answer when this caller's tools cannot be listed: nothing is absent, something is down.
    #[must_use]
    pub fn unlisted(error: &Error) -> Answer {
        let (text, outcome) = trouble::unlisted(error);
        Answer::text(&text, outcome)
    }

    /// Which of the five, for metrics.
    #[must_use]
    pub const fn tool(&self) -> &'static str {
        self.tool
    }

    /// Carries it out.
    ///
    /// # Errors
    /// Only what must leave as HTTP: [`Error::Unauthorized`], [`Error::Forbidden`] with a scope
    /// challenge, and [`Error::Rpc`] of code `-32021`. Everything else is an [`Answer`] with
    /// `isError`.
    pub async fn run(self, session: &Session<'_>, context: &CallContext) -> Result<Reply, Error> {
        match self.args {
            Ok(Args::Search(args)) => {
                Ok(search::run(&session.catalog, &args, session.limits).into())
            }
            Ok(Args::Describe(args)) => {
                let catalog = &session.catalog;
                let missing = args.names.iter().any(|name| catalog.find(name).is_none());
                let newer = if missing {
                    session.catalogs.get_newer(session.caller, catalog).await?
                } else {
                    std::sync::Arc::clone(catalog)
                };
                Ok(describe::run(&newer, &args, session.limits).into())
            }
            Ok(Args::Read(given)) => {
                single::read(session, &session.catalog, &given, context, true).await
            }
            Ok(Args::ReadMany(args)) => Ok(batch::run(session, args, context).await?.into()),
            Ok(Args::Write(given)) => single::write(session, &given, context).await,
            Err(problem) => Ok(Answer::text(&problem, Outcome::BadArguments).into()),
        }
    }
}
