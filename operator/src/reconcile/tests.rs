//! The whole line against an API server played by a few lines: objects in a map, every request
//! written down. What only a real server can show is in the cluster tests.

mod authorities;
mod rest;
pub(crate) mod server;
mod told;

use std::time::Duration;

use serde_json::{Value, json};
use toolsearch_crds::ToolSearchProxy;

use self::server::Server;
use super::*;
use crate::options::Defaults;

pub(crate) fn resource(spec: &Value, status: Option<&Value>) -> ToolSearchProxy {
    let mut whole = json!({ "upstream": { "url": "https://gateway.example/mcp" } });
    for (key, value) in spec.as_object().unwrap() {
        whole[key] = value.clone();
    }
    serde_json::from_value(json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": "tools", "namespace": "agents", "uid": "uid-1", "generation": 1 },
        "spec": whole, "status": status,
    }))
    .unwrap()
}

/// A bundle of one certificate with this content.
pub(crate) fn pem(content: &str) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{content}\n-----END CERTIFICATE-----\n")
}

pub(crate) fn tools(server: &Server) -> Arc<Tools> {
    tools_counted(server, &prometheus::Registry::new())
}

pub(crate) fn tools_counted(server: &Server, registry: &prometheus::Registry) -> Arc<Tools> {
    let metrics = Metrics::new(registry).unwrap();
    let client = server.counted(&metrics);
    Arc::new(Tools {
        cluster: Cluster::new(client.clone()),
        defaults: Defaults {
            proxy_image: "registry.example/toolsearch:1".to_owned(),
            pull_policy: None,
            pull_secrets: Vec::new(),
        },
        memory: Memory::default(),
        turnstile: Turnstile::new(Duration::from_secs(10)),
        metrics,
        journal: Journal::new(client, None),
        looks: Looks::default(),
        resync: Duration::from_secs(600),
    })
}

fn conditions(server: &Server) -> Vec<(String, String, String)> {
    let status = server.status();
    let list = status["conditions"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|condition| {
            let text = |key: &str| condition[key].as_str().unwrap_or_default().to_owned();
            (text("type"), text("status"), text("reason"))
        })
        .collect()
}

fn said(server: &Server, kind: &str) -> (String, String) {
    let all = conditions(server);
    let found = all.into_iter().find(|(name, ..)| name == kind).unwrap();
    (found.1, found.2)
}

#[tokio::test]
async fn s5_s9_children_come_first_and_the_status_last_on_its_own_path() {
    let server = Server::default();
    reconcile(&resource(&json!({}), None), &tools(&server))
        .await
        .unwrap();
    let writes = server.writes();
    let names: Vec<_> = writes
        .iter()
        .map(|path| path.rsplit('/').nth(1).unwrap_or_default())
        .collect();
    assert_eq!(
        &names[..4],
        [
            "serviceaccounts",
            "services",
            "deployments",
            "poddisruptionbudgets"
        ]
    );
    assert!(
        writes
            .last()
            .unwrap()
            .ends_with("/toolsearchproxies/tools/status"),
        "{writes:?}"
    );
    assert_eq!(said(&server, "Accepted").0, "True");
}

#[tokio::test]
async fn r4_drift_is_set_right_and_counted_and_what_is_gone_comes_back() {
    let server = Server::default();
    let tools = tools(&server);
    reconcile(&resource(&json!({}), None), &tools)
        .await
        .unwrap();
    let status = server.status();
    server.forget_writes();
    server.change("deployments", "tools", |body| {
        body["spec"]["template"]["spec"]["containers"][0]["image"] = "other".into();
    });
    server.remove("services", "tools");
    reconcile(&resource(&json!({}), Some(&status)), &tools)
        .await
        .unwrap();
    let image = server.object("deployments", "tools")["spec"]["template"]["spec"]["containers"][0]
        ["image"]
        .clone();
    assert_eq!(image, "registry.example/toolsearch:1");
    assert!(server.object("services", "tools").is_object());
}

