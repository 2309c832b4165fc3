//! An API server of a few lines: it keeps what is applied and writes every request down.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tower::Layer as _;

use crate::client::Counted;
use crate::metrics::Metrics;

type Key = (String, String);

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<Key, Value>,
    status: Value,
    writes: Vec<(String, Value)>,
    missing: BTreeSet<String>,
    refusals: BTreeMap<String, (u16, String)>,
    hangs: bool,
    /// Objects about which nothing is ever answered.
    stuck: BTreeSet<String>,
    /// How long each answer takes.
    pace: Duration,
    /// Events, with the method that they came by.
    events: Vec<(Method, Value)>,
    /// What watches have not told yet, by plural.
    news: BTreeMap<String, String>,
    /// What was asked, as verb, group and resource.
    asked: BTreeSet<String>,
}

impl State {
    fn tell(&mut self, plural: &str, name: &str) {
        let key = (plural.to_owned(), name.to_owned());
        let mut object = self.objects.get(&key).cloned().unwrap_or_default();
        object["metadata"]["resourceVersion"] = "2".into();
        let line = json!({ "type": "MODIFIED", "object": object });
        let news = self.news.entry(plural.to_owned()).or_default();
        news.push_str(&format!("{line}\n"));
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Server(Arc<Mutex<State>>, Arc<Notify>);

impl Server {
    pub(crate) fn client(&self) -> Client {
        let state = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let state = state.clone();
            async move { Ok::<_, std::convert::Infallible>(state.answer(request).await) }
        });
        Client::new(service, "agents")
    }

