//! What does a request look like on the wire, in either era?
//!
//! Guarantees: of the caller's own headers only `Authorization` travels; arguments, capabilities
//! and multi-round-trip members go out byte for byte. Never reads a clock or a socket.

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::caller::Caller;
use crate::protocol::Revision;
use crate::upstream::error::Error;
use crate::upstream::lane::Lane;

/// What the upstream is asked or told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// `server/discover`.
    Discover,
    /// `initialize`.
    Initialize,
    /// `notifications/initialized`.
    Initialized,
    /// `ping`.
    Ping,
    /// `tools/list`.
    List,
    /// `tools/call`.
    Call,
    /// `notifications/cancelled`.
    Cancelled,
    /// An answer to a question of the server's.
    Reply,
    /// HTTP GET of a stream that ended before its answer.
    Resume,
    /// HTTP DELETE of a session.
    Delete,
}

impl Method {
    /// Every method, for metrics.
    pub(super) const ALL: [Self; 10] = [
        Self::Discover,
        Self::Initialize,
        Self::Initialized,
        Self::Ping,
        Self::List,
        Self::Call,
        Self::Cancelled,
        Self::Reply,
        Self::Resume,
        Self::Delete,
    ];

    /// The JSON-RPC method.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Discover => "server/discover",
            Self::Initialize => "initialize",
            Self::Initialized => "notifications/initialized",
            Self::Ping => "ping",
            Self::List => "tools/list",
            Self::Call => "tools/call",
            Self::Cancelled => "notifications/cancelled",
            Self::Reply => "reply",
            Self::Resume => "resume",
            Self::Delete => "delete",
        }
    }

    const fn is_request(self) -> bool {
        !matches!(
            self,
            Self::Initialized | Self::Cancelled | Self::Reply | Self::Resume | Self::Delete
        )
    }
}

/// The `params` of any request, and what else of it is not the same every time.
#[derive(Default)]
pub(super) struct Content<'a> {
    /// `cursor` of `tools/list`.
    pub(super) cursor: Option<&'a str>,
    /// `name` of `tools/call`.
    pub(super) name: Option<&'a str>,
    /// `arguments` of `tools/call`.
    pub(super) arguments: Option<&'a RawValue>,
    /// `inputResponses`, modern only.
    pub(super) input_responses: Option<&'a RawValue>,
    /// `requestState`, modern only.
    pub(super) request_state: Option<&'a RawValue>,
    /// The caller's capabilities, modern only.
    pub(super) client_capabilities: Option<&'a RawValue>,
    /// W3C trace context.
    pub(super) trace: &'a [(&'static str, String)],
    /// Whether progress is wanted; its token is the request's id.
    pub(super) progress: bool,
    /// `Mcp-Param-*`, modern only.
    pub(super) params: HeaderMap,
    /// The request that `notifications/cancelled` is about.
    pub(super) cancels: Option<u64>,
}

/// A POST, ready to be sent.
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) id: u64,
}

/// The message of `method` in this lane; with no lane, an `initialize`.
pub(super) fn compose(
    lane: Option<&Lane>,
    caller: &Caller,
    method: Method,
    content: &Content<'_>,
    id: u64,
) -> Result<Outgoing, Error> {
    let params = match lane {
        Some(Lane::Modern) => modern_params(content, id),
        Some(Lane::Legacy(_)) => legacy_params(content, id),
        None => initialize_params(),
    };
    let body = serde_json::to_vec(&Envelope {
        jsonrpc: "2.0",
        id: method.is_request().then_some(id),
        method: method.name(),
        params: Some(params).filter(|params| !params.is_empty()),
    })
    .map_err(|_| UNPRINTABLE)?;
    let mut headers = headers(lane, caller);
    if let Some(Lane::Modern) = lane {
        headers.insert(MCP_METHOD, HeaderValue::from_static(method.name()));
        if let Some(name) = content.name {
            headers.insert(MCP_NAME, crate::upstream::header_value::text(name));
        }
        headers.extend(content.params.clone());
    }
    Ok(Outgoing {
        method,
        headers,
        body,
        id,
    })
}

