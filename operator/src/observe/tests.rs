//! Facts are read off what the API server has; an init container's last line becomes a reason.

use serde_json::{Value, json};

use super::*;

fn pod(name: &str, hash: &str, created: &str, status: &Value) -> Pod {
    serde_json::from_value(json!({
        "metadata": { "name": name, "labels": { "pod-template-hash": hash }, "creationTimestamp": created },
        "status": status,
    }))
    .unwrap()
}

fn ended(code: i32, message: &str) -> Value {
    json!({ "initContainerStatuses": [{
        "name": "fetch-model", "image": "", "imageID": "", "ready": false, "restartCount": 1,
        "state": { "waiting": { "reason": "CrashLoopBackOff" } },
        "lastState": { "terminated": { "exitCode": code, "message": message } },
    }] })
}

const OLD: &str = "2026-01-01T00:00:00Z";
const NEW: &str = "2026-01-02T00:00:00Z";

#[test]
fn s7_every_exit_of_the_fetch_has_its_reason() {
    for (code, word, reason) in [
        (3, "DigestMismatch", Reason::DigestMismatch),
        (4, "NoSpace", Reason::NoSpace),
        (5, "Unauthorized", Reason::Unauthorized),
        (6, "Timeout", Reason::Timeout),
        (7, "Unreachable", Reason::Unreachable),
        (8, "NotFound", Reason::NotFound),
        (9, "Tls", Reason::Tls),
        (10, "Folder", Reason::FetchFailed),
        (137, "", Reason::FetchFailed),
    ] {
        let line = format!("{{\"reason\":\"{word}\",\"message\":\"because\"}}");
        let line = if word.is_empty() {
            String::new()
        } else {
            format!("noise\n{line}\n")
        };
        let pods = [
            pod("tools-old", "a", OLD, &json!({})),
            pod("tools-new", "b", NEW, &ended(code, &line)),
        ];
        let Fetch::Failed(trouble) = facts(&Deployment::default(), &pods).fetch else {
            panic!("{code}");
        };
        assert_eq!(trouble.reason, reason);
        assert!(
            trouble.message.starts_with("pod tools-new: "),
            "{}",
            trouble.message
        );
    }
}

#[test]
fn pods_of_an_older_template_do_not_count() {
    let pods = [
        pod("tools-old", "a", OLD, &ended(3, "")),
        pod("tools-new", "b", NEW, &json!({})),
    ];
    assert_eq!(facts(&Deployment::default(), &pods).fetch, Fetch::Unknown);
}

#[test]
fn a_verified_fetch_tells_its_digest() {
    let status = json!({ "initContainerStatuses": [{
        "name": "fetch-model", "image": "", "imageID": "", "ready": true, "restartCount": 0,
        "state": { "terminated": { "exitCode": 0, "message": "{\"reason\":\"Fetched\",\"manifest\":\"sha256:ab\"}" } },
    }] });
    let found = facts(&Deployment::default(), &[pod("p", "a", OLD, &status)]).fetch;
    assert_eq!(found, Fetch::Done(Some("sha256:ab".to_owned())));
}

#[test]
fn troubles_of_a_pod_have_words() {
    let waiting = |reason: &str| {
        json!({ "containerStatuses": [{
            "name": "proxy", "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": { "waiting": { "reason": reason, "message": "so it is" } },
        }] })
    };
    for (word, reason) in [
        ("ImagePullBackOff", Some(Reason::ImagePull)),
        ("CrashLoopBackOff", Some(Reason::CrashLoop)),
        ("CreateContainerConfigError", Some(Reason::CrashLoop)),
        ("PodInitializing", None),
    ] {
        let found = facts(
            &Deployment::default(),
            &[pod("p", "a", OLD, &waiting(word))],
        )
        .trouble;
        assert_eq!(found.map(|trouble| trouble.reason), reason, "{word}");
    }
    let unplaced = json!({ "conditions": [{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes",
    }] });
    let found = facts(&Deployment::default(), &[pod("p", "a", OLD, &unplaced)])
        .trouble
        .unwrap();
    assert_eq!(found.reason, Reason::InsufficientSurge);
}

#[test]
fn an_old_pod_that_comes_back_does_not_hide_the_trouble_of_the_new_ones() {
    let marked = |name: &str, hash: &str, created: &str, status: &Value| {
        let mut pod = pod(name, hash, created, status);
        pod.metadata.annotations = Some([(TEMPLATE_HASH.to_owned(), hash.to_owned())].into());
        pod
    };
    let deployment: Deployment = serde_json::from_value(json!({ "spec": {
        "selector": {}, "template": { "metadata": { "annotations": { TEMPLATE_HASH: "b" } } },
    } }))
    .unwrap();
    let fine = json!({ "initContainerStatuses": [{
        "name": "fetch-model", "image": "", "imageID": "", "ready": true, "restartCount": 0,
        "state": { "terminated": { "exitCode": 0, "message": "{\"reason\":\"Fetched\"}" } },
    }] });
    let pods = [
        marked("tools-new", "b", OLD, &ended(3, "")),
        marked("tools-old-again", "a", NEW, &fine),
    ];
    let Fetch::Failed(trouble) = facts(&deployment, &pods).fetch else {
        panic!("the old pod's fetch counts");
    };
    assert_eq!(trouble.reason, Reason::DigestMismatch);
}
