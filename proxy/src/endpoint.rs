//! One MCP message of one caller, and its one answer: no HTTP.
//!
//! The era of each request is decided from its body; nothing is remembered between requests, so
//! any replica can answer any of them.

mod envelope;
mod failure;
mod guidance;
mod handshake;
mod ladder;
mod legacy;
mod long;
mod metrics;
mod resource;
mod shape;
mod share;

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::caller::{Caller, CallerKey};
use crate::catalog::{Catalog, Catalogs};
use crate::protocol::{ErrorObject, ProgressSender, code};
use crate::tools::{self, Invocation, Limits, Session};
use crate::upstream::{CallContext, Error, Upstream};

use metrics::Metrics;
use share::{Share, Shares};

pub use crate::upstream::MetadataError;
pub use failure::Failure;
pub use ladder::{Element, Field, Request, RoutingHeaders, Sorted, sort};
pub use long::{Broken, Long};
pub use resource::Resource;

/// Everything that [`Endpoint::new`] needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// Characters of `instructions`.
    pub max_instructions: usize,
    /// Bounds of answers.
    pub limits: Limits,
    /// Tool calls of one credential under way at once.
    pub max_calls: usize,
    /// Handshakes and tool lists of one credential under way at once.
    pub max_lists: usize,
    /// What is protected, as clients know it.
    pub resource: Resource,
}

/// The `result` of a response: all of it, or one on its way.
#[derive(Debug)]
pub enum Reply {
    /// All of it.
    Whole(Box<RawValue>),
    /// One that is too large to be held.
    Long(Box<Long>),
}

/// What the proxy answers to MCP. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Endpoint {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: Config,
    catalogs: Catalogs,
    upstream: Upstream,
    /// Callers whose credential the upstream accepted a moment ago.
    accepted: Cache<CallerKey, ()>,
    calls: Shares,
    lists: Shares,
    metrics: Arc<Metrics>,
    tools: tools::Metrics,
}

/// Some clients drop a server that does not answer its handshake sooner.
const HANDSHAKE: Duration = Duration::from_millis(1500);
/// How long an accepted credential is not asked about again.
const ACCEPTED: Duration = Duration::from_secs(60);

impl Endpoint {
    /// An endpoint over these catalogs.
    ///
    /// # Errors
    /// A metric of the same name is registered already.
    pub fn new(
        config: Config,
        catalogs: Catalogs,
        upstream: Upstream,
        registry: &prometheus::Registry,
    ) -> Result<Self, prometheus::Error> {
        let metrics = Arc::new(Metrics::register(registry)?);
        let tools = tools::Metrics::register(registry)?;
        let accepted = Cache::builder()
            .max_capacity(10_000)
            .time_to_live(ACCEPTED)
            .build();
        let (calls, lists) = (Shares::new(config.max_calls), Shares::new(config.max_lists));
        Ok(Self {
            inner: Arc::new(Inner {
                config,
                catalogs,
                upstream,
                accepted,
                calls,
                lists,
                metrics,
                tools,
            }),
        })
    }

    /// Answers one request with the `result` of its response; `flows`: also with one that comes
    /// as the upstream sends it.
    ///
    /// # Errors
    /// Everything else that may leave: a JSON-RPC error with its status, or a challenge.
    pub async fn answer(
        &self,
        caller: &Caller,
        request: &Request,
        progress: Option<ProgressSender>,
        flows: bool,
    ) -> Result<Reply, Failure> {
        let in_flight = self
            .inner
            .metrics
            .request(&request.method, request.revision);
        let answered = match self.share(caller, &request.method) {
            Ok(share) => match self.dispatch(caller, request, progress, flows).await {
                Ok(Reply::Long(long)) => Ok(Reply::Long(Box::new(long.holding(in_flight, share)))),
                answered => answered,
            },
            Err(exceeded) => Err(exceeded),
        };
        answered.map_err(|failure| {
            let mut failure = failure.about(&request.id);
            let theirs = std::mem::take(&mut failure.challenges);
            failure.challenges = self.inner.config.resource.challenges(theirs);
            self.inner.metrics.refused(failure.kind);
            failure
        })
    }

