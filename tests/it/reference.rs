//! Generated pages are fresh, and settings mean the same to whoever renders and whoever reads them.

use std::path::Path;

use serde_json::json;
use toolsearch_telemetry::reference::{Description, page};
use toolsearch_tests::Running;
use toolsearch_tests::fake::{self, Fake};

/// What is registered, by name, with the labels of a family that has been counted in.
fn descriptions(registry: &prometheus::Registry) -> Vec<Description> {
    let families = registry.gather();
    let described = families.iter().map(|family| {
        let labels = family.get_metric().first();
        let labels = labels.map(|metric| {
            metric
                .get_label()
                .iter()
                .map(|label| label.name().to_owned())
                .collect()
        });
        Description {
            name: family.name().to_owned(),
            labels: labels.unwrap_or_default(),
            help: family.help().to_owned(),
        }
    });
    described.collect()
}

#[tokio::test]
async fn the_page_of_metrics_is_fresh() {
    let tools = r#"[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":"a","inputSchema":{}}]"#;
    let fake = Fake::modern(tools, |_| fake::Answer::Broken).await;
    let running = Running::start(&fake.url, &["--max-callers", "1"]).await;
    // Families with labels show when they have counted something.
    running
        .client()
        .call("call_read_tool", json!({"name": "a"}))
        .await;
    running
        .client()
        .call("search_tools", json!({"query": "a"}))
        .await;
    running
        .client()
        .post(&[("accept", "text/html")], String::new())
        .await;
    let described = descriptions(&running.registry);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/metrics.md");
    expect_test::expect_file![file].assert_eq(&page(&described));
}
