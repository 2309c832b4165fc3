//! An upstream that answers as a test tells it to, and remembers what it was sent.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The path and the query.
    pub path: String,
    /// Every header.
    pub headers: HeaderMap,
    /// The body's bytes as text.
    pub body: String,
    /// The body, read.
    pub json: Value,
}

impl Seen {
    /// The JSON-RPC method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.json["method"].as_str().unwrap_or_default()
    }

    /// The token of `Authorization: Bearer`.
    #[must_use]
    pub fn token(&self) -> &str {
        let value = self
            .headers
            .get("authorization")
            .and_then(|value| value.to_str().ok());
        value
            .and_then(|value| value.strip_prefix("Bearer "))
            .unwrap_or_default()
    }
}

/// What to answer.
#[derive(Debug, Clone)]
pub enum Answer {
    /// The `result` of a response, as raw JSON.
    Result(String),
    /// The `result` of a handshake that opens this session.
    Session(String, String),
    /// The `error` of a response, as raw JSON, with the HTTP status.
    Error(u16, String),
    /// A JSON body that is no JSON-RPC.
    Document(String),
    /// A bare status with headers.
    Status(u16, Vec<(&'static str, &'static str)>),
    /// An event stream of these messages, a pause before each; `ID` stands for the request's id.
    Stream(Vec<String>, Duration),
    /// A result that takes this long, once a worker is free.
    Worked {
        /// One permit a worker.
        workers: Arc<tokio::sync::Semaphore>,
        /// How long it takes.
        time: Duration,
        /// The `result`, as raw JSON.
        result: String,
    },
    /// Nothing, for this long, and then an empty 500.
    Silence(Duration),
    /// A response that breaks off in its body.
    Broken,
    /// A body in pieces; `ID` in the first and the last stands for the request's id.
    Pieces(Pieces),
}

/// A body as large as wanted that is never held whole.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// The content type.
    pub kind: &'static str,
    /// What comes first.
    pub head: String,
    /// What comes again and again.
    pub piece: Bytes,
    /// How often it comes.
    pub times: usize,
    /// What comes last; `None` breaks the connection off.
    pub tail: Option<String>,
    /// `Content-Length` is told, which ends with the tail whatever comes.
    pub announced: bool,
}

type Script = Arc<dyn Fn(&Seen) -> Answer + Send + Sync>;

/// A scripted upstream.
#[derive(Debug)]
pub struct Fake {
    /// Where it listens.
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Fake {
    /// Starts an upstream that answers each request by a script; notifications get 202.
    ///
    /// # Panics
    /// No port is free.
    pub async fn start(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a free port");
        Self::start_on(listener, script)
    }

    /// As [`Fake::start`], at an address that is known before.
    ///
    /// # Panics
    /// The listener has no address.
    pub fn start_on(
        listener: TcpListener,
        script: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (script, kept): (Script, _) = (Arc::new(script), Arc::clone(&seen));
        let answer = move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
            let (script, kept) = (Arc::clone(&script), Arc::clone(&kept));
            async move {
                let body = String::from_utf8_lossy(&body).into_owned();
                let json = serde_json::from_str(&body).unwrap_or(Value::Null);
                let request = Seen {
                    path: uri.to_string(),
                    headers,
                    body,
                    json,
                };
                kept.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(request.clone());
                if method != Method::GET && request.json.get("id").is_none() {
                    return with(202, &[], Body::empty());
                }
                respond(&request, script(&request)).await
            }
        };
        let router = Router::new().fallback(answer);
        let serving =
            tokio::spawn(async move { axum::serve(listener, router).await.expect("serves") });
        Self { url, seen, serving }
    }

    /// A modern upstream with these tools (a JSON array), whose calls a script answers.
    pub async fn modern(
        tools: &str,
        call: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let tools = tools.to_owned();
        Self::start(move |seen| match seen.method() {
            "tools/call" => call(seen),
            method => modern(method, &tools),
        })
        .await
    }