    async fn dispatch(
        &self,
        caller: &Caller,
        request: &Request,
        progress: Option<ProgressSender>,
        flows: bool,
    ) -> Result<Reply, Failure> {
        let modern = request.revision.is_modern();
        let whole = match (request.method.as_str(), modern) {
            ("initialize", false) => self.initialize(caller, request).await,
            ("server/discover", true) => self.discover(caller).await,
            ("tools/list", _) => self.list(caller, request).await,
            ("tools/call", _) => return self.call(caller, request, progress, flows).await,
            ("ping", false) => Ok(handshake::pong()),
            _ => Err(Failure::method_not_found(request)),
        };
        whole.map(Reply::Whole)
    }

    /// Whether the metadata of the protected resource is at this path.
    #[must_use]
    pub fn has_metadata_at(&self, path: &str) -> bool {
        self.inner.config.resource.is_at(path)
    }

    /// The metadata of the protected resource (RFC 9728); `nobody` is the anonymous caller.
    ///
    /// # Errors
    /// See [`MetadataError`].
    pub async fn metadata(&self, nobody: &Caller) -> Result<Box<RawValue>, MetadataError> {
        let theirs = self.inner.upstream.metadata(nobody).await?;
        Ok(self.inner.config.resource.document(theirs))
    }

    /// Counts a message that never became a request.
    pub fn refused(&self, kind: &'static str) {
        self.inner.metrics.refused(kind);
    }

    /// Starts no more work of its own (draining).
    pub fn drain(&self) {
        self.inner.catalogs.stop_refreshing();
    }

    /// This caller's share of the work, until the answer.
    fn share(&self, caller: &Caller, method: &str) -> Result<Option<Share>, Failure> {
        let (shares, kind, setting) = match method {
            "tools/call" => (&self.inner.calls, "caller_calls", "max-calls-per-caller"),
            "initialize" | "server/discover" | "tools/list" => {
                (&self.inner.lists, "caller_lists", "max-lists-per-caller")
            }
            _ => return Ok(None),
        };
        let share = shares.take(caller);
        share
            .map(Some)
            .map_err(|exceeded| Failure::too_many(exceeded.most, kind, setting))
    }

    async fn initialize(
        &self,
        caller: &Caller,
        request: &Request,
    ) -> Result<Box<RawValue>, Failure> {
        let catalog = self.handshake_catalog(caller).await?;
        Ok(handshake::initialize(
            request,
            &self.instructions(catalog.as_deref()),
        ))
    }

    async fn discover(&self, caller: &Caller) -> Result<Box<RawValue>, Failure> {
        let catalog = self.handshake_catalog(caller).await?;
        Ok(handshake::discover(
            &self.instructions(catalog.as_deref()),
            catalog.is_some(),
        ))
    }

    async fn list(&self, caller: &Caller, request: &Request) -> Result<Box<RawValue>, Failure> {
        if request.has_cursor() {
            return Err(Failure::invalid_params(
                "there is one page of tools, so no cursor is valid",
            ));
        }
        self.let_challenge(caller).await?;
        Ok(handshake::tools(request.revision))
    }

    async fn call(
        &self,
        caller: &Caller,
        request: &Request,
        progress: Option<ProgressSender>,
        flows: bool,
    ) -> Result<Reply, Failure> {
        let Params {
            name,
            arguments,
            input_responses,
            request_state,
        } = Params::read(request)?;
        let invocation = Invocation::parse(&name, arguments.as_deref())
            .map_err(|_unknown| Failure::unknown_tool())?;
        let context = CallContext {
            client_capabilities: request.envelope.capabilities.clone(),
            input_responses,
            request_state,
            trace: request.envelope.trace.clone(),
            progress,
            // What is to be cut has to be seen to its end.
            flows: flows
                && long::can_shape(request.revision)
                && self.inner.config.limits.max_result_tokens.is_none(),
        };
        let counted = long::Counted::start(Arc::clone(&self.inner.metrics), invocation.tool());
        match self.run(caller, invocation, &context).await {
            Ok(tools::Reply::Long(result)) => {
                let long = Long::new(result, request.revision, counted);
                Ok(Reply::Long(Box::new(long)))
            }
            Ok(tools::Reply::Answer(answer)) => {
                counted.stop(answer.outcome.kind());
                Ok(Reply::Whole(shape::call(answer, request.revision)))
            }
            Err(error) => {
                counted.stop(error.kind());
                Err(error.into())
            }
        }
    }