/// The answer to a question of the server's: `ping` is answered, all else is unknown here.
pub(super) fn reply(lane: &Lane, caller: &Caller, id: &RawValue, ping: bool) -> Outgoing {
    let outcome = if ping {
        r#""result":{}"#
    } else {
        r#""error":{"code":-32601,"message":"this client offers no methods"}"#
    };
    Outgoing {
        method: Method::Reply,
        headers: headers(Some(lane), caller),
        body: format!(r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#).into_bytes(),
        id: 0,
    }
}

/// Asks for what follows the event of this id.
pub(super) fn resume(lane: &Lane, caller: &Caller, after: HeaderValue) -> Outgoing {
    let mut headers = headers(Some(lane), caller);
    headers.remove(CONTENT_TYPE);
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    headers.insert(LAST_EVENT_ID, after);
    Outgoing {
        method: Method::Resume,
        headers,
        body: Vec::new(),
        id: 0,
    }
}

/// The headers of any request: what the era asks for, and the caller's `Authorization`.
pub(super) fn headers(lane: Option<&Lane>, caller: &Caller) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    if let Some(authorization) = caller.authorization() {
        headers.insert(AUTHORIZATION, authorization.clone());
    }
    if let Some(lane) = lane {
        headers.insert(
            MCP_PROTOCOL_VERSION,
            HeaderValue::from_static(lane.revision().as_str()),
        );
    }
    if let Some(Lane::Legacy(session)) = lane
        && let Some(id) = &session.id
    {
        headers.insert(MCP_SESSION_ID, id.clone());
    }
    headers
}

/// The headers that end a session. Sessions outlive the credential they were opened with, which
/// is never kept, so this request carries none.
pub(super) fn farewell(session: &HeaderValue, revision: Revision) -> Outgoing {
    let mut headers = HeaderMap::new();
    headers.insert(MCP_SESSION_ID, session.clone());
    headers.insert(
        MCP_PROTOCOL_VERSION,
        HeaderValue::from_static(revision.as_str()),
    );
    Outgoing {
        method: Method::Delete,
        headers,
        body: Vec::new(),
        id: 0,
    }
}

pub(super) const MCP_SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

const UNPRINTABLE: Error = Error::Malformed {
    what: "a request that JSON can hold",
};

#[derive(Serialize)]
struct Envelope<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Params<'a>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Empty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_info: Option<ClientInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_responses: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<u64>,
}

impl Params<'_> {
    const fn is_empty(&self) -> bool {
        self.meta.is_none()
            && self.protocol_version.is_none()
            && self.cursor.is_none()
            && self.name.is_none()
            && self.request_id.is_none()
    }
}

fn initialize_params() -> Params<'static> {
    Params {
        protocol_version: Some(Revision::LATEST_LEGACY.as_str()),
        capabilities: Some(Empty {}),
        client_info: Some(ClientInfo::OURS),
        ..Params::default()
    }
}

fn legacy_params<'a>(content: &Content<'a>, id: u64) -> Params<'a> {
    let wanted = content.progress || !content.trace.is_empty();
    Params {
        meta: wanted.then(|| Meta {
            modern: None,
            progress_token: content.progress.then_some(id),
            trace: content.trace,
        }),
        cursor: content.cursor,
        name: content.name,
        arguments: content.arguments,
        request_id: content.cancels,
        ..Params::default()
    }
}

fn modern_params<'a>(content: &Content<'a>, id: u64) -> Params<'a> {
    Params {
        meta: Some(Meta {
            modern: Some(content.client_capabilities),
            progress_token: content.progress.then_some(id),
            trace: content.trace,
        }),
        input_responses: content.input_responses,
        request_state: content.request_state,
        ..legacy_params(content, id)
    }
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct ClientInfo {
    name: &'static str,
    version: &'static str,
}

impl ClientInfo {
    const OURS: Self = Self {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
    };
}

struct Meta<'a> {
    /// Present in the modern era; the capabilities within where the caller declared some.
    modern: Option<Option<&'a RawValue>>,
    progress_token: Option<u64>,
    trace: &'a [(&'static str, String)],
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(capabilities) = self.modern {
            map.serialize_entry(
                "io.modelcontextprotocol/protocolVersion",
                Revision::LATEST.as_str(),
            )?;
            map.serialize_entry("io.modelcontextprotocol/clientInfo", &ClientInfo::OURS)?;
            let key = "io.modelcontextprotocol/clientCapabilities";
            match capabilities {
                Some(capabilities) => map.serialize_entry(key, capabilities)?,
                None => map.serialize_entry(key, &Empty {})?,
            }
        }
        if let Some(token) = self.progress_token {
            map.serialize_entry("progressToken", &token)?;
        }
        for (key, value) in self.trace {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests;