#[tokio::test]
async fn r5_what_is_no_longer_wanted_goes_and_strangers_stay() {
    let server = Server::default();
    let tools = tools(&server);
    reconcile(
        &resource(&json!({ "autoscaling": { "maxReplicas": 4 } }), None),
        &tools,
    )
    .await
    .unwrap();
    assert!(
        server
            .object("horizontalpodautoscalers", "tools")
            .is_object()
    );
    server.put(
        "services",
        "other",
        json!({ "metadata": {
        "name": "other", "namespace": "agents", "uid": "x",
        "labels": server.object("services", "tools")["metadata"]["labels"].clone(),
    } }),
    );
    reconcile(&resource(&json!({ "replicas": 1 }), None), &tools)
        .await
        .unwrap();
    assert!(server.object("horizontalpodautoscalers", "tools").is_null());
    assert!(server.object("poddisruptionbudgets", "tools").is_null());
    assert!(server.object("services", "other").is_object());
}

#[tokio::test]
async fn r6_an_object_of_somebody_else_is_never_taken() {
    let server = Server::default();
    let theirs = json!({ "metadata": { "name": "tools", "namespace": "agents", "uid": "x" }, "spec": { "mine": true } });
    server.put("services", "tools", theirs.clone());
    reconcile(&resource(&json!({}), None), &tools(&server))
        .await
        .unwrap();
    assert_eq!(server.object("services", "tools"), theirs);
    assert!(server.object("deployments", "tools").is_null());
    assert_eq!(
        said(&server, "Accepted"),
        ("False".to_owned(), "NameConflict".to_owned())
    );
}

#[tokio::test]
async fn r6_pods_of_somebody_else_are_not_counted() {
    let server = Server::default();
    let theirs = json!({
        "metadata": { "name": "tools", "namespace": "agents", "uid": "x" },
        "spec": { "replicas": 3, "selector": {}, "template": {} },
        "status": { "replicas": 3, "readyReplicas": 3, "availableReplicas": 3 },
    });
    server.put("deployments", "tools", theirs.clone());
    server.put("services", "tools", theirs);
    reconcile(&resource(&json!({}), None), &tools(&server))
        .await
        .unwrap();
    assert_eq!(
        said(&server, "Available"),
        ("False".to_owned(), "MinimumReplicasUnavailable".to_owned())
    );
    assert_eq!(server.status()["readyReplicas"], 0);
    let text = server.status().to_string();
    assert!(
        text.contains("Service tools, Deployment tools exist and belong to somebody else"),
        "{text}"
    );
}

#[tokio::test]
async fn a_missing_reference_is_said_and_nothing_is_made() {
    let server = Server::default();
    let spec = json!({ "model": { "huggingFace": { "tokenSecretRef": { "name": "hub", "key": "token" } } } });
    reconcile(&resource(&spec, None), &tools(&server))
        .await
        .unwrap();
    assert_eq!(
        said(&server, "Accepted"),
        ("False".to_owned(), "ReferenceNotFound".to_owned())
    );
    assert!(server.object("deployments", "tools").is_null());
    let text = server.status().to_string();
    assert!(text.contains("Secret hub with a key token"), "{text}");
    assert_eq!(
        said(&server, "ModelAvailable"),
        ("Unknown".to_owned(), "ModelUnknown".to_owned())
    );
    // The Secret alone does not do.
    server.put(
        "secrets",
        "hub",
        json!({ "metadata": { "name": "hub" }, "data": {} }),
    );
    reconcile(&resource(&spec, None), &tools(&server))
        .await
        .unwrap();
    let text = server.status().to_string();
    assert!(text.contains("missing: key token of Secret hub"), "{text}");
}

