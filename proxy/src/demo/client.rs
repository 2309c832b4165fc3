//! How does the demo speak to the proxy? As any client of 2026-07-28 does, over HTTP.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// A client of the proxy on this machine.
#[derive(Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    url: String,
}

const VERSION: &str = "2026-07-28";

impl Client {
    pub(super) fn new(address: SocketAddr) -> anyhow::Result<Self> {
        let http = crate::upstream::http_client(None, std::time::Duration::from_secs(10))?;
        Ok(Self {
            http,
            url: format!("http://{address}/mcp"),
        })
    }

    /// The tools a client loads.
    pub(super) async fn list(&self) -> anyhow::Result<Value> {
        let result = self.request("tools/list", json!({}), None).await?;
        Ok(result["tools"].clone())
    }

    /// The structured answer of `search_tools`.
    pub(super) async fn search(&self, query: &str) -> anyhow::Result<Value> {
        let params = json!({ "name": "search_tools", "arguments": { "query": query, "limit": 5 } });
        let result = self
            .request("tools/call", params, Some("search_tools"))
            .await?;
        Ok(result["structuredContent"].clone())
    }

    async fn request(
        &self,
        method: &str,
        mut params: Value,
        name: Option<&str>,
    ) -> anyhow::Result<Value> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "toolsearch-demo", "version": env!("CARGO_PKG_VERSION") },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = self
            .http
            .post(&self.url)
            .header("Content-Type", "application/json");
        let request = request.header("Accept", "application/json, text/event-stream");
        let request = request
            .header("MCP-Protocol-Version", VERSION)
            .header("Mcp-Method", method);
        let request = name
            .into_iter()
            .fold(request, |request, name| request.header("Mcp-Name", name));
        let answer = request.body(body.to_string()).send().await?.text().await?;
        let mut answer: Value = serde_json::from_str(&answer).context("the answer is not JSON")?;
        if !answer["error"].is_null() {
            bail!("the proxy answered: {}", answer["error"]["message"]);
        }
        Ok(answer["result"].take())
    }
}
