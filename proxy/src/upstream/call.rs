//! What does one `tools/call` carry upstream?
//!
//! Never decides whether it may be made: that is the guard's word, given before.

use std::fmt;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::caller::Caller;
use crate::protocol::{ProgressSender, Tool};
use crate::upstream::error::Error;
use crate::upstream::exchange::Room;
use crate::upstream::header_value;
use crate::upstream::link::{Ask, Link, Received};
use crate::upstream::request::{Content, Method};

/// One `tools/call` to send.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The tool's definition in this caller's catalog.
    pub tool: &'a Tool,
    /// A JSON object, forwarded byte for byte.
    pub arguments: &'a RawValue,
    /// Whether a lost answer may be asked for again, once.
    pub repeatable: bool,
    /// What a modern caller's request carries besides.
    pub context: &'a CallContext,
    /// Since when its tool's time runs, where the tool has its own: a repetition has what is left.
    pub began: Instant,
}

/// What a caller's request carries beside name and arguments, relayed for single calls.
#[derive(Clone, Default)]
pub struct CallContext {
    /// `clientCapabilities` of a modern caller without `extensions`; `None` declares `{}`.
    pub client_capabilities: Option<Box<RawValue>>,
    /// `params.inputResponses` of a multi round-trip request.
    pub input_responses: Option<Box<RawValue>>,
    /// `params.requestState`, untouched.
    pub request_state: Option<Box<RawValue>>,
    /// W3C trace context to send on: key and value.
    pub trace: Vec<(&'static str, String)>,
    /// Where progress goes; `None` asks the upstream for none.
    pub progress: Option<ProgressSender>,
    /// Whether a result that is too large to be held may be given as it comes.
    pub flows: bool,
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("tool", &self.tool.name)
            .field("repeatable", &self.repeatable)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallContext")
    }
}

/// Bytes of an answer that has to be held whole: of several calls at once, or for an old revision.
const MOST_HELD: usize = 32 * 1024 * 1024;

/// Sends the call; `limit`: bytes of its answer; `time`: how long it may take, instead of the usual
/// limits.
pub(super) async fn send(
    link: &Link,
    caller: &Caller,
    call: Call<'_>,
    limit: usize,
    time: Option<Duration>,
) -> Result<Received, Error> {
    let context = call.context;
    let ask = Ask {
        method: Method::Call,
        content: Content {
            name: Some(&call.tool.name),
            arguments: Some(call.arguments),
            input_responses: context.input_responses.as_deref(),
            request_state: context.request_state.as_deref(),
            client_capabilities: context.client_capabilities.as_deref(),
            trace: &context.trace,
            progress: context.progress.is_some(),
            params: header_value::params(&call.tool.header_params, call.arguments),
            ..Content::default()
        },
        room: Room {
            held: limit.min(MOST_HELD),
            flowing: context.flows.then_some(limit),
        },
        repeatable: call.repeatable,
        progress: context.progress.as_ref(),
        until: time.map(|time| call.began + time),
    };
    link.receive(caller, &ask).await
}
