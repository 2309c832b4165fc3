//! The operator renders every setting there is, and a real proxy starts with all of them.

use std::collections::BTreeSet;

use clap::Command;
use serde_json::json;
use toolsearch_crds::ToolSearchProxy;
use toolsearch_operator::desired::Desired;
use toolsearch_operator::options::Defaults;
use toolsearch_operator::references::{Found, needed};
use toolsearch_proxy::Proxy;
use toolsearch_settings::{DECLARATIONS, Declaration, add_flags, settings};
use toolsearch_telemetry::Phase;

/// A resource that says everything there is to say about settings.
fn everything() -> ToolSearchProxy {
    let spec = json!({
        "upstream": {
            "url": "http://gateway.mcp.svc:8080/mcp",
            "protocol": "legacy",
            "caBundle": { "configMap": { "name": "ca", "key": "ca.crt" } },
            "timeouts": { "connect": "4s", "firstByte": "50s", "idle": "40s", "total": "4m",
                          "tools": [{ "tool": "export_*", "timeout": "10m" }] },
            "breaker": { "failures": 3, "pause": "2s" },
        },
        "writeTools": ["*_delete_*", "pay"],
        "readTools": ["list_*"],
        "trustHints": false,
        "model": { "persistentVolumeClaim": { "claimName": "models" } },
        "search": { "schemas": 5, "maxAnswer": "32KiB", "maxAnswerTokens": 3000, "maxInstructions": 5000 },
        "catalog": {
            "ttl": "5m", "maxCallers": 500, "maxLists": 50, "maxConcurrentLists": 4, "maxPages": 20,
            "maxTools": 9000, "maxListBytes": "16MiB",
        },
        "limits": {
            "maxBody": "1MiB", "maxResult": "8MiB", "maxResultTokens": 9000, "maxConnections": 300, "maxRequests": 100, "maxSessions": 200,
            "maxCallsPerCaller": 50, "maxListsPerCaller": 5,
        },
        "logging": { "format": "text", "level": "debug" },
        "publicUrl": "https://tools.example/mcp",
        "allowedOrigins": ["https://chat.example"],
        "allowedHosts": ["tools.example"],
        "drain": { "delaySeconds": 3, "callSeconds": 20 },
    });
    serde_json::from_value(json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": "tools", "namespace": "agents" }, "spec": spec,
    }))
    .expect("a resource")
}

#[tokio::test]
async fn a_proxy_starts_with_every_setting_that_the_operator_renders() {
    let resource = everything();
    assert_eq!(resource.validate_cel(), Ok(()));
    let defaults = Defaults {
        proxy_image: "registry.example/toolsearch:1".to_owned(),
        pull_policy: None,
        pull_secrets: Vec::new(),
    };
    assert_eq!(needed(&resource.spec).len(), 2);
    let rendered = Desired::new(&resource, &defaults, &Found::default())
        .expect("a valid spec")
        .environment;
    let names: BTreeSet<String> = rendered.iter().map(|(name, _)| name.clone()).collect();
    let all: BTreeSet<String> = DECLARATIONS.iter().map(Declaration::variable).collect();
    assert_eq!(
        names, all,
        "a setting that the operator cannot render, or a name that is no setting"
    );

    // What lies elsewhere in a pod is put where this machine has it.
    let folder = tempfile::tempdir().expect("a folder");
    let ca = folder.path().join("ca.pem");
    std::fs::write(&ca, include_str!("../fixtures/ca.pem")).expect("a file");
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../proxy/search/fixtures/tiny-ml-64-vq"
    );
    let here = rendered.into_iter().map(|(name, value)| {
        let value = match name.as_str() {
            "TOOLSEARCH_UPSTREAM_CA" => ca.display().to_string(),
            "TOOLSEARCH_MODEL_DIR" => model.to_owned(),
            "TOOLSEARCH_LISTEN" | "TOOLSEARCH_DIAGNOSTICS" => "127.0.0.1:0".to_owned(),
            _ => value,
        };
        (name, value)
    });
    let flags = add_flags(Command::new("proxy")).get_matches_from(["proxy"]);
    let settings = settings(&flags, here).expect("settings that the proxy takes");
    assert_eq!(settings.write_tools, ["*_delete_*", "pay"]);
    assert_eq!(settings.max_callers, 500);
    let proxy = Proxy::bind(settings).await.expect("free ports");
    let lifecycle = proxy.lifecycle();
    let running = tokio::spawn(proxy.run());
    lifecycle.reached(Phase::Ready).await;
    lifecycle.advance(Phase::Hurrying);
    running.await.expect("no panic").expect("an orderly end");
}
