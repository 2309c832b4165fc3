//! What does the upstream say? One MCP server over streamable HTTP, either era.
//!
//! Forwards the caller's `Authorization` and nothing else of the caller's; never follows a
//! redirect to another origin; never sends a write twice; sends nothing for a while once it is
//! known that nobody answers there.

mod breaker;
mod call;
mod cancel;
mod chance;
mod circuit;
mod client;
mod config;
mod era;
mod error;
mod exchange;
mod failure;
mod flow;
mod framing;
mod header_value;
mod lane;
mod link;
mod listing;
mod long;
mod message;
mod metadata;
mod metrics;
mod patience;
mod progress;
mod refused;
mod request;
mod resume;
mod session;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::caller::Caller;

pub use call::{Call, CallContext};
pub use client::{BuildError, http_client};
pub use config::{Config, Limits, Protocol};
pub use error::{Error, Phase};
pub use link::Received;
pub use listing::Listing;
pub use long::Long;
pub use metadata::{MetadataError, WELL_KNOWN};
pub use patience::ToolTimeouts;

/// How long the upstream may take for the cheapest question, when it is asked whether it answers.
const PATIENCE: Duration = Duration::from_secs(10);

/// The upstream server. Cheap to clone.
#[derive(Clone)]
pub struct Upstream {
    inner: Arc<Inner>,
}

struct Inner {
    link: link::Link,
    metadata: metadata::Metadata,
    limits: Limits,
    listing_time: Duration,
    max_result_bytes: usize,
    tool_timeouts: ToolTimeouts,
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Upstream")
    }
}

impl Upstream {
    /// Builds the client; sends nothing.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn new(config: Config, registry: &prometheus::Registry) -> Result<Self, BuildError> {
        let client = client::build(&config)?;
        let metrics = metrics::Metrics::register(registry).map_err(BuildError::Metrics)?;
        let (limits, listing_time) = (config.limits, config.total_timeout);
        let (max_result_bytes, tool_timeouts) =
            (config.max_result_bytes, config.tool_timeouts.clone());
        let documents = metadata::Metadata::new(client.clone(), config.url.clone());
        Ok(Self {
            inner: Arc::new(Inner {
                link: link::Link::new(client, config, metrics),
                metadata: documents,
                limits,
                listing_time,
                max_result_bytes,
                tool_timeouts,
            }),
        })
    }

    /// Walks every page of `tools/list` with this caller's credential, handshake included.
    ///
    /// # Errors
    /// See [`Error`]; a cut listing is no error.
    pub async fn list(&self, caller: &Caller) -> Result<Listing, Error> {
        self.admit(caller).await?;
        let inner = &self.inner;
        let listed = listing::walk(&inner.link, caller, inner.limits, inner.listing_time).await;
        listed.inspect_err(|error| inner.metadata.heed(error))
    }

    /// Calls one tool. The `result` member comes back byte for byte, `input_required` included; one
    /// that is too large to be held comes as it arrives, where the context lets it.
    ///
    /// Dropping the future cancels the request, and tells a legacy upstream so.
    ///
    /// # Errors
    /// See [`Error`]; [`Error::Rpc`] holds the upstream's own JSON-RPC error.
    pub async fn call(&self, caller: &Caller, call: Call<'_>) -> Result<Received, Error> {
        self.admit(caller).await?;
        let inner = &self.inner;
        let time = inner.tool_timeouts.of(&call.tool.name);
        let sent = call::send(&inner.link, caller, call, inner.max_result_bytes, time).await;
        sent.inspect_err(|error| inner.metadata.heed(error))
    }

    /// Asks the upstream the cheapest question it can answer with this credential: is it
    /// challenged? Used before the static answers to `initialize`, `server/discover` and
    /// `tools/list`, because most clients start OAuth only on those.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] and [`Error::Forbidden`] mean a challenge; any other error none.
    pub async fn probe(&self, caller: &Caller) -> Result<(), Error> {
        self.admit(caller).await?;
        let probed = self.inner.link.probe(caller).await;
        probed.inspect_err(|error| self.inner.metadata.heed(error))
    }

    /// Lets a request pass where the upstream answers, as far as is known. Where it may not, this
    /// one asks first: a call is no way to find out, since a tool may be slow, or write.
    async fn admit(&self, caller: &Caller) -> Result<(), Error> {
        let link = &self.inner.link;
        let Some(asking) = link.breaker().admit()? else {
            return Ok(());
        };
        let asked = timeout(PATIENCE, link.probe(caller)).await;
        if asked.is_err() {
            link.breaker().hear(circuit::Sign::Silent);
        }
        drop(asking);
        match (link.breaker().refused(), asked) {
            (None, _) => Ok(()),
            // It says who may ask, and not whether anything is there behind it.
            (
                Some(_),
                Ok(Err(
                    challenge @ (Error::Unauthorized { .. }
                    | Error::Forbidden { .. }
                    | Error::RateLimited { .. }),
                )),
            ) => Err(challenge),
            (Some(refused), _) => Err(refused),
        }
    }

    /// The upstream's protected-resource metadata (RFC 9728), as it came.
    ///
    /// Where the upstream has it at another place than its URL tells, a challenge names that; a
    /// replica that met none yet asks for one in the name of `nobody`, the anonymous caller.
    ///
    /// # Errors
    /// See [`MetadataError`].
    pub async fn metadata(&self, nobody: &Caller) -> Result<Box<RawValue>, MetadataError> {
        let documents = &self.inner.metadata;
        let found = documents.get().await;
        if found.is_ok() || documents.is_named() {
            return found;
        }
        // Only its challenge matters, and that is heeded already.
        let _challenged = self.probe(nobody).await;
        if documents.is_named() {
            documents.get().await
        } else {
            found
        }
    }

    /// Ends the legacy sessions, best effort.
    pub async fn close(&self) {
        self.inner.link.close().await;
    }
}
