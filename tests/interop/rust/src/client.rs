//! Does the Rust SDK's client work through the proxy, with the handshake and without?
//!
//! It takes requests from standard input, one line of JSON each, and answers each with one line; the
//! steps and what is expected of an answer are client-driven.py's, which starts it. Its other mode,
//! `Discover`, is no row: it sends what `auto` sends, and only lacks the handshake to fall back on.

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, JsonObject, ListToolsRequest, ProgressNotificationParam, ProgressToken,
    ProtocolVersion, ServerResult,
};
use rmcp::service::{NotificationContext, Peer, PeerRequestOptions, RequestHandle};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::sync::{Mutex, oneshot};
use tokio::task::JoinSet;

/// A call of a tool, or the list of tools where no tool is named, or the end of an earlier one. The
/// SDK wants progress of every request, so that whether we do is not read.
#[derive(Deserialize)]
struct Wanted {
    id: u64,
    tool: Option<String>,
    arguments: Option<JsonObject>,
    #[serde(default)]
    cancel: bool,
}

/// Which of our requests a progress token belongs to: the SDK makes the tokens.
type Tokens = Arc<Mutex<HashMap<ProgressToken, u64>>>;

struct Handler(Tokens);

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("interop-rmcp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
    }

    async fn on_progress(
        &self,
        note: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        if let Some(id) = self.0.lock().await.get(&note.progress_token) {
            tell(&json!({ "id": id, "progress": [note.progress, note.total] }));
        }
    }
}

pub async fn run(url: &str, mode: &str) -> Result<(), Box<dyn Error>> {
    let lifecycle = match mode {
        "legacy" => ClientLifecycleMode::Initialize,
        "auto" => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: None,
        },
        _ => return Err(format!("no mode is called {mode}").into()),
    };
    let tokens = Tokens::default();
    let transport = StreamableHttpClientTransport::from_config(reach(url));
    let service = Handler(Arc::clone(&tokens))
        .serve_with_lifecycle(transport, lifecycle)
        .await?;
    let agreed = service.peer_info().ok_or("nothing was agreed on")?;
    tell(&json!({ "version": agreed.protocol_version, "instructions": agreed.instructions }));
    let (mut running, mut ends) = (JoinSet::new(), HashMap::new());
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let wanted: Wanted = serde_json::from_str(&line)?;
        if wanted.cancel {
            let end: Option<oneshot::Sender<()>> = ends.remove(&wanted.id);
            // One that was answered meanwhile has nobody left who listens.
            end.map(|end| end.send(()));
            continue;
        }
        let (end, ended) = oneshot::channel();
        ends.insert(wanted.id, end);
        running.spawn(answer(
            service.peer().clone(),
            Arc::clone(&tokens),
            wanted,
            ended,
        ));
    }
    while let Some(done) = running.join_next().await {
        done?;
    }
    service.cancel().await?;
    Ok(())
}

/// The token of the caller is in the environment where the upstream wants one.
fn reach(url: &str) -> StreamableHttpClientTransportConfig {
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    #[expect(
        clippy::disallowed_methods,
        reason = "a program of its own, without settings"
    )]
    let token = std::env::var("INTEROP_TOKEN");
    match token {
        Ok(token) => config.auth_header(token),
        Err(_) => config,
    }
}

async fn answer(
    peer: Peer<RoleClient>,
    tokens: Tokens,
    wanted: Wanted,
    ended: oneshot::Receiver<()>,
) {
    let id = wanted.id;
    let said = match ask(&peer, &tokens, wanted, ended).await {
        Ok(ServerResult::ListToolsResult(list)) => {
            let names: Vec<_> = list.tools.into_iter().map(|tool| tool.name).collect();
            json!({ "id": id, "tools": names })
        }
        Ok(ServerResult::CallToolResult(result)) => json!({ "id": id, "result": result }),
        Ok(other) => json!({ "id": id, "error": format!("an answer of another kind: {other:?}") }),
        Err(ServiceError::McpError(error)) => {
            json!({ "id": id, "code": error.code, "error": error.message })
        }
        Err(error) => json!({ "id": id, "error": error.to_string() }),
    };
    tell(&said);
}

async fn ask(
    peer: &Peer<RoleClient>,
    tokens: &Tokens,
    wanted: Wanted,
    ended: oneshot::Receiver<()>,
) -> Result<ServerResult, ServiceError> {
    let request = match wanted.tool {
        None => ClientRequest::ListToolsRequest(ListToolsRequest::default()),
        Some(tool) => {
            let mut params = CallToolRequestParams::new(tool);
            params.arguments = wanted.arguments;
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        }
    };
    // Locked until the token is kept, since progress may come before.
    let mut kept = tokens.lock().await;
    let mut handle = peer
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await?;
    kept.insert(handle.progress_token.clone(), wanted.id);
    drop(kept);
    tokio::select! {
        answer = &mut handle.rx => answer.map_err(|_| ServiceError::TransportClosed)?,
        Ok(()) = ended => give_up(handle).await,
    }
}

/// What the SDK says of a request that it was told to cancel.
async fn give_up(mut handle: RequestHandle<RoleClient>) -> Result<ServerResult, ServiceError> {
    let (_, nothing) = oneshot::channel();
    let answer = std::mem::replace(&mut handle.rx, nothing);
    handle.cancel(None).await?;
    answer.await.map_err(|_| ServiceError::TransportClosed)?
}

/// One line, whole: the lock is held over it.
fn tell(said: &Value) {
    writeln!(std::io::stdout().lock(), "{said}").expect("standard output is read");
}
