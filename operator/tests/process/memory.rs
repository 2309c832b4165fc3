//! How much memory does the operator take? Read from Linux.

use serde_json::json;

use crate::ALONE;
use crate::apiserver::{BYTES, OTHERS, Server};
use crate::program::Program;

/// A PEM certificate, as the data of a Secret.
const CERTIFICATE: &str =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmFHVnNiRzg9Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K";

/// The most memory that the operator held until a resource that names a Secret was reconciled.
async fn memory(server: &Server) -> usize {
    let secret = json!({ "metadata": { "name": "ca", "namespace": "agents" }, "data": { "ca.crt": CERTIFICATE } });
    server.put("secrets", "ca", secret);
    let bundle = json!({ "secret": { "name": "ca", "key": "ca.crt" } });
    let resource = json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": "tools", "namespace": "agents", "uid": "uid-tools", "generation": 7 },
        "spec": { "upstream": { "url": "https://gateway.example/mcp", "caBundle": bundle } },
    });
    server.put("toolsearchproxies", "tools", resource);
    let program = Program::start(server, &ALONE, &[]);
    // Every watch begins before the first reconcile.
    program.asks(server, "PATCH toolsearchproxies").await;
    program.asks(server, "GET secrets ca").await;
    program.has_read(server, &["secrets", "configmaps"]).await;
    let peak = program.peak();
    program.terminate();
    let (code, lines) = program.ended(None).await;
    assert_eq!(code, Some(0), "{lines:#?}");
    peak
}

#[tokio::test]
async fn r19_secrets_and_config_maps_of_others_cost_no_memory() {
    let lone = memory(&Server::start(&[]).await).await;
    let server = Server::start(&[]).await;
    server.crowd();
    let crowded = memory(&server).await;
    // A copy of one kind would take all of it, and more.
    let most = OTHERS * BYTES / 8;
    assert!(
        crowded < lone + most,
        "{lone} bytes alone, {crowded} beside {OTHERS} Secrets and ConfigMaps of others"
    );
}
