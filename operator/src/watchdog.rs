//! Are the watches alive? What this process believes is compared with what the API server has: a
//! watch that went silent without an error shows as an old version of an object.

use std::collections::HashMap;
use std::time::Duration;

use kube::api::ListParams;
use kube::{Api, Client, ResourceExt as _};
use tokio::time::{Instant, sleep, timeout};
use toolsearch_crds::ToolSearchProxy;
use toolsearch_telemetry::Lifecycle;

use crate::controller::Stores;

const EVERY: Duration = Duration::from_secs(60);
/// An object may be behind for as long as this before the watch counts as stuck.
const PATIENCE: Duration = Duration::from_secs(600);
const DEADLINE: Duration = Duration::from_secs(15);

/// Compares for ever; a stuck watch makes the process look dead, so that it is started anew.
pub(crate) async fn watch(
    client: Client,
    namespaces: Vec<String>,
    selector: Option<String>,
    stores: Stores,
    lifecycle: Lifecycle,
) {
    let mut fine = Instant::now();
    loop {
        sleep(EVERY).await;
        let mut parameters = ListParams::default();
        if let Some(selector) = &selector {
            parameters = parameters.labels(selector);
        }
        // Without an answer nothing is known of the watches: the API server's outage is not ours.
        let Some(there) = versions(&client, &namespaces, &parameters).await else {
            fine = Instant::now();
            continue;
        };
        let here = shown(&stores);
        if is_current(&there, &here) {
            fine = Instant::now();
        }
        let alive = fine.elapsed() < PATIENCE;
        if !alive {
            tracing::error!(
                "a watch is stuck: what it shows is older than what the API server has"
            );
        }
        lifecycle.set_alive(alive);
    }
}

/// The version of every resource, as the watches show it.
fn shown(stores: &Stores) -> HashMap<String, String> {
    let all = stores.all().into_iter();
    all.filter_map(|object| Some((object.uid()?, object.resource_version()?)))
        .collect()
}

/// Whether what the watches show is what the API server has.
fn is_current(there: &[(String, String)], here: &HashMap<String, String>) -> bool {
    there
        .iter()
        .all(|(uid, version)| here.get(uid) == Some(version))
}

async fn versions(
    client: &Client,
    namespaces: &[String],
    parameters: &ListParams,
) -> Option<Vec<(String, String)>> {
    let apis: Vec<Api<ToolSearchProxy>> = if namespaces.is_empty() {
        vec![Api::all(client.clone())]
    } else {
        namespaces
            .iter()
            .map(|name| Api::namespaced(client.clone(), name))
            .collect()
    };
    let mut found = Vec::new();
    for api in apis {
        let list = timeout(DEADLINE, api.list_metadata(parameters))
            .await
            .ok()?
            .ok()?;
        found.extend(
            list.items
                .iter()
                .filter_map(|object| Some((object.uid()?, object.resource_version()?))),
        );
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::reconcile::tests::server::Server;

    /// A cluster with one resource that no watch has shown.
    fn unseen() -> (Server, Lifecycle) {
        let server = Server::default();
        let metadata =
            json!({ "name": "tools", "namespace": "agents", "uid": "a", "resourceVersion": "5" });
        server.put(
            "toolsearchproxies",
            "tools",
            json!({ "metadata": metadata }),
        );
        (server, Lifecycle::default())
    }

    async fn alive_after(server: &Server, lifecycle: &Lifecycle, seconds: u64) -> bool {
        let watching = watch(
            server.client(),
            Vec::new(),
            None,
            Stores::default(),
            lifecycle.clone(),
        );
        let _ended = timeout(Duration::from_secs(seconds), watching).await;
        lifecycle.is_alive()
    }

    #[tokio::test(start_paused = true)]
    async fn a4_a_watch_that_stays_behind_makes_the_process_look_dead() {
        let (server, lifecycle) = unseen();
        assert!(
            alive_after(&server, &lifecycle, 500).await,
            "it may be behind for a while"
        );
        let (server, lifecycle) = unseen();
        assert!(!alive_after(&server, &lifecycle, 800).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a4_an_api_server_without_an_answer_is_no_stuck_watch() {
        let (server, lifecycle) = unseen();
        server.hang();
        assert!(alive_after(&server, &lifecycle, 2000).await);
    }

    #[test]
    fn a4_an_old_version_and_a_missing_object_show() {
        let pair = |uid: &str, version: &str| (uid.to_owned(), version.to_owned());
        let here: HashMap<_, _> = [pair("a", "5"), pair("b", "7")].into();
        assert!(
            is_current(&[pair("a", "5")], &here),
            "one that is gone there is no sign"
        );
        assert!(!is_current(&[pair("a", "6")], &here));
        assert!(!is_current(&[pair("c", "1")], &here));
    }
}
