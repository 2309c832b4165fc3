//! Both ends beneath HTTP: a client that writes bytes, and an upstream that answers with bytes.
//! What no library would send, and what no framework would answer.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::client;

/// The longest that either end waits for the other.
const PATIENCE: Duration = Duration::from_secs(20);

/// One connection of a client.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    held: Vec<u8>,
}

impl Wire {
    /// Connects.
    ///
    /// # Panics
    /// Nobody listens there.
    pub async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        Self {
            stream,
            held: Vec::new(),
        }
    }

    /// Writes; what the other end does not take any more is lost.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let _refused = self.stream.write_all(bytes.as_ref()).await;
    }

    /// The next whole answer, which tells its length; whatever came until then, if the connection
    /// ends before.
    pub async fn answer(&mut self) -> String {
        loop {
            if let Some(end) = whole(&self.held) {
                let rest = self.held.split_off(end);
                let answer = std::mem::replace(&mut self.held, rest);
                return String::from_utf8_lossy(&answer).into_owned();
            }
            if !self.more().await {
                let answer = std::mem::take(&mut self.held);
                return String::from_utf8_lossy(&answer).into_owned();
            }
        }
    }

    /// Everything until the other end closes.
    pub async fn rest(&mut self) -> String {
        while self.more().await {}
        String::from_utf8_lossy(&std::mem::take(&mut self.held)).into_owned()
    }

    async fn more(&mut self) -> bool {
        let read = self.stream.read_buf(&mut self.held);
        matches!(tokio::time::timeout(PATIENCE, read).await, Ok(Ok(count)) if count > 0)
    }
}

/// The status of an answer as text; 0 where there is none.
#[must_use]
pub fn status(answer: &str) -> u16 {
    let code = answer
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    code.and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// The head of a POST to the proxy, without its length and its last line.
#[must_use]
pub fn head(headers: &[(&str, &str)]) -> String {
    let mut head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n".to_owned();
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

/// A whole POST to the proxy.
#[must_use]
pub fn post(headers: &[(&str, &str)], body: &str) -> String {
    format!(
        "{}content-length: {}\r\n\r\n{body}",
        head(headers),
        body.len()
    )
}

/// A whole call of one of the five tools, as a modern client sends it.
#[must_use]
pub fn call(tool: &str, arguments: &Value) -> String {
    let (headers, body) = client::modern(
        "tools/call",
        serde_json::json!({"name": tool, "arguments": arguments}),
    );
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    post(&headers, &body)
}

/// What an upstream does next with a connection on which a request came.
#[derive(Debug, Clone)]
pub enum Step {
    /// Writes these bytes.
    Write(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Resets the connection.
    Reset,
    /// Closes it.
    Close,
    /// Says nothing more, and keeps it open.
    Silence,
}

impl Step {
    /// Writes this text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Write(text.as_bytes().to_vec())
    }
}

type Script = Arc<dyn Fn(&Value, usize) -> Vec<Step> + Send + Sync>;

/// An upstream that is modern in its handshake and its list, and answers calls with bytes.
#[derive(Debug)]
pub struct Raw {
    /// Where it listens.
    pub url: String,
    calls: Arc<Mutex<Vec<Value>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Raw {
    /// Starts one with these tools; the script is told each call, and how many came before.
    ///
    /// # Panics
    /// No port is free.
    pub async fn start(
        tools: &str,
        script: impl Fn(&Value, usize) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let calls: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (script, kept): (Script, _) = (Arc::new(script), Arc::clone(&calls));
        let tools = tools.to_owned();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(
                    stream,
                    tools.clone(),
                    Arc::clone(&script),
                    Arc::clone(&kept),
                ));
            }
        });
        Self {
            url,
            calls,
            serving,
        }
    }

    /// The calls that came.
    #[must_use]
    pub fn calls(&self) -> Vec<Value> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    tools: String,
    script: Script,
    calls: Arc<Mutex<Vec<Value>>>,
) {
    let mut held = Vec::new();
    loop {
        let end = loop {
            match whole(&held) {
                Some(end) => break end,
                None if stream.read_buf(&mut held).await.unwrap_or(0) == 0 => return,
                None => {}
            }
        };
        let rest = held.split_off(end);
        let request = String::from_utf8_lossy(&held).into_owned();
        held = rest;
        let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let message: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        let steps = match message["method"].as_str() {
            Some("tools/call") => {
                let before = {
                    let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
                    calls.push(message.clone());
                    calls.len() - 1
                };
                script(&message, before)
            }
            Some("server/discover") => {
                vec![json(&message, r#"{"supportedVersions":["2026-07-28"]}"#)]
            }
            Some("tools/list") => vec![json(&message, &format!(r#"{{"tools":{tools}}}"#))],
            _ => vec![Step::text(
                "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n",
            )],
        };
        for step in steps {
            match step {
                Step::Write(bytes) if stream.write_all(&bytes).await.is_err() => return,
                Step::Write(_) => {}
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Reset => {
                    let _late = stream.set_zero_linger();
                    return;
                }
                Step::Close => return,
                Step::Silence => std::future::pending().await,
            }
        }
    }
}

/// The answer to a message, with a result.
#[must_use]
pub fn json(message: &Value, result: &str) -> Step {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        message["id"]
    );
    Step::Write(with_length("application/json", body.as_bytes()))
}

/// A whole answer with this body.
#[must_use]
pub fn with_length(kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Where the first whole message of these bytes ends, if its head tells its length.
fn whole(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    if head.contains("transfer-encoding") {
        let body = bytes[end..]
            .windows(5)
            .position(|five| five == b"0\r\n\r\n")?;
        return Some(end + body + 5);
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))?;
    let end = end + length.parse::<usize>().ok()?;
    (bytes.len() >= end).then_some(end)
}
