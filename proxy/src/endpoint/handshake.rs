//! What are the static answers? `initialize`, `server/discover`, `tools/list`, `ping`.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::endpoint::ladder::Request;
use crate::protocol::Revision;
use crate::tools::definitions;

/// Our tools never change within a release.
const TOOLS_TTL: u64 = 3_600_000;
/// Instructions are the caller's own, and may change with the upstream's.
const INSTRUCTIONS_TTL: u64 = 300_000;

/// `serverInfo`, as every revision has it.
pub(super) fn server_info() -> Value {
    json!({ "name": "toolsearch-proxy", "title": "Tool search", "version": env!("CARGO_PKG_VERSION") })
}

/// The answer to `initialize`: the asked revision where it is served, else the newest of its era.
pub(super) fn initialize(request: &Request, instructions: &str) -> Box<RawValue> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "protocolVersion")]
        version: String,
    }
    let params = request
        .params
        .as_deref()
        .and_then(|raw| serde_json::from_str::<Params>(raw.get()).ok());
    let asked = params.and_then(|params| Revision::parse(&params.version));
    let version = asked
        .filter(|revision| !revision.is_modern())
        .unwrap_or(Revision::LATEST_LEGACY);
    raw(&json!({
        "protocolVersion": version.as_str(),
        "capabilities": { "tools": {} },
        "serverInfo": server_info(),
        "instructions": instructions,
    }))
}

/// The answer to `server/discover`; `complete` when the upstream's instructions are in it.
pub(super) fn discover(instructions: &str, complete: bool) -> Box<RawValue> {
    raw(&json!({
        "resultType": "complete",
        "supportedVersions": [Revision::LATEST.as_str()],
        "capabilities": { "tools": {} },
        "instructions": instructions,
        "ttlMs": if complete { INSTRUCTIONS_TTL } else { 0 },
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": server_info() },
    }))
}

/// The answer to `tools/list`.
pub(super) fn tools(revision: Revision) -> Box<RawValue> {
    #[derive(Serialize)]
    struct Modern<'a> {
        #[serde(rename = "resultType")]
        kind: &'a str,
        tools: &'a RawValue,
        #[serde(rename = "ttlMs")]
        ttl: u64,
        #[serde(rename = "cacheScope")]
        scope: &'a str,
        #[serde(rename = "_meta")]
        meta: Value,
    }
    #[derive(Serialize)]
    struct Legacy<'a> {
        tools: &'a RawValue,
    }
    let tools = definitions();
    if !revision.is_modern() {
        return raw(&Legacy { tools });
    }
    let meta = json!({ "io.modelcontextprotocol/serverInfo": server_info() });
    raw(&Modern {
        kind: "complete",
        tools,
        ttl: TOOLS_TTL,
        scope: "public",
        meta,
    })
}

/// The answer to `ping`.
pub(super) fn pong() -> Box<RawValue> {
    raw(&json!({}))
}

/// Maps with string keys and finite numbers: serialization has no way to fail.
fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_default()
}
