//! What do the tests stand on? A server that answers by script and remembers what it saw.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use http::HeaderMap;
use http::HeaderValue;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use url::Url;

use crate::caller::{Caller, Callers};
use crate::protocol::Tool;
use crate::upstream::Received;
use crate::upstream::{Call, CallContext, Config, Error, Limits, Protocol, ToolTimeouts, Upstream};

/// One request as the server saw it.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) verb: String,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

impl Seen {
    /// A member of the body by JSON pointer; a string as it is, anything else as JSON.
    pub(super) fn at(&self, pointer: &str) -> String {
        let body: Value = serde_json::from_str(&self.body).unwrap_or(Value::Null);
        match body.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        }
    }

    /// The JSON-RPC method, or the verb where there is none.
    pub(super) fn method(&self) -> String {
        let method = self.at("/method");
        if !method.is_empty() {
            method
        } else if self.verb == "POST" {
            "reply".to_owned()
        } else {
            self.verb.clone()
        }
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// 200 with a result.
    pub(super) fn result(&self, result: &str) -> Response {
        let id = self.at("/id");
        answer(
            200,
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        )
    }

    /// A JSON-RPC error.
    pub(super) fn error(&self, status: u16, code: i64, message: &str) -> Response {
        let id = self.at("/id");
        answer(
            status,
            &format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#
            ),
        )
    }

    /// 200 with an event stream, `$ID` replaced.
    pub(super) fn stream(&self, events: &str) -> Response {
        Response::builder()
            .header("content-type", "text/event-stream; charset=utf-8")
            .body(Body::from(events.replace("$ID", &self.at("/id"))))
            .unwrap()
    }
}

pub(super) fn answer(status: u16, json: &str) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(json.to_owned()))
        .unwrap()
}

pub(super) fn status(status: u16, headers: &[(&str, &str)]) -> Response {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(Body::empty()).unwrap()
}

/// What a modern server says to everything but `tools/*`.
pub(super) fn modern(seen: &Seen) -> Response {
    match seen.method().as_str() {
        "server/discover" => {
            seen.result(r#"{"supportedVersions":["2026-07-28"],"instructions":"be kind"}"#)
        }
        _ => seen.error(404, -32601, "no such method"),
    }
}

/// What a legacy server with sessions says to everything but `tools/*`; the session is `s-1`.
pub(super) fn legacy(seen: &Seen) -> Response {
    match seen.method().as_str() {
        "initialize" => {
            let mut response = seen.result(
                r#"{"protocolVersion":"2025-06-18","capabilities":{},"instructions":"be kind"}"#,
            );
            let session = HeaderValue::from_static("s-1");
            response.headers_mut().insert("mcp-session-id", session);
            response
        }
        "ping" => seen.result("{}"),
        "DELETE" => status(200, &[]),
        method if method.starts_with("notifications/") || method == "reply" => status(202, &[]),
        _ => seen.error(400, -32000, "Bad Request: Server not initialized"),
    }
}

/// A running server.
pub(super) struct Server {
    pub(super) url: Url,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// `script` is told what came, and how many of that method came before.
    pub(super) async fn start<F>(script: F) -> Self
    where
        F: Fn(&Seen, usize) -> Response + Clone + Send + Sync + 'static,
    {
        let (listener, url) = bind().await;
        let seen = Arc::new(Mutex::new(Vec::<Seen>::new()));
        let log = Arc::clone(&seen);
        let app = Router::new().fallback(move |request: Request| {
            let (script, log) = (script.clone(), Arc::clone(&log));
            async move {
                let seen = read(request).await;
                let before = {
                    let mut log = log.lock().unwrap();
                    let same = |other: &&Seen| other.method() == seen.method();
                    let before = log.iter().filter(same).count();
                    log.push(seen.clone());
                    before
                };
                script(&seen, before)
            }
        });
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, seen }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The methods that came, in order.
    pub(super) fn methods(&self) -> Vec<String> {
        self.seen().iter().map(Seen::method).collect()
    }

    /// Waits until a request of this method has come.
    pub(super) async fn wait_for(&self, method: &str) -> Seen {
        let wait = async {
            loop {
                if let Some(seen) = self.seen().into_iter().find(|seen| seen.method() == method) {
                    return seen;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), wait)
            .await
            .unwrap()
    }
}

async fn read(request: Request) -> Seen {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    Seen {
        verb: parts.method.to_string(),
        path: parts.uri.to_string(),
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    }
}

pub(super) async fn bind() -> (TcpListener, Url) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/mcp").parse().unwrap();
    (listener, url)
}

/// A server beneath HTTP: reads a request, writes these bytes, then does as told.
pub(super) struct Raw {
    pub(super) url: Url,
    /// The bodies that came.
    pub(super) bodies: Bodies,
}

type Bodies = Arc<Mutex<Vec<String>>>;

/// What a raw server does after its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Closes the connection.
    Close,
    /// Reads the next request.
    Next,
    /// Falls silent.
    Silence,
}

