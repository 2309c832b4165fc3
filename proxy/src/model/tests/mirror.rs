//! A server that answers each request with whatever raw bytes a test says, then hangs up.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One request: its head in lower case, as it came.
#[derive(Debug, Clone)]
pub(super) struct Head(pub(super) String);

impl Head {
    pub(super) fn path(&self) -> &str {
        self.0.split(' ').nth(1).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.0.lines().skip(1);
        lines
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| *key == name)
            .map(|(_, v)| v)
    }

    /// The first byte asked for.
    pub(super) fn from(&self) -> usize {
        let range = self
            .header("range")
            .and_then(|text| text.strip_prefix("bytes="));
        range.map_or(0, |text| text.trim_end_matches('-').parse().unwrap())
    }
}

/// What to do with a request.
pub(super) enum Reply {
    /// Write these bytes and hang up.
    Raw(Vec<u8>),
    /// Write these bytes and fall silent.
    Hang(Vec<u8>),
}

impl Reply {
    /// A status with headers and no body.
    pub(super) fn status(status: u16, headers: &str) -> Self {
        Self::Raw(
            format!(
                "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n"
            )
            .into_bytes(),
        )
    }

    /// The rest of a file from where it was asked for, of which at most `cut` bytes are sent.
    pub(super) fn file(head: &Head, body: &[u8], cut: usize) -> Self {
        let from = head.from();
        let rest = &body[from..];
        let status = if from > 0 {
            let last = body.len() - 1;
            format!("206 X\r\nContent-Range: bytes {from}-{last}/{}", body.len())
        } else {
            "200 X".to_owned()
        };
        let mut bytes = format!(
            "HTTP/1.1 {status}\r\nConnection: close\r\nETag: \"v1\"\r\nContent-Length: {}\r\n\r\n",
            rest.len()
        )
        .into_bytes();
        bytes.extend(&rest[..rest.len().min(cut)]);
        Self::Raw(bytes)
    }
}

type Script = dyn Fn(&Head, usize) -> Reply + Send + Sync;

/// The server; stops when dropped.
pub(super) struct Mirror {
    pub(super) address: SocketAddr,
    heads: Arc<Mutex<Vec<Head>>>,
    task: JoinHandle<()>,
}

impl Mirror {
    /// Answers by request and its number, counted from 0.
    pub(super) async fn start(
        script: impl Fn(&Head, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        let script: Arc<Script> = Arc::new(script);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(answer(stream, Arc::clone(&script), Arc::clone(&seen)));
            }
        });
        Self {
            address,
            heads,
            task,
        }
    }

    pub(super) fn url(&self) -> url::Url {
        format!("http://{}/m", self.address).parse().unwrap()
    }

    pub(super) fn heads(&self) -> Vec<Head> {
        self.heads.lock().unwrap().clone()
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, script: Arc<Script>, heads: Arc<Mutex<Vec<Head>>>) {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
            return;
        }
        bytes.push(byte[0]);
        // A TLS greeting has no end that this server understands.
        if bytes[0] == 0x16 {
            let _ = stream.write_all(b"HTTP/1.1 400 X\r\n\r\n").await;
            return;
        }
    }
    let head = Head(String::from_utf8(bytes).unwrap().to_ascii_lowercase());
    let number = {
        let mut heads = heads.lock().unwrap();
        heads.push(head.clone());
        heads.len() - 1
    };
    match script(&head, number) {
        Reply::Raw(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Hang(bytes) => {
            let _ = stream.write_all(&bytes).await;
            std::future::pending::<()>().await;
        }
    }
}
