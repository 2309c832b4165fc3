//! One connection to the proxy, without any retry: what a pool would hide is what is looked for.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::message::Message;

/// The longest that a connection or an answer may take.
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(60);

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Failure {
    /// No connection.
    Refused,
    /// The connection ended before the answer began.
    Reset,
    /// The answer ended in its midst.
    Cut,
    /// No answer in time.
    Late,
    /// Another status than 200 or 202.
    Status(u16),
    /// Not what was asked for.
    Content,
}

/// A connection that is kept.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    closing: bool,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> Result<Self, Failure> {
        let stream = timeout(CONNECT, TcpStream::connect(address)).await;
        let stream = stream
            .map_err(|_| Failure::Refused)?
            .map_err(|_| Failure::Refused)?;
        let _best_effort = stream.set_nodelay(true);
        let (sender, driver) = handshake(TokioIo::new(stream))
            .await
            .map_err(|_| Failure::Reset)?;
        tokio::spawn(driver);
        Ok(Self {
            sender,
            host: address.to_owned(),
            closing: false,
        })
    }

    /// Whether it may be used again: the server has not said that it closes, and has not closed.
    pub(crate) fn is_usable(&self) -> bool {
        !self.closing && !self.sender.is_closed()
    }

    /// Sends and reads the whole answer.
    pub(crate) async fn send(&mut self, message: &Message) -> Result<String, Failure> {
        match timeout(ANSWER, self.exchange(message)).await {
            Ok(done) => done,
            Err(_) => Err(Failure::Late),
        }
    }

    async fn exchange(&mut self, message: &Message) -> Result<String, Failure> {
        let mut request = Request::post("/mcp")
            .header(header::HOST, &self.host)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        for (name, value) in &message.headers {
            request = request.header(*name, value);
        }
        let body = Full::new(Bytes::from(message.body.clone()));
        let request = request.body(body).map_err(|_| Failure::Content)?;
        self.sender.ready().await.map_err(|_| Failure::Reset)?;
        let answer = self
            .sender
            .send_request(request)
            .await
            .map_err(|_| Failure::Reset)?;
        let status = answer.status().as_u16();
        self.closing = answer
            .headers()
            .get(header::CONNECTION)
            .is_some_and(|value| value == "close");
        let body = answer
            .into_body()
            .collect()
            .await
            .map_err(|_| Failure::Cut)?;
        if status != 200 && status != 202 {
            return Err(Failure::Status(status));
        }
        String::from_utf8(body.to_bytes().to_vec()).map_err(|_| Failure::Content)
    }
}
