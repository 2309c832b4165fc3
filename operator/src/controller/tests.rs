//! The whole controller against the played API server: lists, watches that stay silent, reconciles.

mod rights;

use prometheus::Registry;
use prometheus::proto::MetricFamily;
use serde_json::{Value, json};

use super::*;
use crate::options::Defaults;
use crate::reconcile::tests::server::Server;
use crate::reconcile::tests::{resource, tools_counted};

pub(crate) fn options(concurrency: u16) -> Options {
    Options {
        defaults: Defaults {
            proxy_image: "registry.example/toolsearch:1".to_owned(),
            pull_policy: None,
            pull_secrets: Vec::new(),
        },
        namespaces: Vec::new(),
        instances: None,
        diagnostics: ([127, 0, 0, 1], 0).into(),
        lease: None,
        concurrency,
        resync: Duration::from_secs(600),
        rollout_delay: Duration::ZERO,
        qps: 20,
        burst: 40,
    }
}

fn put(server: &Server, name: &str, spec: &Value) {
    let mut one = serde_json::to_value(resource(&json!({}), None)).unwrap();
    one["metadata"]["name"] = name.into();
    one["metadata"]["uid"] = format!("uid-{name}").into();
    for (key, value) in spec.as_object().unwrap() {
        one["spec"][key] = value.clone();
    }
    server.put("toolsearchproxies", name, one);
}

/// Lets the controller run for so many seconds of a clock that jumps.
async fn run_for(server: &Server, registry: &Registry, concurrency: u16, seconds: u64) {
    let tools = tools_counted(server, registry);
    let stop: Stop = futures_util::FutureExt::shared(Box::pin(std::future::pending()));
    let options = options(concurrency);
    let running = run(server.client(), &options, tools, stop, Stores::default());
    let _ended = tokio::time::timeout(Duration::from_secs(seconds), running).await;
}

/// The value of a counter with this label.
fn counted(families: &[MetricFamily], name: &str, label: &str) -> f64 {
    let name = format!("toolsearch_operator_{name}");
    let family = families.iter().find(|family| family.name() == name);
    let metrics = family.into_iter().flat_map(MetricFamily::get_metric);
    metrics
        .filter(|metric| metric.get_label().iter().any(|pair| pair.value() == label))
        .map(|metric| metric.get_counter().get_value())
        .sum()
}

#[tokio::test(start_paused = true)]
async fn c13_an_object_that_cannot_be_read_is_counted_and_stops_nobody() {
    let (server, registry) = (Server::default(), Registry::new());
    let unreadable =
        json!({ "upstream": { "url": "https://g.example/mcp", "protocol": "quantum" } });
    put(&server, "newer", &unreadable);
    put(&server, "tools", &json!({}));
    run_for(&server, &registry, 4, 5).await;
    assert!(server.object("deployments", "tools").is_object());
    assert!(server.object("deployments", "newer").is_null());
    let families = registry.gather();
    assert!(counted(&families, "reconcile_errors_total", "unreadable") >= 1.0);
}

#[tokio::test(start_paused = true)]
async fn r10_one_that_hangs_does_not_hold_up_the_others() {
    let (server, registry) = (Server::default(), Registry::new());
    put(&server, "hung", &json!({}));
    server.stick("hung");
    for number in 0..5 {
        put(&server, &format!("tools-{number}"), &json!({}));
    }
    run_for(&server, &registry, 2, 10).await;
    for number in 0..5 {
        let made = server.object("deployments", &format!("tools-{number}"));
        assert!(
            made.is_object(),
            "tools-{number} waits for the one that hangs"
        );
    }
    assert!(server.object("deployments", "hung").is_null());
}

#[tokio::test(start_paused = true)]
async fn r12_a_conflict_is_another_try_and_no_error() {
    let (server, registry) = (Server::default(), Registry::new());
    put(&server, "tools", &json!({}));
    server.refuse("deployments", 409, "the object has been modified");
    run_for(&server, &registry, 1, 5).await;
    let families = registry.gather();
    assert!(counted(&families, "reconcile_total", "requeue") >= 2.0);
    assert!(counted(&families, "reconcile_total", "error") < 0.5);
    assert!(counted(&families, "reconcile_errors_total", "conflict") < 0.5);
}

#[tokio::test(start_paused = true)]
async fn m1_a_hundred_resources_fill_the_metrics_and_none_becomes_a_label() {
    let (server, registry) = (Server::default(), Registry::new());
    for number in 0..100 {
        put(&server, &format!("tools-{number}"), &json!({}));
    }
    // One that fails, and one object that somebody changes meanwhile.
    put(&server, "failing", &json!({}));
    server.stick("failing");
    let changing = async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        server.change("services", "tools-7", |body| {
            body["spec"]["ports"] = json!([]);
        });
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = run_for(&server, &registry, 8, 900) => {}
        () = changing => {}
    }
    let families = registry.gather();
    let names: Vec<&str> = families.iter().map(MetricFamily::name).collect();
    for name in [
        "reconcile_total",
        "reconcile_duration_seconds",
        "reconcile_errors_total",
        "reconciles_running",
        "leader",
        "managed_resources",
        "drift_corrections_total",
        "api_requests_total",
    ] {
        let name = format!("toolsearch_operator_{name}");
        assert!(names.contains(&name.as_str()), "{name} in {names:?}");
    }
    let series: usize = families
        .iter()
        .map(|family| family.get_metric().len())
        .sum();
    assert!(series < 100, "{series} series");
    assert!(!format!("{families:?}").contains("tools-7"));
}

#[tokio::test(start_paused = true)]
async fn r4_what_a_watch_tells_is_looked_at_whole_and_at_once() {
    let (server, registry) = (Server::default(), Registry::new());
    put(&server, "tools", &json!({}));
    let image = |server: &Server| {
        server.object("deployments", "tools")["spec"]["template"]["spec"]["containers"][0]["image"]
            .clone()
    };
    let changing = async {
        // Past the first looks, so that the next is one that rests.
        tokio::time::sleep(Duration::from_secs(100)).await;
        server.change("deployments", "tools", |body| {
            body["spec"]["template"]["spec"]["containers"][0]["image"] = "other".into();
        });
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(image(&server), "other", "nobody has told it yet");
        server.tell("deployments", "tools");
        tokio::time::sleep(Duration::from_secs(3)).await;
    };
    tokio::select! {
        () = run_for(&server, &registry, 1, 900) => panic!("the change takes too long"),
        () = changing => {}
    }
    assert_eq!(image(&server), "registry.example/toolsearch:1");
}
