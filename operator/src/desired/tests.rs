//! What a pod template may hold, and what stays the same whatever changes.

use serde_json::{Value, json};
use toolsearch_crds::ToolSearchProxy;

use super::*;
use crate::resources::{Kind, build};

fn resource(spec: Value) -> ToolSearchProxy {
    let mut spec = spec;
    if spec.get("upstream").is_none() {
        spec["upstream"] = json!({ "url": "https://gateway.example/mcp" });
    }
    serde_json::from_value(json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": "tools", "namespace": "agents", "uid": "u", "generation": 1 },
        "spec": spec,
    }))
    .unwrap()
}

fn defaults() -> Defaults {
    Defaults {
        proxy_image: "registry.example/toolsearch:1".to_owned(),
        pull_policy: None,
        pull_secrets: vec!["default".to_owned()],
    }
}

fn desired(spec: Value) -> Result<Desired, Mistakes> {
    Desired::new(&resource(spec), &defaults(), &Found::default())
}

fn deployment(spec: Value, found: &Found) -> Value {
    let desired = Desired::new(&resource(spec), &defaults(), found).unwrap();
    let objects = build(&desired).unwrap();
    objects
        .into_iter()
        .find(|object| object.kind == Kind::Deployment)
        .unwrap()
        .body
}

#[test]
fn p7_the_escape_hatch_takes_a_list_and_nothing_else() {
    let taken = json!({ "spec": {
        "affinity": {}, "topologySpreadConstraints": [], "hostAliases": [], "dnsPolicy": "Default",
        "runtimeClassName": "gvisor", "schedulerName": "mine",
        "securityContext": { "runAsUser": 1000, "fsGroup": 1000 },
        "volumes": [{ "name": "extra", "configMap": { "name": "extra" } }],
        "containers": [{ "name": "proxy", "env": [{ "name": "TZ", "value": "UTC" }],
            "volumeMounts": [{ "name": "extra", "mountPath": "/extra" }] }],
    } });
    let taken = desired(json!({ "podTemplate": taken })).unwrap();
    assert_eq!(taken.escape.pod.len(), 6);
    for (spec, path) in [
        (
            json!({ "serviceAccountName": "admin" }),
            "spec.serviceAccountName",
        ),
        (json!({ "hostNetwork": true }), "spec.hostNetwork"),
        (json!({ "hostPID": true }), "spec.hostPID"),
        (
            json!({ "automountServiceAccountToken": true }),
            "spec.automountServiceAccountToken",
        ),
        (
            json!({ "volumes": [{ "name": "x", "hostPath": { "path": "/" } }] }),
            "spec.volumes[].hostPath",
        ),
        (
            json!({ "volumes": [{ "name": "x", "secret": { "secretName": "s" } }] }),
            "spec.volumes[].secret",
        ),
        (
            json!({ "volumes": [{ "name": "x", "projected": {} }] }),
            "spec.volumes[].projected",
        ),
        (
            json!({ "securityContext": { "runAsUser": 0 } }),
            "spec.securityContext.runAsUser",
        ),
        (
            json!({ "securityContext": { "sysctls": [] } }),
            "spec.securityContext.sysctls",
        ),
        (json!({ "initContainers": [] }), "spec.initContainers"),
        (
            json!({ "containers": [{ "name": "shell" }] }),
            "spec.containers[]",
        ),
        (
            json!({ "containers": [{ "name": "proxy", "securityContext": { "privileged": true } }] }),
            "spec.containers[proxy].securityContext",
        ),
        (
            json!({ "containers": [{ "name": "proxy", "command": ["sh"] }] }),
            "spec.containers[proxy].command",
        ),
        (
            json!({ "containers": [{ "name": "proxy", "env": [{ "name": "TOOLSEARCH_UPSTREAM", "value": "x" }] }] }),
            "env[TOOLSEARCH_UPSTREAM]",
        ),
        (
            json!({ "containers": [{ "name": "proxy", "env": [{ "name": "X", "valueFrom": {} }] }] }),
            "env[X].valueFrom",
        ),
        (
            json!({ "containers": [{ "name": "proxy", "volumeMounts": [{ "name": "x", "mountPath": "/usr/local/bin" }] }] }),
            "volumeMounts[/usr/local/bin]",
        ),
    ] {
        let said = desired(json!({ "podTemplate": { "spec": spec } }))
            .unwrap_err()
            .to_string();
        assert!(said.contains(path), "{said}");
    }
    let said = desired(json!({ "podTemplate": { "metadata": {} } }))
        .unwrap_err()
        .to_string();
    assert!(said.contains("podMetadata"), "{said}");
}

#[test]
fn p4_pods_are_nobody_and_have_no_token() {
    let pod = deployment(json!({}), &Found::default())["spec"]["template"]["spec"].clone();
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["serviceAccountName"], "tools");
    assert_eq!(pod["enableServiceLinks"], false);
    let container = &pod["containers"][0]["securityContext"];
    assert_eq!(container["allowPrivilegeEscalation"], false);
    assert_eq!(container["readOnlyRootFilesystem"], true);
    assert_eq!(container["capabilities"], json!({ "drop": ["ALL"] }));
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(
        pod["securityContext"]["seccompProfile"],
        json!({ "type": "RuntimeDefault" })
    );
}

