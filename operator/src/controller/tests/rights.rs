//! P1: the chart grants what the code asks for and nothing beside it. The code runs, with every
//! feature on, against the played API server; what it asked is compared with the rendered role.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde::Deserialize as _;
use serde_json::{Value, json};
use toolsearch_crds::v1alpha1::ToolSearchProxyStatus;

use crate::apply::Applied;
use crate::names::labels;
use crate::reconcile::tests::server::Server;
use crate::reconcile::tests::{pem, resource, tools};
use crate::resources::Kind;

use super::super::*;
use super::options;

/// What no request shows: the API server asks it of whoever sets an owner that blocks deletion,
/// where that check is on.
const UNSEEN: &str = "update toolsearch.dev/toolsearchproxies/finalizers";

fn granted() -> BTreeSet<String> {
    let rendered = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/charts/goldens/defaults.yaml"
    );
    let text = std::fs::read_to_string(rendered).unwrap();
    let documents = serde_yaml::Deserializer::from_str(&text);
    let mut documents = documents.map(|document| Value::deserialize(document).unwrap());
    let role = documents
        .find(|object| object["kind"] == "ClusterRole")
        .unwrap();
    let mut found = BTreeSet::new();
    let texts = |rule: &Value, key: &str| -> Vec<String> {
        serde_json::from_value(rule[key].clone()).unwrap()
    };
    for rule in role["rules"].as_array().unwrap() {
        for (group, resource, verb) in texts(rule, "apiGroups").iter().flat_map(|group| {
            texts(rule, "resources")
                .into_iter()
                .flat_map(move |resource| {
                    texts(rule, "verbs")
                        .into_iter()
                        .map(move |verb| (group.clone(), resource.clone(), verb))
                })
        }) {
            found.insert(format!("{verb} {group}/{resource}"));
        }
    }
    found
}

/// A cluster in which everything is asked of the API server that ever is.
fn cluster() -> (Server, ToolSearchProxy) {
    let server = Server::default();
    let key = |name: &str| json!({ "name": name, "key": "k" });
    for (plural, name) in [
        ("secrets", "token"),
        ("configmaps", "ca"),
        ("persistentvolumeclaims", "models"),
    ] {
        let content = if plural == "secrets" {
            "aGk=".to_owned()
        } else {
            pem("aGk=")
        };
        let object = json!({ "metadata": { "name": name, "namespace": "agents" }, "data": { "k": content } });
        let object = if plural == "persistentvolumeclaims" {
            json!({ "metadata": object["metadata"] })
        } else {
            object
        };
        server.put(plural, name, object);
    }
    // One object of each kind that is no longer wanted.
    let owner = json!([{ "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy", "name": "tools", "uid": "uid-1", "controller": true }]);
    for kind in Kind::ALL {
        let metadata = json!({ "name": "old", "namespace": "agents", "uid": "x", "labels": labels("tools"), "ownerReferences": owner });
        server.put(kind.names()[3], "old", json!({ "metadata": metadata }));
    }
    // Rolled out already: what a template before needed may go.
    let metadata =
        json!({ "name": "tools", "namespace": "agents", "uid": "x", "ownerReferences": owner });
    let status = json!({ "replicas": 1, "updatedReplicas": 1 });
    server.put(
        "deployments",
        "tools",
        json!({ "metadata": metadata, "status": status }),
    );
    let common = json!({ "upstream": { "url": "https://gateway.example/mcp", "caBundle": { "configMap": key("ca") } } });
    let mut one = common.clone();
    one["model"] =
        json!({ "http": { "baseUrl": "https://mirror.example", "tokenSecretRef": key("token") } });
    one["autoscaling"] = json!({ "maxReplicas": 3 });
    one["networkPolicy"] = json!({ "enabled": true });
    one["monitoring"] = json!({ "serviceMonitor": true });
    let one = resource(&one, None);
    let mut other = common;
    other["model"] = json!({ "persistentVolumeClaim": { "claimName": "models" } });
    let mut other = resource(&other, None);
    other.metadata.name = Some("other".to_owned());
    other.metadata.uid = Some("uid-2".to_owned());
    for object in [&one, &other] {
        server.put(
            "toolsearchproxies",
            &object.name_any(),
            serde_json::to_value(object).unwrap(),
        );
    }
    (server, one)
}

#[tokio::test(start_paused = true)]
async fn p1_the_chart_grants_what_the_code_asks_for() {
    let (server, one) = cluster();
    let tools = tools(&server);
    let stop: Stop = std::future::pending().boxed().shared();
    let options = options(4);
    let running = run(
        server.client(),
        &options,
        Arc::clone(&tools),
        stop,
        Stores::default(),
    );
    let _ended = tokio::time::timeout(Duration::from_secs(3), running).await;
    // The same thing told twice is one Event that counts.
    let applied = Applied {
        made: vec!["Service x".to_owned()],
        ..Applied::default()
    };
    let none = ToolSearchProxyStatus::default();
    for _ in 0..2 {
        tools.journal.tell(&one, &none, &none, &applied).await;
    }
    let mut granted = granted();
    assert!(granted.remove(UNSEEN));
    assert_eq!(granted, server.asked(), "left: the chart; right: the code");
}
