//! How does a result leave that is too large to be held? In pieces, framed as one message.
//!
//! Guarantees: what breaks off ends as an error of the body, never as an end: the client sees a
//! response without its last chunk. A client that takes nothing for a while is given up, and with
//! it the call.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, unfold};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::endpoint::{Broken, Long};
use crate::protocol::Id;
use crate::server::respond;
use crate::server::state::State;

/// The bytes of a body, or what broke it.
pub(super) type Frames = BoxStream<'static, Result<Bytes, Broken>>;

/// How the message is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The body is the message.
    Json,
    /// One event of a stream.
    Event,
}

/// Pieces under way between the upstream and the connection.
const UNDER_WAY: usize = 2;
/// How long a client may take no byte.
const PATIENCE: Duration = Duration::from_secs(60);

enum Piece {
    Bytes(Bytes),
    /// All has come.
    End,
}

/// The message with this result, piece by piece.
pub(super) fn pieces(
    id: &Id,
    long: Box<Long>,
    kind: Kind,
    state: watch::Receiver<State>,
) -> Frames {
    let (head, tail) = respond::around(id);
    let (sender, receiver) = mpsc::channel(UNDER_WAY);
    // A task of its own: a body that nobody reads is not asked for more, and would wait for ever.
    tokio::spawn(pump(long, sender, state));
    let head = match kind {
        Kind::Json => head,
        Kind::Event => format!("data: {head}"),
    };
    let tail = match kind {
        Kind::Json => tail.to_owned(),
        Kind::Event => format!("{tail}\n\n"),
    };
    let middle = unfold(Some((receiver, tail)), move |under_way| async move {
        let (mut receiver, tail) = under_way?;
        match receiver.recv().await {
            Some(Piece::Bytes(bytes)) => Some((Ok(framed(bytes, kind)), Some((receiver, tail)))),
            Some(Piece::End) => Some((Ok(Bytes::from(tail)), None)),
            None => Some((Err(Broken), None)),
        }
    });
    futures_util::stream::iter([Ok(Bytes::from(head))])
        .chain(middle)
        .boxed()
}

/// Brings the result to the body; ends, and drops what is left, when either does.
async fn pump(mut long: Box<Long>, sender: mpsc::Sender<Piece>, mut state: watch::Receiver<State>) {
    loop {
        let next = tokio::select! {
            next = long.next() => next,
            () = sender.closed() => return,
            _ending = state.wait_for(|state| *state >= State::Ending) => return,
        };
        let (piece, last) = match next {
            Ok(Some(bytes)) => (Piece::Bytes(bytes), false),
            Ok(None) => (Piece::End, true),
            Err(Broken) => return,
        };
        let taken = tokio::select! {
            taken = timeout(PATIENCE, sender.send(piece)) => matches!(taken, Ok(Ok(()))),
            _ending = state.wait_for(|state| *state >= State::Ending) => false,
        };
        if last || !taken {
            return;
        }
    }
}

/// In an event every line of the message has its own field.
fn framed(bytes: Bytes, kind: Kind) -> Bytes {
    let ends = |at: &[u8]| memchr::memchr2(b'\r', b'\n', at);
    if kind == Kind::Json || ends(&bytes).is_none() {
        return bytes;
    }
    let (mut rest, mut framed) = (&bytes[..], Vec::with_capacity(bytes.len() + 64));
    while let Some(end) = ends(rest) {
        framed.extend_from_slice(&rest[..end]);
        framed.extend_from_slice(b"\ndata: ");
        rest = &rest[end + 1..];
    }
    framed.extend_from_slice(rest);
    Bytes::from(framed)
}