#[test]
fn r17_contents_of_used_keys_roll_the_pods_and_nothing_else_does() {
    let spec = json!({ "upstream": { "url": "https://gateway.example/mcp", "caBundle": { "configMap": { "name": "ca", "key": "a" } } } });
    let found = |digest: &str| Found {
        digests: [(
            Reference::from(&toolsearch_crds::v1alpha1::CaBundle {
                config_map: Some(toolsearch_crds::v1alpha1::KeyReference {
                    name: "ca".to_owned(),
                    key: "a".to_owned(),
                }),
                secret: None,
            }),
            digest.to_owned(),
        )]
        .into(),
        missing: Vec::new(),
    };
    let template = |found: &Found| deployment(spec.clone(), found)["spec"]["template"].to_string();
    assert_eq!(template(&found("1")), template(&found("1")));
    assert_ne!(template(&found("1")), template(&found("2")));
}

#[test]
fn r21_the_template_does_not_know_the_operators_version() {
    let text = deployment(json!({}), &Found::default()).to_string();
    assert!(
        !text.contains(env!("CARGO_PKG_VERSION")) || env!("CARGO_PKG_VERSION").len() < 2,
        "{text}"
    );
}

#[test]
fn r9_the_selector_never_changes() {
    for spec in [
        json!({}),
        json!({ "podMetadata": { "labels": { "team": "a" } }, "model": { "none": {} } }),
    ] {
        let body = deployment(spec, &Found::default());
        assert_eq!(
            body["spec"]["selector"],
            json!({ "matchLabels": { "app.kubernetes.io/name": "toolsearch-proxy", "app.kubernetes.io/instance": "tools" } })
        );
    }
}

#[test]
fn replicas_are_left_to_the_autoscaler() {
    let body = deployment(
        json!({ "autoscaling": { "maxReplicas": 4 } }),
        &Found::default(),
    );
    assert!(body["spec"].get("replicas").is_none());
    assert_eq!(
        deployment(json!({}), &Found::default())["spec"]["replicas"],
        2
    );
    assert_eq!(
        deployment(json!({ "replicas": 0 }), &Found::default())["spec"]["replicas"],
        0
    );
}

#[test]
fn the_grace_period_is_the_sum_of_the_stages() {
    let body = deployment(
        json!({ "drain": { "delaySeconds": 7, "callSeconds": 11 } }),
        &Found::default(),
    );
    assert_eq!(
        body["spec"]["template"]["spec"]["terminationGracePeriodSeconds"],
        7 + 11 + 8
    );
}

#[test]
fn a_disruption_budget_exists_only_where_it_cannot_block_a_drain() {
    let kinds = |spec: Value| {
        let objects = build(&desired(spec).unwrap()).unwrap();
        objects
            .iter()
            .any(|object| object.kind == Kind::PodDisruptionBudget)
    };
    assert!(kinds(json!({ "replicas": 2 })));
    assert!(!kinds(json!({ "replicas": 1 })));
    assert!(!kinds(
        json!({ "autoscaling": { "minReplicas": 1, "maxReplicas": 5 } })
    ));
    assert!(!kinds(
        json!({ "podDisruptionBudget": { "enabled": false } })
    ));
}

#[test]
fn i3_pull_secrets_come_from_everywhere_once() {
    let wanted = desired(json!({
        "imagePullSecrets": ["own", "default"],
        "model": { "image": { "reference": "r.example/m@sha256:0000000000000000000000000000000000000000000000000000000000000000", "pullSecrets": ["models"] } },
    }))
    .unwrap();
    assert_eq!(wanted.image.pull_secrets, ["default", "own", "models"]);
}

#[test]
fn a_token_is_never_sent_in_clear() {
    let said = desired(
        json!({ "model": { "http": { "baseUrl": "http://mirror.example", "tokenSecretRef": { "name": "a", "key": "b" } } } }),
    );
    assert!(said.unwrap_err().to_string().contains("plain http"));
}

#[test]
fn f7_the_volume_has_room_and_the_token_stays_with_the_fetch() {
    let body = deployment(
        json!({ "model": { "huggingFace": { "tokenSecretRef": { "name": "hub", "key": "t" } } } }),
        &Found::default(),
    );
    let pod = &body["spec"]["template"]["spec"];
    assert_eq!(
        pod["volumes"][0]["emptyDir"],
        json!({ "sizeLimit": "697Mi" })
    );
    assert_eq!(
        pod["initContainers"][0]["resources"]["limits"]["ephemeral-storage"],
        "825Mi"
    );
    let mounts = pod["containers"][0]["volumeMounts"].to_string();
    assert!(!mounts.contains("token"), "{mounts}");
    assert!(
        pod["initContainers"][0]["volumeMounts"]
            .to_string()
            .contains("model-token")
    );
    assert_eq!(pod["containers"][0]["volumeMounts"][0]["readOnly"], true);
}

#[test]
fn long_lists_are_refused_with_a_way_out() {
    let list: Vec<String> = (0..900).map(|number| format!("{number:0>200}")).collect();
    let said = desired(json!({ "writeTools": list }))
        .unwrap_err()
        .to_string();
    assert!(said.contains("use globs"), "{said}");
}

#[test]
fn files_that_no_model_can_do_without_are_asked_for() {
    let files = json!([{ "path": "config.json", "sha256": "0".repeat(64), "size": 1 }]);
    let model = json!({ "http": { "baseUrl": "https://mirror.example", "files": files } });
    let said = desired(json!({ "model": model })).unwrap_err().to_string();
    assert!(
        said.contains("lacks tokenizer.json") && said.contains("lacks model.safetensors"),
        "{said}"
    );
}