    /// A client whose requests are counted, as those of the program are.
    pub(crate) fn counted(&self, metrics: &Metrics) -> Client {
        let state = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let state = state.clone();
            async move { Ok::<_, std::convert::Infallible>(state.answer(request).await) }
        });
        Client::new(Counted(metrics.clone()).layer(service), "agents")
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let [_, _, name, _] = place(parts.uri.path());
        let (hangs, pace) = {
            let state = self.lock();
            (state.hangs || state.stuck.contains(&name), state.pace)
        };
        if hangs {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(pace).await;
        let is_watch = parts.uri.query().unwrap_or_default().contains("watch=");
        self.note(&parts.method, parts.uri.path(), is_watch);
        if is_watch {
            let [_, plural, ..] = place(parts.uri.path());
            let news = self.news(&plural).await;
            return Response::new(Body::from(news.into_bytes()));
        }
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let (code, answer) = self.handle(&parts.method, parts.uri.path(), body);
        let code = StatusCode::from_u16(code).unwrap();
        Response::builder()
            .status(code)
            .body(Body::from(answer.to_string().into_bytes()))
            .unwrap()
    }

    /// What a watch answers, once there is something to tell.
    async fn news(&self, plural: &str) -> String {
        loop {
            let told = self.1.notified();
            if let Some(news) = self.lock().news.remove(plural) {
                return news;
            }
            told.await;
        }
    }

    /// Tells those who watch that an object is another one now.
    pub(crate) fn tell(&self, plural: &str, name: &str) {
        self.lock().tell(plural, name);
        self.1.notify_waiters();
    }

    /// Writes down which right a request needs.
    fn note(&self, method: &Method, path: &str, is_watch: bool) {
        let [group, plural, name, below] = place(path);
        let mut state = self.lock();
        let is_new = !state.objects.contains_key(&(plural.clone(), name.clone()));
        let verbs: &[&str] = match *method {
            Method::GET if is_watch => &["watch"],
            Method::GET if name.is_empty() => &["list"],
            Method::GET => &["get"],
            Method::POST => &["create"],
            Method::DELETE => &["delete"],
            // To apply what is not there yet is to create it.
            Method::PATCH if is_new && below.is_empty() && plural != "events" => {
                &["create", "patch"]
            }
            Method::PATCH => &["patch"],
            _ => &["update"],
        };
        let below = if below.is_empty() {
            below
        } else {
            format!("/{below}")
        };
        for verb in verbs {
            state
                .asked
                .insert(format!("{verb} {group}/{plural}{below}"));
        }
    }

    /// Every right that was needed.
    pub(crate) fn asked(&self) -> BTreeSet<String> {
        self.lock().asked.clone()
    }

    pub(crate) fn forget_asked(&self) {
        self.lock().asked.clear();
    }

    fn handle(&self, method: &Method, path: &str, body: Value) -> (u16, Value) {
        let [_, plural, name, _] = place(path);
        let mut state = self.lock();
        if plural == "events" {
            state.events.push((method.clone(), body.clone()));
            return (201, body);
        }
        if method != Method::GET {
            state.writes.push((path.to_owned(), body.clone()));
        }
        if state.missing.contains(&plural) {
            // Of a kind that it does not know a server says so in no JSON object.
            return (404, "404 page not found".into());
        }
        if path.ends_with("/status") {
            state.status = body["status"].clone();
            if let Some(object) = state.objects.get_mut(&(plural.clone(), name.clone())) {
                object["status"] = body["status"].clone();
                state.tell(&plural, &name);
                self.1.notify_waiters();
            }
            let metadata = json!({ "name": name, "namespace": "agents" });
            let spec = json!({ "upstream": { "url": "https://gateway.example/mcp" } });
            return (
                200,
                json!({ "apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy", "metadata": metadata, "spec": spec }),
            );
        }
        if method != Method::GET
            && let Some((code, message)) = state.refusals.get(&plural)
        {
            return failure(*code, message);
        }
        let key = (plural.clone(), name.clone());
        match *method {
            Method::GET if name.is_empty() => {
                let items: Vec<Value> = state
                    .objects
                    .iter()
                    .filter(|((of, _), _)| *of == plural)
                    .map(|(_, object)| object.clone())
                    .collect();
                (
                    200,
                    json!({ "apiVersion": "v1", "kind": "List", "metadata": { "resourceVersion": "1" }, "items": items }),
                )
            }
            Method::GET => match state.objects.get(&key) {
                Some(object) => (200, object.clone()),
                None => failure(404, "not found"),
            },
            Method::DELETE => {
                state.objects.remove(&key);
                (
                    200,
                    json!({ "apiVersion": "v1", "kind": "Status", "status": "Success", "code": 200 }),
                )
            }
            _ => {
                let entry = state.objects.entry(key).or_insert_with(|| json!({}));
                let before = entry["spec"].clone();
                merge(entry, &body);
                // Only what a test has given one counts on.
                if let Some(generation) = entry["metadata"]["generation"].as_i64()
                    && entry["spec"] != before
                {
                    entry["metadata"]["generation"] = (generation + 1).into();
                }
                entry["metadata"]["uid"] = format!("{plural}-{name}").into();
                (200, entry.clone())
            }
        }
    }

    pub(crate) fn status(&self) -> Value {
        self.lock().status.clone()
    }

    pub(crate) fn writes(&self) -> Vec<String> {
        self.lock()
            .writes
            .iter()
            .map(|(path, _)| path.clone())
            .collect()
    }

    pub(crate) fn bodies(&self, plural: &str) -> Vec<Value> {
        let state = self.lock();
        let all = state
            .writes
            .iter()
            .filter(|(path, _)| path.contains(&format!("/{plural}/")));
        all.map(|(_, body)| body.clone()).collect()
    }

    pub(crate) fn forget_writes(&self) {
        self.lock().writes.clear();
    }

    pub(crate) fn object(&self, plural: &str, name: &str) -> Value {
        let state = self.lock();
        state
            .objects
            .get(&(plural.to_owned(), name.to_owned()))
            .cloned()
            .unwrap_or_default()
    }

    pub(crate) fn put(&self, plural: &str, name: &str, object: Value) {
        self.lock()
            .objects
            .insert((plural.to_owned(), name.to_owned()), object);
    }

    pub(crate) fn remove(&self, plural: &str, name: &str) {
        self.lock()
            .objects
            .remove(&(plural.to_owned(), name.to_owned()));
    }

    pub(crate) fn change(&self, plural: &str, name: &str, change: impl FnOnce(&mut Value)) {
        let mut state = self.lock();
        change(
            state
                .objects
                .get_mut(&(plural.to_owned(), name.to_owned()))
                .unwrap(),
        );
    }

    pub(crate) fn lacks(&self, plural: &str) {
        self.lock().missing.insert(plural.to_owned());
    }

    pub(crate) fn refuse(&self, plural: &str, code: u16, message: &str) {
        self.lock()
            .refusals
            .insert(plural.to_owned(), (code, message.to_owned()));
    }

    /// Never answers about an object of this name.
    pub(crate) fn stick(&self, name: &str) {
        self.lock().stuck.insert(name.to_owned());
    }

    pub(crate) fn slow_down(&self, pace: Duration) {
        self.lock().pace = pace;
    }

    pub(crate) fn events(&self) -> Vec<(Method, Value)> {
        self.lock().events.clone()
    }

    pub(crate) fn hang(&self) {
        self.lock().hangs = true;
    }
}

/// Group, plural, name and subresource of a path.
fn place(path: &str) -> [String; 4] {
    let mut parts = path.trim_start_matches('/').split('/').peekable();
    let group = match parts.next() {
        Some("apis") => parts.next().unwrap_or_default(),
        _ => "",
    };
    let _version = parts.next();
    if parts.peek() == Some(&"namespaces") {
        let _namespace = parts.nth(1);
    }
    let mut next = || parts.next().unwrap_or_default().to_owned();
    [group.to_owned(), next(), next(), next()]
}

fn failure(code: u16, message: &str) -> (u16, Value) {
    let reason = if code == 404 { "NotFound" } else { "Failure" };
    (
        code,
        json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {},
            "status": "Failure", "code": code, "message": message, "reason": reason,
        }),
    )
}

/// Members of the patch win; lists are replaced, which is enough for one manager.
fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}
