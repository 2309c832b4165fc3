//! The authorities of the upstream: what pods read of them never changes under them.

use super::*;

/// A resource whose bundle is a key of the `ConfigMap` `ca`, or of the Secret `ca`.
fn trusting(kind: &str, status: Option<&Value>) -> ToolSearchProxy {
    let bundle = json!({ kind: { "name": "ca", "key": "k" } });
    let upstream = json!({ "url": "https://gateway.example/mcp", "caBundle": bundle });
    resource(&json!({ "upstream": upstream }), status)
}

fn bundle(server: &Server, text: &str) {
    let metadata = json!({ "name": "ca", "namespace": "agents" });
    let object = json!({ "metadata": metadata, "data": { "k": text } });
    server.put("configmaps", "ca", object);
}

/// What the template mounts as the upstream's authorities.
fn mounted(server: &Server) -> String {
    let deployment = server.object("deployments", "tools");
    let volumes = &deployment["spec"]["template"]["spec"]["volumes"];
    let name = &volumes[0]["configMap"]["name"];
    name.as_str().unwrap_or_default().to_owned()
}

/// So many pods there are now, and so many of them are of the newest template.
fn pods(server: &Server, replicas: i32, updated: i32) {
    server.change("deployments", "tools", |body| {
        let generation = body["metadata"]["generation"].as_i64().unwrap_or(1);
        body["metadata"]["generation"] = generation.into();
        body["status"] = json!({
            "observedGeneration": generation, "replicas": replicas, "updatedReplicas": updated,
        });
    });
}

#[tokio::test]
async fn r18_a_bundle_that_changes_never_changes_under_a_template() {
    let server = Server::default();
    let tools = tools(&server);
    bundle(&server, &pem("b25l"));
    let one = || trusting("configMap", Some(&server.status()));
    reconcile(&trusting("configMap", None), &tools)
        .await
        .unwrap();
    pods(&server, 2, 2);
    let first = mounted(&server);
    let copy = server.object("configmaps", &first);
    assert_eq!(copy["immutable"], true);
    assert_eq!(copy["data"], json!({ "ca.pem": pem("b25l") }));
    assert_eq!(copy["metadata"]["ownerReferences"][0]["uid"], "uid-1");
    // What is no certificate rolls nothing.
    bundle(&server, &format!("# renewed\n{}", pem("b25l")));
    reconcile(&one(), &tools).await.unwrap();
    assert_eq!(mounted(&server), first);

    bundle(&server, &pem("dHdv"));
    reconcile(&one(), &tools).await.unwrap();
    let second = mounted(&server);
    assert_ne!(second, first);
    let of = |name: &str| server.object("configmaps", name)["data"]["ca.pem"].clone();
    assert_eq!(of(&second), pem("dHdv"));
    assert_eq!(of(&first), pem("b25l"), "a pod may start anew with it");
    for (replicas, updated) in [(3, 1), (3, 2)] {
        pods(&server, replicas, updated);
        reconcile(&one(), &tools).await.unwrap();
        assert_eq!(of(&first), pem("b25l"));
    }
    pods(&server, 2, 2);
    reconcile(&one(), &tools).await.unwrap();
    assert!(server.object("configmaps", &first).is_null());
    assert_eq!(of(&second), pem("dHdv"));
    assert!(server.object("configmaps", "ca").is_object());
}

#[tokio::test(start_paused = true)]
async fn r18_a_change_taken_back_during_the_rollout_leaves_no_copy() {
    let server = Server::default();
    let tools = tools(&server);
    let one = || {
        trusting(
            "configMap",
            Some(&server.status()).filter(|status| !status.is_null()),
        )
    };
    for content in ["b25l", "dHdv", "b25l"] {
        bundle(&server, &pem(content));
        reconcile(&one(), &tools).await.unwrap();
        tokio::time::advance(tools.turnstile.pause()).await;
    }
    let kept = mounted(&server);
    pods(&server, 2, 2);
    reconcile(&one(), &tools).await.unwrap();
    let asked = server.writes();
    let deleted = asked.iter().filter(|path| path.contains("/configmaps/"));
    let names: std::collections::BTreeSet<&str> =
        deleted.filter_map(|path| path.rsplit('/').next()).collect();
    let left: Vec<&&str> = names
        .iter()
        .filter(|name| server.object("configmaps", name).is_object())
        .collect();
    assert_eq!(left, [&kept.as_str()]);
}

#[tokio::test]
async fn r18_a_template_that_waits_for_its_turn_keeps_what_it_mounts() {
    let server = Server::default();
    let tools = tools(&server);
    bundle(&server, &pem("b25l"));
    reconcile(&trusting("configMap", None), &tools)
        .await
        .unwrap();
    let first = mounted(&server);
    pods(&server, 2, 2);
    assert!(tools.turnstile.admit(), "somebody else's rollout has begun");
    bundle(&server, &pem("dHdv"));
    reconcile(&trusting("configMap", Some(&server.status())), &tools)
        .await
        .unwrap();
    assert_eq!(mounted(&server), first);
    assert!(server.object("configmaps", &first).is_object());
}

#[tokio::test]
async fn r17_r18_of_a_secret_only_certificates_leave() {
    let server = Server::default();
    let canary = "-----BEGIN PRIVATE KEY-----\nY2FuYXJ5\n-----END PRIVATE KEY-----\n# canary\n";
    let text = serde_json::to_value(k8s_openapi::ByteString(
        [canary, &pem("b25l")].concat().into_bytes(),
    ))
    .unwrap();
    let secret = |data: &Value| json!({ "metadata": { "name": "ca", "namespace": "agents" }, "data": { "k": data } });
    server.put("secrets", "ca", secret(&text));
    reconcile(&trusting("secret", None), &tools(&server))
        .await
        .unwrap();
    assert_eq!(said(&server, "Accepted").0, "True");
    let copy = server.object("configmaps", &mounted(&server));
    assert_eq!(copy["data"], json!({ "ca.pem": pem("b25l") }));
    let deployment = server.object("deployments", "tools");
    let told = format!(
        "{copy} {deployment} {} {:?}",
        server.status(),
        server.events()
    );
    assert!(
        !told.contains("Y2FuYXJ5") && !told.contains("canary"),
        "{told}"
    );
    assert!(told.contains("toolsearch.dev/content-hash"));

    let server = Server::default();
    server.put("secrets", "ca", secret(&json!("Y2FuYXJ5")));
    reconcile(&trusting("secret", None), &tools(&server))
        .await
        .unwrap();
    let (is, reason) = said(&server, "Accepted");
    assert_eq!(
        (is.as_str(), reason.as_str()),
        ("False", "ReferenceNotFound")
    );
    let told = server.status().to_string();
    assert!(
        told.contains("a PEM certificate in key k of Secret ca"),
        "{told}"
    );
    assert!(!told.contains("canary"));
    assert!(server.object("deployments", "tools").is_null());
}