#[tokio::test]
async fn mistakes_and_what_is_missing_are_said_at_once_and_looked_for_again() {
    let server = Server::default();
    let tools = tools(&server);
    let wrong = json!({
        "catalog": { "ttl": "0s" }, "model": { "persistentVolumeClaim": { "claimName": "none" } },
    });
    let again = reconcile(&resource(&wrong, None), &tools).await.unwrap();
    assert_eq!(
        said(&server, "Accepted"),
        ("False".to_owned(), "InvalidSpec".to_owned())
    );
    let text = server.status().to_string();
    assert!(
        text.contains("spec.catalog.ttl") && text.contains("PersistentVolumeClaim none"),
        "{text}"
    );
    assert!(again <= Duration::from_secs(10), "{again:?}");
}

#[tokio::test]
async fn r14_a_paused_resource_is_not_touched_and_still_reported() {
    let server = Server::default();
    reconcile(&resource(&json!({ "paused": true }), None), &tools(&server))
        .await
        .unwrap();
    assert_eq!(server.writes().len(), 1);
    assert_eq!(
        said(&server, "Progressing"),
        ("Unknown".to_owned(), "Paused".to_owned())
    );
}

#[tokio::test]
async fn r15_a_cluster_without_service_monitors_is_no_error() {
    let server = Server::default();
    server.lacks("servicemonitors");
    reconcile(
        &resource(&json!({ "monitoring": { "serviceMonitor": true } }), None),
        &tools(&server),
    )
    .await
    .unwrap();
    assert_eq!(said(&server, "Accepted").0, "True");
    assert!(
        server
            .status()
            .to_string()
            .contains("ServiceMonitor is left out")
    );
}

#[tokio::test]
async fn r12_what_the_server_refuses_becomes_a_condition_or_another_try() {
    for (code, message, reason) in [
        (403, "is forbidden: exceeded quota: pods", "QuotaExceeded"),
        (403, "cannot patch resource", "Forbidden"),
        (422, "spec.x: Invalid value", "InvalidSpec"),
        (
            500,
            "failed to create typed patch object (agents/tools; apps/v1, Kind=Deployment): .spec.x: expected map",
            "InvalidSpec",
        ),
        (
            400,
            "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal",
            "InvalidSpec",
        ),
    ] {
        let server = Server::default();
        server.refuse("deployments", code, message);
        reconcile(&resource(&json!({}), None), &tools(&server))
            .await
            .unwrap();
        assert_eq!(
            said(&server, "Accepted"),
            ("False".to_owned(), reason.to_owned())
        );
    }
    // A failure that is nobody's mistake, for all the operator knows: told, and tried again.
    for code in [400, 500] {
        let server = Server::default();
        server.refuse("deployments", code, "failed calling webhook \"a.example\"");
        let error = reconcile(&resource(&json!({}), None), &tools(&server))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), "api");
        assert_eq!(
            said(&server, "Accepted"),
            ("False".to_owned(), "ReconcileFailed".to_owned())
        );
        assert!(
            server
                .status()
                .to_string()
                .contains("failed calling webhook")
        );
    }
    let server = Server::default();
    server.refuse("deployments", 409, "the object has been modified");
    let error = reconcile(&resource(&json!({}), None), &tools(&server))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "conflict");
}

#[tokio::test(start_paused = true)]
async fn r10_a_hanging_api_server_costs_15_seconds_a_call() {
    let server = Server::default();
    server.hang();
    let began = tokio::time::Instant::now();
    let error = reconcile(&resource(&json!({}), None), &tools(&server))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "timeout");
    assert!(began.elapsed() <= Duration::from_secs(61));
}

