//! What a pod template may hold, and what stays the same whatever changes.

mod fields;

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
        "affinity": {}, "topologySpreadConstraints": [], "priorityClassName": null, "hostAliases": [], "dnsPolicy": "Default",
        "runtimeClassName": "gvisor", "schedulerName": "mine",
        "securityContext": { "runAsUser": 1000, "fsGroup": 1000 },
        "volumes": [{ "name": "extra", "configMap": { "name": "extra" } }],
        "containers": [{ "name": "proxy", "env": [{ "name": "TZ", "value": "UTC" }],
            "volumeMounts": [
                { "name": "extra", "mountPath": "/extra" }, { "name": "extra", "mountPath": "/var/libs" },
            ] }],
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

/// What the API server would answer with a failure of its own, or would take and widen.
#[test]
fn p7_what_the_api_server_could_not_read_is_refused_by_name() {
    let proxy = |members: Value| {
        let mut members = members;
        members["name"] = "proxy".into();
        json!({ "containers": [members] })
    };
    let cases = vec![
        (json!({ "affinity": "foo" }), "spec.affinity"),
        (
            json!({ "affinity": { "podAffinities": {} } }),
            "podAffinities is no field",
        ),
        (json!({ "hostAliases": {} }), "spec.hostAliases"),
        (json!({ "schedulerName": 7 }), "spec.schedulerName"),
        (json!({ "securityContext": 7 }), "spec.securityContext"),
        (
            json!({ "securityContext": { "supplementalGroups": [0] } }),
            "supplementalGroups",
        ),
        (
            json!({ "securityContext": { "runAsUser": "0" } }),
            "runAsUser",
        ),
        (json!({ "securityContext": { "fsGroup": 0.0 } }), "fsGroup"),
        (json!({ "volumes": ["foo"] }), "spec.volumes"),
        (
            json!({ "volumes": [{ "name": "model", "emptyDir": {} }] }),
            "volumes[model]",
        ),
        (json!({ "volumes": [{ "name": "x" }] }), "volumes[x]"),
        (json!({ "volumes": [{ "emptyDir": {} }] }), "it has no name"),
        (
            json!({ "volumes": [{ "name": "x", "emptyDir": {} }, { "name": "x", "emptyDir": {} }] }),
            "given twice",
        ),
        (json!({ "volumes": {} }), "it is a list"),
        (proxy(json!({ "env": ["A=1"] })), "env[]"),
        (
            proxy(json!({ "env": [{ "name": "A", "value": 1 }] })),
            "env[A]",
        ),
        (
            proxy(json!({ "env": [{ "name": "A", "value": "1" }, { "name": "A", "value": "2" }] })),
            "given twice",
        ),
        (
            proxy(json!({ "env": [{ "value": "1" }] })),
            "it has no name",
        ),
        (
            proxy(json!({ "volumeMounts": [{ "name": "model", "mountPath": "/x" }] })),
            "volumeMounts[/x]",
        ),
        (
            proxy(
                json!({ "volumeMounts": [{ "name": "x", "mountPath": "/x" }, { "name": "y", "mountPath": "/x" }] }),
            ),
            "given twice",
        ),
    ];
    for (spec, said) in cases {
        match desired(json!({ "podTemplate": { "spec": spec } })) {
            Err(Mistakes(mistakes)) => {
                assert!(mistakes.join("; ").contains(said), "{spec}: {mistakes:?}");
            }
            Ok(_) => panic!("{spec} is taken"),
        }
    }
}

#[test]
fn p7_folders_of_the_program_and_those_above_them_are_refused() {
    for at in [
        "/",
        "/var",
        "/var/lib",
        "/usr/local",
        "/etc",
        "/etc/",
        "//dev/x",
        "/dev/x",
        "/x/../dev",
        "x",
        "/proc",
    ] {
        let mount = json!([{ "name": "x", "mountPath": at }]);
        let containers = json!([{ "name": "proxy", "volumeMounts": mount }]);
        let said = desired(json!({ "podTemplate": { "spec": { "containers": containers } } }))
            .unwrap_err()
            .to_string();
        assert!(said.contains(&format!("volumeMounts[{at}]")), "{said}");
    }
}

