//! A balancer of connections that learns late, as those of real clusters do: it knows nothing of
//! HTTP, and goes on with what it was told until it is told something else.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A running balancer.
#[derive(Debug)]
pub struct Balancer {
    /// Where clients connect.
    pub address: SocketAddr,
    shared: Arc<Shared>,
    serving: tokio::task::JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    backends: Mutex<Vec<SocketAddr>>,
    next: AtomicUsize,
    strips_close: bool,
    passes_over: AtomicBool,
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Balancer {
    /// Starts one; `strips_close`: no client hears `Connection: close`.
    ///
    /// # Panics
    /// No port is free.
    pub async fn start(backends: Vec<SocketAddr>, strips_close: bool) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            backends: Mutex::new(backends),
            next: AtomicUsize::new(0),
            strips_close,
            passes_over: AtomicBool::new(false),
        });
        let kept = Arc::clone(&shared);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(relay(stream, Arc::clone(&kept)));
            }
        });
        Self {
            address,
            shared,
            serving,
        }
    }

    /// The same, and where nobody listens it takes the next one.
    #[must_use]
    pub fn passing_over_the_dead(self) -> Self {
        self.shared.passes_over.store(true, Ordering::SeqCst);
        self
    }

    /// Learns that one has taken the place of another: for new connections.
    pub fn replace(&self, old: SocketAddr, fresh: SocketAddr) {
        let mut backends = self
            .shared
            .backends
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for backend in backends.iter_mut().filter(|backend| **backend == old) {
            *backend = fresh;
        }
    }
}

impl Shared {
    /// Whose turn it is, and who comes after.
    fn turns(&self) -> Vec<SocketAddr> {
        let mut backends = self
            .backends
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let turn = self.next.fetch_add(1, Ordering::SeqCst) % backends.len();
        backends.rotate_left(turn);
        if !self.passes_over.load(Ordering::SeqCst) {
            backends.truncate(1);
        }
        backends
    }

    async fn connect(&self) -> Option<TcpStream> {
        for backend in self.turns() {
            if let Ok(stream) = TcpStream::connect(backend).await {
                return Some(stream);
            }
        }
        None
    }
}

async fn relay(client: TcpStream, shared: Arc<Shared>) {
    // Where nobody listens, the client's connection ends as well.
    let Some(server) = shared.connect().await else {
        return;
    };
    let _slower = (client.set_nodelay(true), server.set_nodelay(true));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::join!(
        copy(from_client, to_server, false),
        copy(from_server, to_client, shared.strips_close)
    );
}

/// Copies until the end, which is passed on.
async fn copy(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, strips: bool) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let bytes = &mut buffer[..count];
        if strips {
            strip(bytes);
        }
        if to.write_all(bytes).await.is_err() {
            break;
        }
    }
    let _gone = to.shutdown().await;
}

/// Makes the header another one, as long, which nobody knows.
fn strip(bytes: &mut [u8]) {
    const HEADER: &[u8] = b"\r\nconnection: close\r\n";
    let found = bytes
        .windows(HEADER.len())
        .position(|window| window.eq_ignore_ascii_case(HEADER));
    if let Some(place) = found {
        bytes[place + 2..place + 4].copy_from_slice(b"x-");
    }
}
