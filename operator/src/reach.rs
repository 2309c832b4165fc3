//! Does the upstream answer? A pod is asked, since it is the pod that must reach it: its network
//! policy, its authorities, its name server. The pod asks without any caller's credential.

use std::time::Duration;

use http::Uri;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::names::DIAGNOSTICS_PORT;

const DEADLINE: Duration = Duration::from_secs(8);
const LONGEST: usize = 4096;

/// What a pod says of its upstream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    /// No pod could be asked.
    #[default]
    Unknown,
    /// It answered.
    Yes,
    /// It did not; why, in the proxy's words.
    No(String),
}

/// Asks the pod at this address.
pub(crate) async fn ask(address: &str) -> Reach {
    let host = if address.contains(':') {
        format!("[{address}]")
    } else {
        address.to_owned()
    };
    let Ok(uri) = format!("http://{host}:{}/upstreamz", DIAGNOSTICS_PORT.1).parse::<Uri>() else {
        return Reach::Unknown;
    };
    let answer = tokio::time::timeout(DEADLINE, read(uri)).await;
    match answer.ok().flatten() {
        Some(answer) if answer["reachable"] == Value::Bool(true) => Reach::Yes,
        Some(answer) if answer["reachable"] == Value::Bool(false) => {
            Reach::No(answer["message"].as_str().unwrap_or("no answer").to_owned())
        }
        _ => Reach::Unknown,
    }
}

async fn read(uri: Uri) -> Option<Value> {
    let client: Client<HttpConnector, Empty<&[u8]>> =
        Client::builder(TokioExecutor::new()).build_http();
    let answer = client.get(uri).await.ok()?;
    let body = Limited::new(answer.into_body(), LONGEST)
        .collect()
        .await
        .ok()?;
    serde_json::from_slice(&body.to_bytes()).ok()
}