    /// What it was sent so far.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What it was sent of one method.
    #[must_use]
    pub fn seen_of(&self, method: &str) -> Vec<Seen> {
        self.seen()
            .into_iter()
            .filter(|seen| seen.method() == method)
            .collect()
    }
}

/// The answers of a modern server to everything but calls.
#[must_use]
pub fn modern(method: &str, tools: &str) -> Answer {
    match method {
        "server/discover" => Answer::Result(
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                   "instructions": "Upstream says hello."})
            .to_string(),
        ),
        "tools/list" => Answer::Result(format!(r#"{{"resultType":"complete","tools":{tools}}}"#)),
        _ => Answer::Error(404, r#"{"code":-32601,"message":"no such method"}"#.to_owned()),
    }
}

/// A result with one text block.
#[must_use]
pub fn text(text: &str) -> Answer {
    Answer::Result(json!({"content": [{"type": "text", "text": text}]}).to_string())
}

async fn respond(request: &Seen, answer: Answer) -> Response<Body> {
    let id = &request.json["id"];
    let kind = ("content-type", "application/json");
    match answer {
        Answer::Result(result) => with(
            200,
            &[kind],
            Body::from(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
            )),
        ),
        Answer::Session(session, result) => {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            let mut response = with(200, &[kind], Body::from(text));
            let session = axum::http::HeaderValue::from_str(&session).expect("a header");
            response.headers_mut().insert("mcp-session-id", session);
            response
        }
        Answer::Error(status, error) => with(
            status,
            &[kind],
            Body::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)),
        ),
        Answer::Document(text) => with(200, &[kind], Body::from(text)),
        Answer::Status(status, headers) => with(status, &headers, Body::empty()),
        Answer::Stream(messages, pause) => {
            let messages: Vec<String> = messages
                .iter()
                .map(|text| text.replace("ID", &id.to_string()))
                .collect();
            let events =
                futures_util::stream::unfold(messages.into_iter(), move |mut rest| async move {
                    let message = rest.next()?;
                    tokio::time::sleep(pause).await;
                    Some((Ok::<_, Infallible>(format!("data: {message}\n\n")), rest))
                });
            with(
                200,
                &[("content-type", "text/event-stream")],
                Body::from_stream(events),
            )
        }
        Answer::Worked {
            workers,
            time,
            result,
        } => {
            let _turn = workers.acquire().await;
            tokio::time::sleep(time).await;
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            with(200, &[kind], Body::from(text))
        }
        Answer::Silence(time) => {
            tokio::time::sleep(time).await;
            with(500, &[], Body::empty())
        }
        Answer::Pieces(pieces) => in_pieces(pieces, &id.to_string()),
        Answer::Broken => {
            let parts = [
                Ok(Bytes::from_static(b"{\"jsonrpc\":")),
                Err(std::io::Error::other("cut")),
            ];
            with(
                200,
                &[kind],
                Body::from_stream(futures_util::stream::iter(parts)),
            )
        }
    }
}

fn in_pieces(pieces: Pieces, id: &str) -> Response<Body> {
    let head = Bytes::from(pieces.head.replace("ID", id));
    let tail = pieces.tail.map(|tail| Bytes::from(tail.replace("ID", id)));
    let size = head.len() + pieces.piece.len() * pieces.times + tail.as_ref().map_or(0, Bytes::len);
    let tail = tail.ok_or_else(|| std::io::Error::other("cut"));
    let middle = std::iter::repeat_n(pieces.piece, pieces.times).map(Ok);
    let parts = std::iter::once(Ok(head)).chain(middle).chain([tail]);
    let body = Body::from_stream(futures_util::stream::iter(parts));
    let mut response = with(200, &[("content-type", pieces.kind)], body);
    if pieces.announced {
        response.headers_mut().insert("content-length", size.into());
    }
    response
}

fn with(status: u16, headers: &[(&'static str, &'static str)], body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    for (name, value) in headers {
        response
            .headers_mut()
            .append(*name, axum::http::HeaderValue::from_static(value));
    }
    response
}
