//! What do the clients say? Messages of both eras, written by hand, each with a nonce of its own.

use serde_json::{Value, json};

/// The revision of the handshake era that the clients speak.
pub(crate) const LEGACY: &str = "2025-06-18";
/// The stateless revision.
pub(crate) const MODERN: &str = "2026-07-28";

/// One message with the headers that go with it.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

/// A text that no other call has.
pub(crate) fn nonce() -> String {
    format!("{:016x}", getrandom::u64().unwrap_or_default())
}

/// A call of one of the proxy's tools, which calls `name` upstream.
pub(crate) fn call(
    era: &'static str,
    tool: &str,
    name: &str,
    nonce: &str,
    progress: bool,
) -> Message {
    let mut params =
        json!({ "name": tool, "arguments": { "name": name, "arguments": { "nonce": nonce } } });
    if progress {
        params["_meta"]["progressToken"] = nonce.into();
    }
    message(era, "tools/call", params)
}

/// Any request.
pub(crate) fn message(era: &'static str, method: &str, mut params: Value) -> Message {
    let mut headers = vec![("mcp-protocol-version", era.to_owned())];
    if era == MODERN {
        headers.push(("mcp-method", method.to_owned()));
        if let Some(name) = params["name"].as_str() {
            headers.push(("mcp-name", name.to_owned()));
        }
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    Message {
        headers,
        body: body.to_string(),
    }
}

/// A notification of the handshake era.
pub(crate) fn initialized() -> Message {
    let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    Message {
        headers: vec![("mcp-protocol-version", LEGACY.to_owned())],
        body: body.to_string(),
    }
}
