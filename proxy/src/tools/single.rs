//! `call_read_tool` and `call_write_tool`: one call, from its name to its answer.

use std::sync::Arc;

use tokio::time::Instant;

use crate::catalog::{Catalog, Entry};
use crate::tools::answer::{Answer, Long, Outcome, Reply};
use crate::tools::apart;
use crate::tools::arguments::Given;
use crate::tools::call::{self, Care};
use crate::tools::ceiling;
use crate::tools::mended;
use crate::tools::refusal::Refusal;
use crate::tools::relay::{self, Sent};
use crate::tools::session::Session;
use crate::upstream::{self, CallContext, Error, Received};

/// Calls a tool that only reads; `single`: it is not one of several, which are held to the ceiling
/// together.
///
/// # Errors
/// See [`relay::receive`].
pub(super) async fn read(
    session: &Session<'_>,
    catalog: &Arc<Catalog>,
    given: &Given,
    context: &CallContext,
    single: bool,
) -> Result<Reply, Error> {
    let mut catalog = refreshed_for(session, catalog, &given.name).await?;
    let began = Instant::now();
    for last in [false, true] {
        let call = match call::read(&catalog, given) {
            Ok(call) => call,
            Err(refusal) => return Ok(relay::refused(&refusal).into()),
        };
        let received = call
            .forward(session.upstream, session.caller, context, began)
            .await;
        let received = match received {
            Ok(Received::Long(result)) => {
                return Ok(flowing(session, call.entry(), call.care(), result));
            }
            Ok(Received::Whole(result)) => Ok(result),
            Err(error) => Err(error),
        };
        match relay::receive(call.entry(), received, declares(context, single))? {
            Sent::Answer(answer) => {
                note(call.entry(), &answer);
                let answer = cared(session, call.care(), answer);
                return Ok(if single {
                    held(session, call.entry(), answer).await
                } else {
                    answer
                }
                .into());
            }
            Sent::Outdated | Sent::Unknown if last => {
                return Ok(relay::refused(&outdated(call.entry())).into());
            }
            Sent::Outdated | Sent::Unknown => {
                catalog = session.catalogs.get_newer(session.caller, &catalog).await?;
            }
        }
    }
    Err(Error::Busy)
}

/// Calls a tool of any kind. It is sent again only after the upstream refused it by its own rules
/// before it did anything.
///
/// # Errors
/// See [`relay::receive`].
pub(super) async fn write(
    session: &Session<'_>,
    given: &Given,
    context: &CallContext,
) -> Result<Reply, Error> {
    let mut catalog = refreshed_for(session, &session.catalog, &given.name).await?;
    let began = Instant::now();
    for last in [false, true] {
        let call = match call::write(&catalog, given) {
            Ok(call) => call,
            Err(refusal) => return Ok(relay::refused(&refusal).into()),
        };
        let received = call
            .forward(session.upstream, session.caller, context, began)
            .await;
        let received = match received {
            Ok(Received::Long(result)) => {
                return Ok(flowing(session, call.entry(), call.care(), result));
            }
            Ok(Received::Whole(result)) => Ok(result),
            Err(error) => Err(error),
        };
        match relay::receive(call.entry(), received, declares(context, true))? {
            Sent::Answer(answer) => {
                note(call.entry(), &answer);
                let answer = cared(session, call.care(), answer);
                return Ok(held(session, call.entry(), answer).await.into());
            }
            Sent::Unknown => {
                // The next call decides by the newer list; this one is not repeated.
                session.catalogs.get_newer(session.caller, &catalog).await?;
                return Ok(relay::refused(&outdated(call.entry())).into());
            }
            Sent::Outdated if last => return Ok(relay::refused(&outdated(call.entry())).into()),
            Sent::Outdated => {
                catalog = session.catalogs.get_newer(session.caller, &catalog).await?;
            }
        }
    }
    Err(Error::Busy)
}

/// The catalog, listed again (at most once in a while) when it does not have the name: the tool
/// may be new, and "there is no such tool" must be true when it is said.
async fn refreshed_for(
    session: &Session<'_>,
    catalog: &Arc<Catalog>,
    name: &str,
) -> Result<Arc<Catalog>, Error> {
    match catalog.find(name) {
        Some(_) => Ok(Arc::clone(catalog)),
        None => session.catalogs.get_newer(session.caller, catalog).await,
    }
}

/// Whether the caller of this one call could have declared capabilities of its own.
const fn declares(context: &CallContext, single: bool) -> bool {
    single && context.client_capabilities.is_some()
}

/// Counts what the guard did, and says in a result what was mended. A question to the user stays
/// as it came: its state may cover every byte.
fn cared(session: &Session<'_>, care: &Care, answer: Answer) -> Answer {
    count(session, care);
    if answer.outcome == Outcome::InputRequired {
        return answer;
    }
    Answer {
        result: mended::noted(answer.result, &care.mended),
        ..answer
    }
}

/// The upstream's result within the ceiling, where one is set. A question to the user stays as it
/// came.
async fn held(session: &Session<'_>, entry: &Arc<Entry>, answer: Answer) -> Answer {
    let most = session.limits.max_result_tokens;
    let most = most.filter(|_| answer.relayed && answer.outcome != Outcome::InputRequired);
    let Some(most) = most else {
        return answer;
    };
    let bytes = answer.result.get().len();
    let (entry, result) = (Arc::clone(entry), answer.result);
    let work = move || {
        let cut = ceiling::single(&result, &entry, most);
        (result, cut)
    };
    let (result, cut) = apart::run(bytes, work).await;
    let Some(cut) = cut else {
        return Answer { result, ..answer };
    };
    session.metrics.cut(usize::from(cut.is_short));
    Answer {
        result: cut.result,
        ..answer
    }
}

/// A result that is too large to be held: how it ends is counted with our own tool, once it has.
fn flowing(
    session: &Session<'_>,
    entry: &Entry,
    care: &Care,
    result: Box<upstream::Long>,
) -> Reply {
    count(session, care);
    tracing::info!(tool = entry.tool.name, "passes on a long result");
    let note = (!care.mended.is_empty()).then(|| mended::member(&care.mended));
    Reply::Long(Long { result, note })
}

fn count(session: &Session<'_>, care: &Care) {
    session.metrics.mended(&care.mended);
    if let Some(reason) = care.unchecked {
        session.metrics.unchecked(reason);
    }
}

/// The log knows tools by the names the upstream gave them, never by what a caller typed.
fn note(entry: &Entry, answer: &Answer) {
    tracing::info!(
        tool = entry.tool.name,
        outcome = answer.outcome.kind(),
        "called a tool"
    );
}

fn outdated(entry: &Arc<Entry>) -> Refusal {
    let message =
        "it does not know the tool, or wants it called differently than it was listed".to_owned();
    Refusal::ByUpstream {
        entry: Arc::clone(entry),
        message,
    }
}
