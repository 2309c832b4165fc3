//! A client that writes its JSON by hand, never with our own types.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

/// A client of one endpoint, with or without a token.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, whole.
    pub body: String,
}

impl Reply {
    /// The JSON-RPC message of a JSON body, or the last one of an event stream.
    ///
    /// # Panics
    /// There is none.
    #[must_use]
    pub fn message(&self) -> Value {
        let last = self
            .body
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("data: "));
        serde_json::from_str(last.unwrap_or(&self.body)).expect("a JSON message")
    }

    /// The `result`.
    ///
    /// # Panics
    /// There is none.
    #[must_use]
    pub fn result(&self) -> Value {
        let message = self.message();
        assert!(message.get("result").is_some(), "no result in {message}");
        message["result"].clone()
    }

    /// The text of all text blocks of a tool's result.
    #[must_use]
    pub fn text(&self) -> String {
        let result = self.result();
        let blocks = result["content"].as_array().cloned().unwrap_or_default();
        blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Whether a tool's result is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result()["isError"] == true
    }

    /// The JSON-RPC error's code.
    #[must_use]
    pub fn code(&self) -> i64 {
        self.message()["error"]["code"].as_i64().unwrap_or_default()
    }
}

impl Client {
    /// A client without a token.
    ///
    /// # Panics
    /// The HTTP client cannot be built.
    #[must_use]
    pub fn new(url: &str) -> Self {
        let http = toolsearch_proxy::upstream::http_client(None, Duration::from_secs(5))
            .expect("a client");
        Self {
            http,
            url: url.to_owned(),
            token: None,
        }
    }

    /// A client that speaks HTTP/2 from the first byte.
    ///
    /// # Panics
    /// The HTTP client cannot be built.
    #[must_use]
    pub fn http2(url: &str) -> Self {
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .http2_prior_knowledge()
            .no_proxy()
            .build()
            .expect("a client");
        Self {
            http,
            url: url.to_owned(),
            token: None,
        }
    }

    /// The same client with a token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// A GET of any URL.
    ///
    /// # Panics
    /// No answer.
    pub async fn get(url: &str) -> Reply {
        let client = Self::new(url);
        read(client.http.get(url).send().await.expect("an answer")).await
    }

    /// POSTs a body with exactly these headers beside the content type and the token.
    ///
    /// # Panics
    /// No answer.
    pub async fn post(&self, headers: &[(&str, &str)], body: String) -> Reply {
        read(self.request(headers, body).send().await.expect("an answer")).await
    }

    /// The request that [`Client::post`] sends.
    ///
    /// # Panics
    /// A header cannot be one.
    pub fn request(&self, headers: &[(&str, &str)], body: String) -> reqwest::RequestBuilder {
        let mut map = HeaderMap::new();
        map.insert("content-type", HeaderValue::from_static("application/json"));
        map.insert(
            "accept",
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        if let Some(token) = &self.token {
            map.insert(
                "authorization",
                HeaderValue::from_str(&format!("Bearer {token}")).expect("a header"),
            );
        }
        for (name, value) in headers {
            let name = HeaderName::try_from(*name).expect("a header name");
            map.insert(name, HeaderValue::from_str(value).expect("a header"));
        }
        self.http.post(&self.url).headers(map).body(body)
    }

    /// A request of 2026-07-28, envelope and headers included.
    pub async fn modern(&self, method: &str, params: Value) -> Reply {
        let (headers, body) = modern(method, params);
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        self.post(&headers, body).await
    }

    /// A request of an older revision, named in the header.
    pub async fn legacy(&self, version: &str, method: &str, params: Value) -> Reply {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        self.post(&[("mcp-protocol-version", version)], body).await
    }

    /// Calls one of the five tools as a modern client does.
    pub async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.modern("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }
}

/// Headers and body of a modern request.
#[must_use]
pub fn modern(method: &str, mut params: Value) -> (Vec<(&'static str, String)>, String) {
    const VERSION: &str = "2026-07-28";
    let mut headers = vec![
        ("mcp-protocol-version", VERSION.to_owned()),
        ("mcp-method", method.to_owned()),
    ];
    if let Some(name) = params["name"].as_str() {
        headers.push(("mcp-name", name.to_owned()));
    }
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(VERSION);
    if params["_meta"]["io.modelcontextprotocol/clientCapabilities"].is_null() {
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    (
        headers,
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string(),
    )
}

async fn read(response: reqwest::Response) -> Reply {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Reply {
        status,
        headers,
        body: response.text().await.expect("a body"),
    }
}
