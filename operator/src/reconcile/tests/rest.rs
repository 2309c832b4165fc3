//! At rest: nothing is written, and little is read.

use super::*;

#[tokio::test]
async fn r2_s6_at_rest_nothing_is_written() {
    let server = Server::default();
    let tools = tools(&server);
    reconcile(&resource(&json!({}), None), &tools)
        .await
        .unwrap();
    let status = server.status();
    server.forget_writes();
    for _ in 0..3 {
        reconcile(&resource(&json!({}), Some(&status)), &tools)
            .await
            .unwrap();
    }
    assert_eq!(server.writes(), Vec::<String>::new());
}

/// A resource with a bundle of authorities, reconciled once, and what came of it.
async fn settled(server: &Server, tools: &Arc<Tools>) -> ToolSearchProxy {
    server.put(
        "configmaps",
        "ca",
        json!({ "metadata": { "name": "ca", "namespace": "agents" }, "data": { "a": pem("b25l"), "b": "x" } }),
    );
    let spec = json!({ "upstream": {
        "url": "https://gateway.example/mcp", "caBundle": { "configMap": { "name": "ca", "key": "a" } } } });
    reconcile(&resource(&spec, None), tools).await.unwrap();
    // The first status is written with the Deployment as it was before the API server had it.
    let first = resource(&spec, Some(&server.status()));
    reconcile(&first, tools).await.unwrap();
    server.forget_asked();
    resource(&spec, Some(&server.status()))
}

#[tokio::test(start_paused = true)]
async fn at_rest_only_references_are_read_until_the_resync() {
    let server = Server::default();
    let tools = tools(&server);
    let resource = settled(&server, &tools).await;
    for _ in 0..5 {
        look_again(&resource, &tools).await.unwrap();
    }
    let asked: Vec<String> = server.asked().into_iter().collect();
    assert_eq!(asked, ["get /configmaps"]);
    tokio::time::advance(tools.resync.mul_f64(1.3)).await;
    look_again(&resource, &tools).await.unwrap();
    assert!(server.asked().contains("get apps/deployments"));
}

#[tokio::test]
async fn r17_a_used_key_that_changes_at_rest_is_noticed_and_another_is_not() {
    let server = Server::default();
    let tools = tools(&server);
    let resource = settled(&server, &tools).await;
    server.forget_writes();
    server.change("configmaps", "ca", |body| body["data"]["b"] = "y".into());
    look_again(&resource, &tools).await.unwrap();
    assert_eq!(server.writes(), Vec::<String>::new());
    server.change("configmaps", "ca", |body| {
        body["data"]["a"] = pem("dHdv").into();
    });
    look_again(&resource, &tools).await.unwrap();
    let written = server.writes();
    assert!(
        written
            .iter()
            .any(|path| path.ends_with("/deployments/tools")),
        "{written:?}"
    );
}

#[tokio::test]
async fn a_look_never_stands_for_another_generation_or_after_a_failure() {
    let server = Server::default();
    let tools = tools(&server);
    let mut resource = settled(&server, &tools).await;
    resource.metadata.generation = Some(2);
    look_again(&resource, &tools).await.unwrap();
    assert!(server.asked().contains("get apps/deployments"));
    server.refuse("deployments", 409, "the object has been modified");
    server.remove("deployments", "tools");
    assert!(reconcile(&resource, &tools).await.is_err());
    server.forget_asked();
    assert!(look_again(&resource, &tools).await.is_err());
    assert!(server.asked().contains("get apps/deployments"));
}
