//! An MCP server of the revisions with a handshake, without sessions: every pod of the proxy may
//! ask it anything at any time. `GET /calls` says how many tools each address has called.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use serde_json::{Value, json};

use crate::serve::{Answer, serve};

/// The path of the counts.
const CALLS: &str = "/calls";

/// Calls of tools by the address that made them.
#[derive(Debug, Clone, Default)]
struct Callers(Arc<Mutex<BTreeMap<IpAddr, u64>>>);

impl Callers {
    fn count(&self, caller: IpAddr) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(caller).or_default() += 1;
    }

    fn told(&self) -> Value {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        json!(*counts)
    }
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    long: u64,
    tools: usize,
}

/// Serves until told to stop.
pub(crate) async fn run(listen: SocketAddr, long: u64, tools: usize) -> anyhow::Result<()> {
    let shape = Shape { long, tools };
    let callers = Callers::default();
    serve(listen, move |request, caller| {
        answer(request, shape, caller, callers.clone())
    })
    .await
}

async fn answer(
    request: Request<Incoming>,
    shape: Shape,
    caller: IpAddr,
    callers: Callers,
) -> Answer {
    if request.method() == http::Method::GET && request.uri().path() == CALLS {
        return text(StatusCode::OK, callers.told().to_string());
    }
    if request.method() != http::Method::POST {
        return text(StatusCode::METHOD_NOT_ALLOWED, String::new());
    }
    let Ok(body) = request.into_body().collect().await else {
        return text(StatusCode::BAD_REQUEST, String::new());
    };
    let message: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
    let Some(id) = message.get("id").cloned() else {
        return text(StatusCode::ACCEPTED, String::new());
    };
    let params = &message["params"];
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => result(&id, &json!({
            "protocolVersion": params["protocolVersion"], "capabilities": { "tools": {} },
            "serverInfo": { "name": "load", "version": "1" },
        })),
        "tools/list" => result(&id, &json!({ "tools": tools(shape.tools) })),
        "tools/call" => {
            callers.count(caller);
            call(&id, params, shape).await
        }
        "ping" => result(&id, &json!({})),
        _ => text(
            StatusCode::OK,
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "Method not found" } }).to_string(),
        ),
    }
}

fn tools(more: usize) -> Vec<Value> {
    let tool = |name: &str, words: &str, read: bool| {
        json!({
            "name": name, "description": words, "annotations": { "readOnlyHint": read },
            "inputSchema": { "type": "object", "properties": { "nonce": { "type": "string" } }, "required": ["nonce"] },
        })
    };
    let mut all = vec![
        tool("echo", "Answers with what it is given.", true),
        tool(
            "slow",
            "Answers with what it is given, after half a second.",
            true,
        ),
        tool(
            "long",
            "Answers with what it is given, after long, and tells how far it is.",
            true,
        ),
        tool("note", "Keeps what it is given.", false),
    ];
    all.extend((0..more).map(|number| {
        tool(
            &format!("other_{number}"),
            &format!("Does the other thing {number}."),
            true,
        )
    }));
    all
}

async fn call(id: &Value, params: &Value, shape: Shape) -> Answer {
    let nonce = params["arguments"]["nonce"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let done = json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [{ "type": "text", "text": format!("nonce={nonce}") }] } });
    match params["name"].as_str().unwrap_or_default() {
        "slow" => tokio::time::sleep(Duration::from_millis(500)).await,
        "long" => return progress(done, params["_meta"]["progressToken"].clone(), shape.long),
        _ => {}
    }
    text(StatusCode::OK, done.to_string())
}

/// An event a second, and the result at the end.
fn progress(done: Value, token: Value, seconds: u64) -> Answer {
    let events = stream::unfold(0, move |second| {
        let (done, token) = (done.clone(), token.clone());
        async move {
            if second > seconds {
                return None;
            }
            let event = if second == seconds {
                done
            } else {
                tokio::time::sleep(Duration::from_secs(1)).await;
                json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": { "progressToken": token, "progress": second, "total": seconds } })
            };
            let frame = Frame::data(Bytes::from(format!("event: message\ndata: {event}\n\n")));
            Some((Ok(frame), second + 1))
        }
    });
    let body = StreamBody::new(events).boxed_unsync();
    let mut answer = Response::new(body);
    answer.headers_mut().insert(
        "content-type",
        http::HeaderValue::from_static("text/event-stream"),
    );
    answer
}

fn result(id: &Value, result: &Value) -> Answer {
    text(
        StatusCode::OK,
        json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string(),
    )
}

fn text(status: StatusCode, body: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed_unsync());
    *answer.status_mut() = status;
    answer.headers_mut().insert(
        "content-type",
        http::HeaderValue::from_static("application/json"),
    );
    answer
}