impl Raw {
    /// `script` is told the body, and how many came before.
    pub(super) async fn start<F>(script: F) -> Self
    where
        F: Fn(&str, usize) -> (String, After) + Clone + Send + 'static,
    {
        let (listener, url) = bind().await;
        let bodies = Bodies::default();
        let log = Arc::clone(&bodies);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, script.clone(), Arc::clone(&log)));
            }
        });
        Self { url, bodies }
    }
}

async fn serve<F>(mut stream: TcpStream, script: F, log: Bodies)
where
    F: Fn(&str, usize) -> (String, After),
{
    loop {
        let body = read_request(&mut stream).await;
        if body.is_empty() {
            return;
        }
        let (bytes, after) = {
            let mut log = log.lock().unwrap();
            let told = script(&body, log.len());
            log.push(body);
            told
        };
        // The client may have gone already.
        let _ = stream.write_all(bytes.as_bytes()).await;
        match after {
            After::Close => return,
            After::Next => {}
            After::Silence => std::future::pending().await,
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return body.to_owned();
            }
        }
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&chunk[..count]),
            _ => return String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// Limits that no test runs into by accident.
pub(super) fn config(url: &Url) -> Config {
    Config {
        url: url.clone(),
        protocol: Protocol::Auto,
        extra_roots: None,
        connect_timeout: Duration::from_secs(20),
        first_byte_timeout: Duration::from_secs(20),
        idle_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(60),
        tool_timeouts: ToolTimeouts::default(),
        breaker_failures: 0,
        breaker_pause: Duration::from_secs(5),
        era_ttl: Duration::from_secs(600),
        limits: Limits {
            pages: 10,
            tools: 100,
            bytes: 100_000,
        },
        max_result_bytes: 100_000,
        max_sessions: 10,
    }
}

pub(super) fn upstream(config: Config) -> Upstream {
    Upstream::new(config, &prometheus::Registry::new()).unwrap()
}

thread_local! {
    static CALLERS: Callers = Callers::new().unwrap();
}

/// The caller with this bearer token; the same one every time within a test.
pub(super) fn caller(token: &str) -> Caller {
    let value = HeaderValue::try_from(format!("Bearer {token}")).unwrap();
    CALLERS.with(|callers| callers.identify(Some(value)))
}

pub(super) fn raw(text: &str) -> Box<RawValue> {
    serde_json::from_str(text).unwrap()
}

pub(super) fn tool(text: &str) -> Tool {
    Tool::parse(raw(text)).unwrap()
}

/// Calls the tool `t` without arguments, as the caller `a`.
pub(super) async fn call(upstream: &Upstream, repeatable: bool) -> Result<String, Error> {
    call_with(upstream, repeatable, &CallContext::default()).await
}

pub(super) async fn call_with(
    upstream: &Upstream,
    repeatable: bool,
    context: &CallContext,
) -> Result<String, Error> {
    let tool = tool(r#"{"name":"t","inputSchema":{}}"#);
    let call = Call {
        tool: &tool,
        arguments: &raw("{}"),
        repeatable,
        context,
        began: Instant::now(),
    };
    match upstream.call(&caller("a"), call).await? {
        Received::Whole(result) => Ok(result.get().to_owned()),
        Received::Long(long) => panic!("a long result: {long:?}"),
    }
}

/// The kind of an error.
pub(super) fn kind<T>(outcome: &Result<T, Error>) -> &'static str {
    outcome.as_ref().map_or_else(Error::kind, |_| "ok")
}
