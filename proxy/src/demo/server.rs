//! How is the demo upstream spoken to? A small MCP server over streamable HTTP, both eras.
//!
//! Without sessions and without credentials; pages of a hundred tools. It is the demo's, and the
//! tests' well-behaved upstream: misbehaving ones are the tests' own.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::demo::world::{Outcome, World};

const PAGE: usize = 100;
const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];
const INSTRUCTIONS: &str = "This is a demo gateway: every service behind it is made up. Names start \
    with the service. What you create can be read back until the demo ends.";

/// Serves the world until the future is dropped.
///
/// # Errors
/// The listener failed.
pub async fn serve(listener: TcpListener, world: Arc<World>) -> std::io::Result<()> {
    let answer = move |body: Bytes| {
        let world = Arc::clone(&world);
        async move { answer(&world, &body) }
    };
    axum::serve(listener, Router::new().route("/mcp", post(answer))).await
}

fn answer(world: &World, body: &[u8]) -> Response {
    let Ok(message) = serde_json::from_slice::<Value>(body) else {
        return reply(
            StatusCode::BAD_REQUEST,
            &error(&Value::Null, -32700, "not JSON"),
        );
    };
    let Some(id) = message.get("id").filter(|id| !id.is_null()) else {
        return StatusCode::ACCEPTED.into_response();
    };
    let params = &message["params"];
    let modern = params["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN;
    match message["method"].as_str().unwrap_or_default() {
        "server/discover" if modern => reply(StatusCode::OK, &success(id, discovery(), modern)),
        "initialize" if !modern => reply(StatusCode::OK, &success(id, handshake(params), modern)),
        "ping" if !modern => reply(StatusCode::OK, &success(id, json!({}), modern)),
        "tools/list" => match page(world, params) {
            Some(page) => reply(StatusCode::OK, &success(id, page, modern)),
            None => reply(StatusCode::OK, &error(id, -32602, "no such cursor")),
        },
        "tools/call" => call(world, id, params, modern),
        _ => {
            let status = if modern {
                StatusCode::NOT_FOUND
            } else {
                StatusCode::OK
            };
            reply(status, &error(id, -32601, "no such method"))
        }
    }
}

fn discovery() -> Value {
    json!({ "supportedVersions": [MODERN], "capabilities": { "tools": {} },
            "instructions": INSTRUCTIONS, "ttlMs": 600_000, "cacheScope": "public" })
}

fn handshake(params: &Value) -> Value {
    let asked = params["protocolVersion"]
        .as_str()
        .filter(|version| LEGACY.contains(version));
    json!({ "protocolVersion": asked.unwrap_or(LEGACY[2]), "capabilities": { "tools": {} },
            "serverInfo": server_info(), "instructions": INSTRUCTIONS })
}

fn page(world: &World, params: &Value) -> Option<Value> {
    let start = match params.get("cursor").filter(|cursor| !cursor.is_null()) {
        Some(cursor) => cursor.as_str()?.parse::<usize>().ok()?,
        None => 0,
    };
    let tools = world.tools();
    let page = tools.get(start..)?.iter().take(PAGE).collect::<Vec<_>>();
    let mut result = json!({ "tools": page, "ttlMs": 600_000, "cacheScope": "public" });
    if start + PAGE < tools.len() {
        result["nextCursor"] = json!((start + PAGE).to_string());
    }
    Some(result)
}

fn call(world: &World, id: &Value, params: &Value, modern: bool) -> Response {
    let name = params["name"].as_str().unwrap_or_default();
    let no_arguments = Map::new();
    let arguments = params["arguments"].as_object().unwrap_or(&no_arguments);
    let Some(Outcome { result, takes }) = world.call(name, arguments) else {
        return reply(
            StatusCode::OK,
            &error(id, -32602, &format!("Unknown tool: {name}")),
        );
    };
    let message = success(id, result, modern);
    if takes.is_zero() {
        return reply(StatusCode::OK, &message);
    }
    stream(params["_meta"]["progressToken"].clone(), message, takes)
}

/// Answers later, over SSE, with a progress notification each tenth of the time.
fn stream(token: Value, message: Value, takes: std::time::Duration) -> Response {
    let (events, receiver) = mpsc::channel::<Value>(16);
    tokio::spawn(async move {
        for step in 1..=10 {
            tokio::time::sleep(takes / 10).await;
            let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": token, "progress": step, "total": 10 } });
            if !token.is_null() && events.send(progress).await.is_err() {
                return;
            }
        }
        // A caller who has gone away needs no answer.
        let _gone = events.send(message).await;
    });
    let body = futures_util::stream::unfold(receiver, |mut receiver| async {
        let message = receiver.recv().await?;
        Some((
            Ok::<_, Infallible>(format!("event: message\ndata: {message}\n\n")),
            receiver,
        ))
    });
    (
        [(header::CONTENT_TYPE, "text/event-stream")],
        Body::from_stream(body),
    )
        .into_response()
}

fn success(id: &Value, mut result: Value, modern: bool) -> Value {
    if modern {
        result["resultType"] = json!("complete");
        result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
    }
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn server_info() -> Value {
    json!({ "name": "toolsearch-demo-upstream", "version": env!("CARGO_PKG_VERSION") })
}

fn reply(status: StatusCode, message: &Value) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        message.to_string(),
    )
        .into_response()
}
