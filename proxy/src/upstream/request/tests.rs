//! What exactly goes over the wire in each era?

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::caller::Callers;
use crate::upstream::lane::Session;

#[expect(
    clippy::needless_pass_by_value,
    reason = "a table reads better without borrows"
)]
#[track_caller]
fn check(lane: Option<Lane>, method: Method, content: Content<'_>, expected: Expect) {
    let token = HeaderValue::from_static("Bearer t");
    let caller = Callers::new().unwrap().identify(Some(token));
    let sent = compose(lane.as_ref(), &caller, method, &content, 7).unwrap();
    let mut text = String::new();
    for (name, value) in &sent.headers {
        text.push_str(&format!("{name}: {}\n", value.to_str().unwrap()));
    }
    text.push_str(std::str::from_utf8(&sent.body).unwrap());
    let version = env!("CARGO_PKG_VERSION");
    expected.assert_eq(&text.replace(version, "VERSION"));
}

fn legacy() -> Lane {
    Lane::Legacy(Arc::new(Session {
        id: Some(HeaderValue::from_static("s-1")),
        revision: Revision::V2025_06_18,
        instructions: None,
    }))
}

fn raw(text: &str) -> Box<RawValue> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_modern_call_carries_its_metadata() {
    let (arguments, capabilities) = (
        raw(r#"{"b": 1.10,"a":1e400}"#),
        raw(r#"{"elicitation":{}}"#),
    );
    let (responses, state) = (raw(r#"{"k":{}}"#), raw("\"s\""));
    let mut params = HeaderMap::new();
    params.insert("mcp-param-owner", HeaderValue::from_static("me"));
    check(
        Some(Lane::Modern),
        Method::Call,
        Content {
            name: Some("repo.get"),
            arguments: Some(&arguments),
            input_responses: Some(&responses),
            request_state: Some(&state),
            client_capabilities: Some(&capabilities),
            trace: &[("traceparent", "00-1".to_owned())],
            progress: true,
            params,
            ..Content::default()
        },
        expect![[r#"
            content-type: application/json
            accept: application/json, text/event-stream
            authorization: Bearer t
            mcp-protocol-version: 2026-07-28
            mcp-method: tools/call
            mcp-name: repo.get
            mcp-param-owner: me
            {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"toolsearch-proxy","version":"VERSION"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"progressToken":7,"traceparent":"00-1"},"name":"repo.get","arguments":{"b": 1.10,"a":1e400},"inputResponses":{"k":{}},"requestState":"s"}}"#]],
    );
}

#[test]
fn a_modern_list_declares_no_capabilities() {
    check(
        Some(Lane::Modern),
        Method::List,
        Content {
            cursor: Some(""),
            ..Content::default()
        },
        expect![[r#"
            content-type: application/json
            accept: application/json, text/event-stream
            authorization: Bearer t
            mcp-protocol-version: 2026-07-28
            mcp-method: tools/list
            {"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"toolsearch-proxy","version":"VERSION"},"io.modelcontextprotocol/clientCapabilities":{}},"cursor":""}}"#]],
    );
}

#[test]
fn a_legacy_call_leaves_out_what_is_modern() {
    let (arguments, state) = (raw("{}"), raw("\"s\""));
    check(
        Some(legacy()),
        Method::Call,
        Content {
            name: Some("a"),
            arguments: Some(&arguments),
            request_state: Some(&state),
            client_capabilities: Some(&arguments),
            progress: true,
            ..Content::default()
        },
        expect![[r#"
            content-type: application/json
            accept: application/json, text/event-stream
            authorization: Bearer t
            mcp-protocol-version: 2025-06-18
            mcp-session-id: s-1
            {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"a","arguments":{}}}"#]],
    );
}

#[test]
fn the_handshake_goes_out_without_a_session() {
    check(
        None,
        Method::Initialize,
        Content::default(),
        expect![[r#"
        content-type: application/json
        accept: application/json, text/event-stream
        authorization: Bearer t
        {"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"toolsearch-proxy","version":"VERSION"}}}"#]],
    );
    check(
        Some(legacy()),
        Method::Initialized,
        Content::default(),
        expect![[r#"
            content-type: application/json
            accept: application/json, text/event-stream
            authorization: Bearer t
            mcp-protocol-version: 2025-06-18
            mcp-session-id: s-1
            {"jsonrpc":"2.0","method":"notifications/initialized"}"#]],
    );
}

#[test]
fn a_cancellation_names_the_request() {
    check(
        Some(legacy()),
        Method::Cancelled,
        Content {
            cancels: Some(6),
            ..Content::default()
        },
        expect![[r#"
            content-type: application/json
            accept: application/json, text/event-stream
            authorization: Bearer t
            mcp-protocol-version: 2025-06-18
            mcp-session-id: s-1
            {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}"#]],
    );
}