#[tokio::test(start_paused = true)]
async fn r10_a_reconcile_of_slow_answers_is_given_up_after_a_minute() {
    let server = Server::default();
    // Below the deadline of one call, and with more calls than the whole may take.
    server.slow_down(Duration::from_secs(12));
    let began = tokio::time::Instant::now();
    let error = reconcile(&resource(&json!({}), None), &tools(&server))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "deadline");
    assert_eq!(began.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn r11_what_only_a_change_can_mend_waits_for_one() {
    let server = Server::default();
    let tools = tools(&server);
    let wrong = resource(&json!({ "catalog": { "ttl": "0s" } }), None);
    assert_eq!(reconcile(&wrong, &tools).await.unwrap(), tools.resync);
    // What may go by itself does not.
    let missing = json!({ "model": { "persistentVolumeClaim": { "claimName": "none" } } });
    let again = reconcile(&resource(&missing, None), &tools).await.unwrap();
    assert!(again <= Duration::from_secs(10), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn r20_twenty_templates_that_no_user_changed_roll_one_a_pause() {
    let server = Server::default();
    let named = |number: usize, status: Option<&Value>| {
        let mut one = resource(&json!({}), status);
        one.metadata.name = Some(format!("tools-{number}"));
        one.metadata.uid = Some(format!("uid-{number}"));
        one
    };
    let old = tools(&server);
    let mut statuses = Vec::new();
    for number in 0..20 {
        reconcile(&named(number, None), &old).await.unwrap();
        statuses.push(server.status());
    }
    let mut new = tools(&server);
    Arc::get_mut(&mut new).unwrap().defaults.proxy_image =
        "registry.example/toolsearch:2".to_owned();
    let rolled = || {
        (0..20)
            .filter(|number| {
                let deployment = server.object("deployments", &format!("tools-{number}"));
                deployment.to_string().contains("toolsearch:2")
            })
            .count()
    };
    for round in 1..=20 {
        for (number, status) in statuses.iter().enumerate() {
            reconcile(&named(number, Some(status)), &new).await.unwrap();
        }
        assert_eq!(rolled(), round);
        tokio::time::advance(new.turnstile.pause()).await;
    }
}

#[tokio::test]
async fn r20_a_template_that_no_user_changed_waits_for_its_turn() {
    let server = Server::default();
    let old = tools(&server);
    reconcile(&resource(&json!({}), None), &old).await.unwrap();
    let status = server.status();
    let mut other = tools(&server);
    Arc::get_mut(&mut other).unwrap().defaults.proxy_image =
        "registry.example/toolsearch:2".to_owned();
    assert!(other.turnstile.admit(), "somebody else's rollout has begun");
    reconcile(&resource(&json!({}), Some(&status)), &other)
        .await
        .unwrap();
    let image = || {
        server.object("deployments", "tools")["spec"]["template"]["spec"]["containers"][0]["image"]
            .clone()
    };
    assert_eq!(image(), "registry.example/toolsearch:1");
    assert_eq!(
        said(&server, "Progressing"),
        ("True".to_owned(), "Waiting".to_owned())
    );
    // A user's own change does not wait.
    let mut changed = resource(&json!({}), Some(&status));
    changed.metadata.generation = Some(2);
    reconcile(&changed, &other).await.unwrap();
    assert_eq!(image(), "registry.example/toolsearch:2");
}

#[tokio::test]
async fn an_autoscaler_takes_over_without_a_dip() {
    let server = Server::default();
    let tools = tools(&server);
    reconcile(&resource(&json!({ "replicas": 7 }), None), &tools)
        .await
        .unwrap();
    server.change("deployments", "tools", |body| {
        body["metadata"]["managedFields"] = json!([{
            "manager": "toolsearch-operator", "operation": "Apply", "apiVersion": "apps/v1",
            "fieldsType": "FieldsV1", "fieldsV1": { "f:spec": { "f:replicas": {} } },
        }]);
    });
    server.forget_writes();
    let mut scaled = resource(&json!({ "autoscaling": { "maxReplicas": 9 } }), None);
    scaled.metadata.generation = Some(2);
    reconcile(&scaled, &tools).await.unwrap();
    let bodies = server.bodies("deployments");
    assert_eq!(
        bodies[0]["spec"],
        json!({ "replicas": 7 }),
        "another manager holds the number first"
    );
    assert!(bodies[1]["spec"].get("replicas").is_none());
}
