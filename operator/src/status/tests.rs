//! S1, S3, S4, S6: what is said follows from the facts, and keeps still while they do.

use serde_json::json;
use toolsearch_crds::ToolSearchProxy;

use super::*;
use crate::observe::Trouble;
use crate::options::Defaults;
use crate::references::Found;

fn desired(model: &serde_json::Value) -> Desired {
    let resource: ToolSearchProxy = serde_json::from_value(json!({
        "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
        "metadata": { "name": "tools", "namespace": "agents" },
        "spec": { "upstream": { "url": "https://gateway.example/mcp" }, "model": model },
    }))
    .unwrap();
    let defaults = Defaults {
        proxy_image: "i".to_owned(),
        pull_policy: None,
        pull_secrets: Vec::new(),
    };
    Desired::new(&resource, &defaults, &Found::default()).unwrap()
}

fn settled() -> Facts {
    Facts {
        observed: true,
        wanted: 2,
        replicas: 2,
        ready: 2,
        available: 2,
        updated: 2,
        ..Facts::default()
    }
}

fn say(facts: Option<&Facts>, model: &serde_json::Value) -> ToolSearchProxyStatus {
    let desired = desired(model);
    let findings = Findings {
        generation: Some(3),
        verdict: Verdict::valid(&[]),
        paused: false,
        waiting: false,
        desired: Some(&desired),
        facts,
        reach: Reach::Yes,
        now: "2026-01-01T00:00:00Z".to_owned(),
    };
    status("tools", &findings, &ToolSearchProxyStatus::default())
}

fn of(status: &ToolSearchProxyStatus, kind: ConditionType) -> (String, String) {
    let condition = status
        .conditions
        .iter()
        .find(|condition| condition.type_ == kind.as_str())
        .unwrap();
    (condition.status.clone(), condition.reason.clone())
}

fn words(pair: (&str, &str)) -> (String, String) {
    (pair.0.to_owned(), pair.1.to_owned())
}

#[test]
fn s3_ready_and_rolled_out_need_the_newest_template() {
    let builtin = json!({ "builtin": {} });
    let all = say(Some(&settled()), &builtin);
    assert_eq!(of(&all, ConditionType::Ready), words(("True", "Serving")));
    assert_eq!(
        of(&all, ConditionType::Progressing),
        words(("False", "RolledOut"))
    );
    assert_eq!(all.observed_generation, Some(3));
    let stale = Facts {
        observed: false,
        ..settled()
    };
    assert_eq!(
        of(&say(Some(&stale), &builtin), ConditionType::Progressing),
        words(("True", "RollingOut"))
    );
    let overdue = Facts {
        updated: 1,
        replicas: 3,
        overdue: true,
        ..settled()
    };
    assert_eq!(
        of(&say(Some(&overdue), &builtin), ConditionType::Ready),
        words(("False", "ProgressDeadlineExceeded"))
    );
    assert_eq!(
        of(&say(None, &builtin), ConditionType::Ready),
        words(("False", "MinimumReplicasUnavailable"))
    );
}

#[test]
fn s4_ready_does_not_flap_while_pods_are_replaced() {
    for (updated, replicas, available) in [(0, 2, 2), (1, 3, 2), (1, 3, 3), (2, 3, 2), (2, 2, 2)] {
        let facts = Facts {
            updated,
            replicas,
            available,
            ready: available,
            ..settled()
        };
        let said = say(Some(&facts), &json!({ "builtin": {} }));
        assert_eq!(of(&said, ConditionType::Ready).0, "True");
        assert_eq!(of(&said, ConditionType::Available).0, "True");
    }
}

#[test]
fn s7_a_failed_fetch_is_said_with_its_reason_while_old_pods_serve() {
    let trouble = Trouble {
        reason: Reason::DigestMismatch,
        message: "pod tools-1: not the pinned file".to_owned(),
    };
    let facts = Facts {
        updated: 1,
        replicas: 3,
        fetch: Fetch::Failed(trouble),
        ..settled()
    };
    let said = say(Some(&facts), &json!({ "huggingFace": {} }));
    assert_eq!(
        of(&said, ConditionType::ModelAvailable),
        words(("False", "DigestMismatch"))
    );
    assert_eq!(of(&said, ConditionType::Ready).0, "True");
    let alone = Facts {
        available: 0,
        ready: 0,
        ..facts
    };
    let said = say(Some(&alone), &json!({ "huggingFace": {} }));
    assert_eq!(
        of(&said, ConditionType::Ready),
        words(("False", "DigestMismatch"))
    );
}

#[test]
fn s6_a_condition_keeps_its_time_while_its_status_stays() {
    let before = say(Some(&settled()), &json!({ "builtin": {} }));
    let desired = desired(&json!({ "builtin": {} }));
    let facts = Facts {
        updated: 1,
        replicas: 3,
        ..settled()
    };
    let findings = Findings {
        generation: Some(4),
        verdict: Verdict::valid(&[]),
        paused: false,
        waiting: false,
        desired: Some(&desired),
        facts: Some(&facts),
        reach: Reach::Yes,
        now: "2026-02-02T00:00:00Z".to_owned(),
    };
    let now = status("tools", &findings, &before);
    for condition in &now.conditions {
        let turned = condition.type_ == "Progressing";
        assert_eq!(
            condition.last_transition_time.starts_with("2026-02"),
            turned,
            "{}",
            condition.type_
        );
    }
}

#[test]
fn r14_a_paused_resource_is_reported_and_a_wrong_one_keeps_serving() {
    let desired = desired(&json!({ "builtin": {} }));
    let facts = settled();
    let mut findings = Findings {
        generation: Some(3),
        verdict: Verdict::valid(&[]),
        paused: true,
        waiting: false,
        desired: Some(&desired),
        facts: Some(&facts),
        reach: Reach::Unknown,
        now: "2026-01-01T00:00:00Z".to_owned(),
    };
    let said = status("tools", &findings, &ToolSearchProxyStatus::default());
    assert_eq!(
        of(&said, ConditionType::Progressing),
        words(("Unknown", "Paused"))
    );
    findings.paused = false;
    findings.desired = None;
    findings.verdict = Verdict {
        reason: Reason::InvalidSpec,
        message: "wrong".to_owned(),
    };
    let said = status("tools", &findings, &ToolSearchProxyStatus::default());
    assert_eq!(
        of(&said, ConditionType::Accepted),
        words(("False", "InvalidSpec"))
    );
    assert_eq!(of(&said, ConditionType::Available).0, "True");
    assert_eq!(
        of(&said, ConditionType::Ready),
        words(("False", "InvalidSpec"))
    );
}

#[test]
fn s2_every_reason_is_explained_in_the_troubleshooting_page() {
    let page = include_str!("../../../docs/troubleshooting.md");
    for reason in Reason::ALL {
        assert!(
            page.contains(&format!("\n### {}\n", reason.as_str())),
            "{} is not explained",
            reason.as_str()
        );
    }
}
