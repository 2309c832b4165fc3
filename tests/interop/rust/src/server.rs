//! An upstream on the Rust SDK, whose tools can tell what became of a call.
//!
//! As the SDK makes a server: whoever shakes hands gets a session, and a request of 2026-07-28 never
//! does. `legacy_session_mode` would only take the sessions away. So its newest revision decides what the
//! proxy speaks to it: requests that stand alone, or 2025-11-25 in sessions.

use std::borrow::Cow;
use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::net::TcpListener;

use crate::tools::{Call, Memory, tools};

/// The SDK makes one for each session, or request; they remember together.
struct Server {
    memory: Arc<Memory>,
    revisions: &'static [ProtocolVersion],
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions("Adds, notes, counts and waits.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.revisions)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call::read(asked)?;
        Ok(call.run(&self.memory, &context).await?.into())
    }
}

pub async fn run(port: u16, newest: &str) -> Result<(), Box<dyn Error>> {
    let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
    let newest = known.find(|revision| revision.as_str() == newest);
    let revisions = ProtocolVersion::known_up_to(newest.ok_or("no such revision")?);
    let memory = Arc::new(Memory::default());
    let service = StreamableHttpService::new(
        move || {
            let memory = Arc::clone(&memory);
            Ok(Server { memory, revisions })
        },
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        // How a connection ended is its client's to tell.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
