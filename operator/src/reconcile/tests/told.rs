//! What people are told: Events once, and never what is secret.

use super::*;

#[tokio::test]
async fn s8_the_same_event_twice_is_one_that_counts() {
    let server = Server::default();
    let tools = tools(&server);
    let one = resource(&json!({}), None);
    let applied = Applied {
        made: vec!["Service tools".to_owned()],
        ..Applied::default()
    };
    let none = ToolSearchProxyStatus::default();
    for _ in 0..3 {
        tools.journal.tell(&one, &none, &none, &applied).await;
    }
    let methods: Vec<String> = server
        .events()
        .iter()
        .map(|(method, _)| method.to_string())
        .collect();
    assert_eq!(methods, ["POST", "PATCH", "PATCH"]);
}

#[tokio::test]
async fn s8_what_changed_is_told_in_its_own_words() {
    let server = Server::default();
    let tools = tools(&server);
    // Of one reason, and each with other words: the second is no repetition of the first.
    for spec in [
        json!({ "catalog": { "ttl": "0s" } }),
        json!({ "limits": { "maxBody": "1B" } }),
    ] {
        let status = server.status();
        let status = (!status.is_null()).then_some(status);
        let one = resource(&spec, status.as_ref());
        reconcile(&one, &tools).await.unwrap();
    }
    let told = server.events();
    let notes: Vec<_> = told
        .iter()
        .filter(|(method, event)| method == "POST" && event["reason"] == "InvalidSpec")
        .map(|(_, event)| event["note"].as_str().unwrap_or_default().to_owned())
        .collect();
    let about: Vec<_> = notes.iter().map(|note| note.split(' ').next()).collect();
    assert!(
        about.starts_with(&[Some("spec.catalog.ttl")])
            && about.ends_with(&[Some("spec.limits.maxBody")]),
        "{told:?}"
    );
}

#[tokio::test]
async fn s8_at_rest_no_event_is_written_and_a_mistake_is_told_once() {
    let server = Server::default();
    let tools = tools(&server);
    let wrong = json!({ "catalog": { "ttl": "0s" } });
    reconcile(&resource(&wrong, None), &tools).await.unwrap();
    let told = server.events();
    let of = |reason: &str| {
        told.iter()
            .filter(|(_, event)| event["reason"] == reason)
            .count()
    };
    assert!(of("InvalidSpec") > 0, "{told:?}");
    let status = server.status();
    reconcile(&resource(&wrong, Some(&status)), &tools)
        .await
        .unwrap();
    assert_eq!(server.events().len(), told.len());
}

#[tokio::test]
async fn s10_what_is_secret_in_a_spec_is_in_no_status_and_no_event() {
    for (spec, reason) in [
        (
            json!({ "upstream": { "url": "https://gateway.example/mcp?key=canary-query" } }),
            "Valid",
        ),
        (
            json!({ "upstream": { "url": "https://gateway.example:0x/mcp?key=canary-query" } }),
            "InvalidSpec",
        ),
        (
            json!({ "upstream": { "url": "https://gateway.example/mcp?key=canary-query" }, "catalog": { "ttl": "0s" } }),
            "InvalidSpec",
        ),
    ] {
        let server = Server::default();
        reconcile(&resource(&spec, None), &tools(&server))
            .await
            .unwrap();
        assert_eq!(said(&server, "Accepted").1, reason, "{spec}");
        let told = format!("{} {:?}", server.status(), server.events());
        assert!(!told.contains("canary"), "{told}");
    }
}