    async fn run(
        &self,
        caller: &Caller,
        invocation: Invocation,
        context: &CallContext,
    ) -> Result<tools::Reply, Error> {
        let Inner {
            config,
            catalogs,
            upstream,
            tools,
            ..
        } = &*self.inner;
        let catalog = match catalogs.get(caller).await {
            Ok(catalog) => catalog,
            Err(
                challenge @ (Error::Unauthorized { .. } | Error::Forbidden { scope: true, .. }),
            ) => {
                return Err(challenge);
            }
            Err(error) => return Ok(Invocation::unlisted(&error).into()),
        };
        let session = Session {
            caller,
            catalog,
            catalogs,
            upstream,
            limits: config.limits,
            metrics: tools,
        };
        invocation.run(&session, context).await
    }

    /// The catalog, if it comes in time; only a challenge is worth failing a handshake for.
    async fn handshake_catalog(&self, caller: &Caller) -> Result<Option<Arc<Catalog>>, Failure> {
        match timeout(HANDSHAKE, self.inner.catalogs.get(caller)).await {
            Ok(Ok(catalog)) => Ok(Some(catalog)),
            Ok(Err(error)) => self.challenge(error).map_or(Ok(None), Err),
            // The load goes on, and the first search will find it done.
            Err(_elapsed) => Ok(None),
        }
    }

    /// Lets the upstream challenge this caller where the answer itself would not need it.
    async fn let_challenge(&self, caller: &Caller) -> Result<(), Failure> {
        let Inner {
            catalogs,
            upstream,
            accepted,
            ..
        } = &*self.inner;
        let known = accepted.get(&caller.key()).await.is_some();
        if known || catalogs.holds_fresh(caller).await {
            return Ok(());
        }
        match timeout(HANDSHAKE, upstream.probe(caller)).await {
            Ok(Ok(())) => accepted.insert(caller.key(), ()).await,
            Ok(Err(error)) => return self.challenge(error).map_or(Ok(()), Err),
            Err(_elapsed) => (),
        }
        Ok(())
    }

    fn challenge(&self, error: Error) -> Option<Failure> {
        let challenged = matches!(
            error,
            Error::Unauthorized { .. } | Error::Forbidden { scope: true, .. }
        );
        challenged.then(|| {
            self.inner.metrics.challenged();
            Failure::from(error)
        })
    }

    fn instructions(&self, catalog: Option<&Catalog>) -> String {
        let theirs = catalog.and_then(Catalog::instructions);
        guidance::instructions(theirs, self.inner.config.max_instructions)
    }
}

/// `params` of a `tools/call`.
struct Params {
    name: String,
    arguments: Option<Box<RawValue>>,
    input_responses: Option<Box<RawValue>>,
    request_state: Option<Box<RawValue>>,
}

impl Params {
    fn read(request: &Request) -> Result<Self, Failure> {
        #[derive(Deserialize)]
        struct Wire {
            name: String,
            #[serde(default)]
            arguments: Option<Box<RawValue>>,
            #[serde(rename = "inputResponses", default)]
            input_responses: Option<Box<RawValue>>,
            #[serde(rename = "requestState", default)]
            request_state: Option<Box<RawValue>>,
        }
        let params = request.params.as_deref().map_or("null", RawValue::get);
        let wire = serde_json::from_str::<Wire>(params)
            .ok()
            .filter(|_| params.starts_with('{'));
        let wire = wire.ok_or_else(|| {
            Failure::invalid_params("tools/call takes params with the string `name` and the object `arguments`, each once")
        })?;
        let Wire {
            name,
            arguments,
            input_responses,
            request_state,
        } = wire;
        Ok(Self {
            name,
            arguments,
            input_responses,
            request_state,
        })
    }
}

impl Failure {
    fn invalid_params(message: &str) -> Self {
        Self::rpc(
            200,
            ErrorObject::new(code::INVALID_PARAMS, message),
            "invalid_params",
        )
    }

    fn unknown_tool() -> Self {
        let names = tools::NAMES.join(", ");
        let message = format!(
            "unknown tool; the tools here are {names}, and every other one is called through them"
        );
        Self::rpc(
            200,
            ErrorObject::new(code::INVALID_PARAMS, message),
            "unknown_tool",
        )
    }
}