#[test]
fn null_in_the_template_is_not_sent() {
    let pod = json!({ "spec": { "affinity": null, "dnsConfig": { "options": null } } });
    let body = deployment(json!({ "podTemplate": pod }), &Found::default());
    assert!(!body.to_string().contains("null"), "{body}");
}

#[test]
fn a_fetch_has_at_most_a_day() {
    let with = |timeout: &str| {
        desired(json!({ "model": { "huggingFace": {}, "fetch": { "timeout": timeout } } }))
    };
    assert!(with("24h").is_ok());
    for timeout in ["24h1s", "99999999h"] {
        let said = with(timeout).unwrap_err().to_string();
        assert!(said.contains("longer than 24 h"), "{said}");
    }
}

#[test]
fn what_kubernetes_would_expand_arrives_as_it_was_written() {
    let body = deployment(
        json!({
            "upstream": { "url": "https://gateway.example/$$(HOME)/mcp" },
            "model": { "http": { "baseUrl": "https://mirror.example/$(HOSTNAME)" }, "fetch": { "noProxy": "$(A)" } },
        }),
        &Found::default(),
    );
    let pod = &body["spec"]["template"]["spec"];
    assert_eq!(
        pod["containers"][0]["env"][0]["value"],
        "https://gateway.example/$$$$(HOME)/mcp"
    );
    let fetch = &pod["initContainers"][0];
    assert!(
        fetch["args"]
            .as_array()
            .unwrap()
            .contains(&"https://mirror.example/$$(HOSTNAME)".into()),
        "{fetch}"
    );
    assert_eq!(fetch["env"][0]["value"], "$$(A)");
}

#[test]
fn a_node_port_may_prefer_a_zone() {
    let service = json!({ "type": "NodePort", "trafficDistribution": "PreferSameZone" });
    assert!(desired(json!({ "service": service })).is_ok());
}

#[test]
fn ports_of_the_pods_behind_the_upstream_are_let_through() {
    let ports = |policy: Value| {
        let objects = build(&desired(json!({ "networkPolicy": policy })).unwrap()).unwrap();
        let policy = objects
            .into_iter()
            .find(|object| object.kind == Kind::NetworkPolicy);
        let egress = policy.unwrap().body["spec"]["egress"].clone();
        let numbers = |rule: &Value| -> Vec<i64> {
            let ports = rule["ports"].as_array().cloned().unwrap_or_default();
            ports
                .iter()
                .filter_map(|port| port["port"].as_i64())
                .collect()
        };
        (numbers(&egress[0]), numbers(&egress[1]))
    };
    let dns = vec![53, 53, 5353, 5353];
    let peers = json!([{ "podLabels": { "app": "gateway" } }]);
    assert_eq!(ports(json!({ "enabled": true })), (dns.clone(), vec![443]));
    assert_eq!(
        ports(json!({ "enabled": true, "allowPorts": [8080] })),
        (dns.clone(), vec![443, 8080])
    );
    assert_eq!(
        ports(json!({ "enabled": true, "allowTo": peers })),
        (dns.clone(), vec![])
    );
    assert_eq!(
        ports(json!({ "enabled": true, "allowTo": peers, "allowPorts": [8080] })),
        (dns, vec![443, 8080])
    );
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
    let found = |certificates: &str| Found {
        authorities: Some(certificates.to_owned()),
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
fn m3_a_level_that_is_none_is_refused_before_any_pod_meets_it() {
    let said = desired(json!({ "logging": { "level": "loud" } }))
        .unwrap_err()
        .to_string();
    assert!(said.contains("spec.logging.level must be off"), "{said}");
    assert!(desired(json!({ "logging": { "level": "info,toolsearch_proxy=debug" } })).is_ok());
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
