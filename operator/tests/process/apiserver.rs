//! An API server of a few lines behind a real socket: objects in a map, watches that stay silent.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

#[derive(Debug, Default)]
struct Memory {
    /// By plural and name: one namespace is enough.
    objects: BTreeMap<(String, String), Value>,
    /// Every request, as method or `WATCH`, plural and name, in the order of their coming.
    asked: Vec<String>,
    /// Every write that was answered, in the same words.
    written: Vec<String>,
    /// Plurals of which every write fails.
    failing: BTreeSet<&'static str>,
    /// Plurals of which no write is answered before the gate opens.
    held: BTreeSet<&'static str>,
    /// Whether others keep Secrets and `ConfigMap`s here.
    is_crowded: bool,
}

/// How many Secrets others keep here, and as many `ConfigMap`s.
pub(crate) const OTHERS: usize = 5_000;
/// What is in each of them: little beside a Helm release.
pub(crate) const BYTES: usize = 8 << 10;

/// The server; ends with the test's runtime.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    address: SocketAddr,
    memory: Arc<Mutex<Memory>>,
    gate: watch::Sender<bool>,
}

impl Server {
    /// One with resources of these names.
    pub(crate) async fn start(names: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            memory: Arc::default(),
            gate: watch::Sender::new(false),
        };
        for name in names {
            let resource = json!({
                "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy",
                "metadata": { "name": name, "namespace": "agents", "uid": format!("uid-{name}"), "generation": 7 },
                "spec": { "upstream": { "url": "https://gateway.example/mcp" } },
            });
            server.put("toolsearchproxies", name, resource);
        }
        let app = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        server
    }

    /// What names it to a client.
    pub(crate) fn kubeconfig(&self) -> String {
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "fake",
            "clusters": [{ "name": "fake", "cluster": { "server": format!("http://{}", self.address) } }],
            "users": [{ "name": "fake", "user": {} }],
            "contexts": [{ "name": "fake", "context": { "cluster": "fake", "user": "fake" } }],
        })
        .to_string()
    }

    /// Fails at every write of this plural.
    pub(crate) fn fail(&self, plural: &'static str) {
        self.lock().failing.insert(plural);
    }

    /// Answers no write of this plural before [`Self::open`].
    pub(crate) fn hold(&self, plural: &'static str) {
        self.lock().held.insert(plural);
    }

    /// Others keep Secrets and `ConfigMap`s here, with no label that anybody selects by.
    #[cfg(target_os = "linux")]
    pub(crate) fn crowd(&self) {
        self.lock().is_crowded = true;
    }

    /// Puts an object there.
    pub(crate) fn put(&self, plural: &str, name: &str, object: Value) {
        let key = (plural.to_owned(), name.to_owned());
        self.lock().objects.insert(key, object);
    }

    /// Lets go what is held.
    pub(crate) fn open(&self) {
        self.gate.send_replace(true);
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.lock().asked.clone()
    }

    pub(crate) fn written(&self) -> Vec<String> {
        self.lock().written.clone()
    }

    /// Who holds the lease; `None` where there is none.
    pub(crate) fn holder(&self, lease: &str) -> Option<Value> {
        let key = ("leases".to_owned(), lease.to_owned());
        let lease = self.lock().objects.get(&key).cloned()?;
        Some(lease["spec"]["holderIdentity"].clone())
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }
}

async fn answer(State(server): State<Server>, method: Method, uri: Uri, body: Bytes) -> Response {
    let (plural, name) = place(uri.path());
    if uri.query().unwrap_or_default().contains("watch=") {
        server.lock().asked.push(format!("WATCH {plural}"));
        return Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()).into_response();
    }
    let request = format!("{method} {plural} {name}");
    server.lock().asked.push(request.clone());
    let is_list = method == Method::GET && name.is_empty();
    let is_crowded =
        ["secrets", "configmaps"].contains(&plural.as_str()) && server.lock().is_crowded;
    let is_selected = uri.query().unwrap_or_default().contains("labelSelector=");
    if is_list && is_crowded && !is_selected {
        return crowd().into_response();
    }
    let is_held = server.lock().held.contains(plural.as_str());
    if method != Method::GET && is_held {
        let mut gate = server.gate.subscribe();
        assert!(gate.wait_for(|open| *open).await.is_ok());
    }
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let (code, answer) = server.lock().handle(&method, plural, name, body);
    if method != Method::GET {
        server.lock().written.push(request);
    }
    (code, answer.to_string()).into_response()
}

/// All that others keep here of one kind.
fn crowd() -> String {
    let content = "QUFB".repeat(BYTES / 3);
    let items: Vec<String> = (0..OTHERS)
        .map(|number| {
            format!(
                r#"{{"metadata":{{"name":"other-{number}","namespace":"others","uid":"other-{number}"}},"data":{{"release":"{content}"}}}}"#
            )
        })
        .collect();
    let items = items.join(",");
    format!(
        r#"{{"apiVersion":"v1","kind":"List","metadata":{{"resourceVersion":"1"}},"items":[{items}]}}"#
    )
}

impl Memory {
    fn handle(
        &mut self,
        method: &Method,
        plural: String,
        name: String,
        mut body: Value,
    ) -> (StatusCode, Value) {
        if *method != Method::GET && self.failing.contains(plural.as_str()) {
            return failure(StatusCode::INTERNAL_SERVER_ERROR, "InternalError");
        }
        if *method == Method::GET && name.is_empty() {
            let of = self.objects.iter().filter(|((of, _), _)| *of == plural);
            let items: Vec<Value> = of.map(|(_, object)| object.clone()).collect();
            return (
                StatusCode::OK,
                json!({ "apiVersion": "v1", "kind": "List", "metadata": { "resourceVersion": "1" }, "items": items }),
            );
        }
        let name = match body["metadata"]["name"].as_str() {
            Some(named) if name.is_empty() => named.to_owned(),
            _ => name,
        };
        let key = (plural, name);
        match *method {
            Method::GET => match self.objects.get(&key) {
                Some(object) => (StatusCode::OK, object.clone()),
                None => failure(StatusCode::NOT_FOUND, "NotFound"),
            },
            Method::DELETE => {
                self.objects.remove(&key);
                (
                    StatusCode::OK,
                    json!({ "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Success" }),
                )
            }
            _ => {
                let object = self.objects.entry(key).or_insert_with(|| json!({}));
                lay_over(object, body.take());
                (StatusCode::OK, object.clone())
            }
        }
    }
}

/// Members of the upper win, `null` included: what is unset reads as `null`.
fn lay_over(object: &mut Value, upper: Value) {
    match (object, upper) {
        (Value::Object(object), Value::Object(upper)) => {
            for (key, value) in upper {
                lay_over(object.entry(key).or_insert(Value::Null), value);
            }
        }
        (object, upper) => *object = upper,
    }
}

fn failure(code: StatusCode, reason: &str) -> (StatusCode, Value) {
    (
        code,
        json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
            "code": code.as_u16(), "reason": reason, "message": "not today",
        }),
    )
}

/// Plural and name of a path; no name: all of them.
fn place(path: &str) -> (String, String) {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let group = if parts[0] == "apis" { 3 } else { 2 };
    let rest = parts.get(group..).unwrap_or_default();
    let rest = match rest {
        ["namespaces", _, inside @ ..] if !inside.is_empty() => inside,
        all => all,
    };
    let part = |at: usize| rest.get(at).copied().unwrap_or_default().to_owned();
    (part(0), part(1))
}
