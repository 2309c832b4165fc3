//! What does one HTTP request come to? The checks that need no body, then the endpoint's.

use std::sync::Arc;

use futures_util::stream::{StreamExt, iter};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use tokio::sync::{Semaphore, mpsc, watch};

use crate::caller::{Caller, Callers};
use crate::endpoint::{self, Element, Endpoint, Failure, Reply, Sorted};
use crate::server::body::Bodies;
use crate::server::config::Config;
use crate::server::headers::{self, Accepts};
use crate::server::policy::Policy;
use crate::server::respond::{self, Body};
use crate::server::state::State;
use crate::server::stream::{self, Calling, Exchange};
use crate::server::{cors, metadata};

/// The one route, with all that it needs.
#[derive(Debug)]
pub(super) struct Route {
    endpoint: Endpoint,
    callers: Callers,
    policy: Policy,
    bodies: Bodies,
    requests: Semaphore,
    state: watch::Sender<State>,
}

/// Where MCP is served.
pub const PATH: &str = "/mcp";
/// Progress notifications held for a client that reads slowly.
const PROGRESS: usize = 16;
/// Elements of one batch that are answered at once.
const AT_ONCE: usize = 8;

impl Route {
    pub(super) fn new(
        config: &Config,
        endpoint: Endpoint,
        callers: Callers,
        state: watch::Sender<State>,
    ) -> Self {
        let requests = Semaphore::new(config.max_requests);
        // As many half-read bodies as connections: none that could have a place is refused.
        let most = config.max_connections.max(config.max_requests);
        let bodies = Bodies::new(most, config.max_body);
        let policy = config.policy.clone();
        Self {
            endpoint,
            callers,
            policy,
            bodies,
            requests,
            state,
        }
    }

    /// Starts no more work of its own.
    pub(super) fn drain(&self) {
        self.endpoint.drain();
    }

    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let origin = parts.headers.get(header::ORIGIN).cloned();
        let is_metadata = self.endpoint.has_metadata_at(parts.uri.path());
        let refused = self.check_names(&parts);
        let mut response = match refused {
            Some(refused) => refused,
            None if is_metadata => {
                metadata::answer(&self.endpoint, &self.callers, &parts.method).await
            }
            None => match self.check(&parts) {
                Some(refused) => refused,
                None => self.post(parts, body).await,
            },
        };
        if let Some(origin) = origin.filter(|_| response.status() != StatusCode::FORBIDDEN) {
            cors::allow(response.headers_mut(), &origin);
        }
        response
    }

    /// Whether this host and this origin may be asked at all.
    fn check_names(&self, parts: &Parts) -> Option<Response<Body>> {
        let mut hosts = parts.headers.get_all(header::HOST).iter();
        let (first, second) = (hosts.next(), hosts.next());
        // Two would be read by whom they please; HTTP/1.1 has exactly one (RFC 9112, 3.2).
        let none = first.is_none() && parts.uri.authority().is_none();
        if second.is_some() || (none && parts.version == Version::HTTP_11) {
            return self.refuse(
                StatusCode::BAD_REQUEST,
                "host",
                "Host must be sent, and once",
            );
        }
        // A name in the request line counts like one in the header.
        let host = first.map(|host| host.to_str().unwrap_or("?"));
        let target = parts.uri.authority().map(http::uri::Authority::as_str);
        if !self.policy.allows_host(host) || !self.policy.allows_host(target) {
            return self.refuse(
                StatusCode::FORBIDDEN,
                "host",
                "this Host is not served; see allowed-hosts",
            );
        }
        let mut origins = parts.headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| {
            origin
                .to_str()
                .is_ok_and(|origin| self.policy.allows_origin(origin))
        }) {
            return self.refuse(
                StatusCode::FORBIDDEN,
                "origin",
                "this Origin may not call; see allowed-origins",
            );
        }
        None
    }

    /// The rules of HTTP, in the order of the specification's ladder.
    fn check(&self, parts: &Parts) -> Option<Response<Body>> {
        if parts.uri.path() != PATH {
            return self.refuse(StatusCode::NOT_FOUND, "path", "the MCP endpoint is /mcp");
        }
        if parts.method == Method::OPTIONS && parts.headers.contains_key(header::ORIGIN) {
            let mut response = respond::empty(StatusCode::NO_CONTENT);
            cors::preflight(response.headers_mut());
            return Some(response);
        }
        if parts.method != Method::POST {
            let mut refused = self.refuse(
                StatusCode::METHOD_NOT_ALLOWED,
                "method",
                "only POST is served: there are no sessions and no standalone streams",
            )?;
            refused
                .headers_mut()
                .insert(header::ALLOW, HeaderValue::from_static("POST"));
            return Some(refused);
        }
        if !headers::is_json(&parts.headers) {
            return self.refuse(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "content_type",
                "the Content-Type must be application/json",
            );
        }
        let Accepts { json, stream } = headers::accepts(&parts.headers);
        if !json && !stream {
            return self.refuse(
                StatusCode::NOT_ACCEPTABLE,
                "accept",
                "answers are application/json or text/event-stream",
            );
        }
        None
    }

    fn refuse(
        &self,
        status: StatusCode,
        kind: &'static str,
        message: &str,
    ) -> Option<Response<Body>> {
        self.endpoint.refused(kind);
        Some(respond::refusal(status, message))
    }

    async fn post(self: Arc<Self>, mut parts: Parts, body: Incoming) -> Response<Body> {
        let route = Arc::clone(&self);
        let Ok(authorization) = headers::take_authorization(&mut parts.headers) else {
            self.endpoint.refused("authorization");
            return respond::refusal(
                StatusCode::BAD_REQUEST,
                "Authorization is sent more than once",
            );
        };
        let caller = self.callers.identify(authorization);
        let body = match self.bodies.read(body).await {
            Ok(body) => body,
            Err(StatusCode::SERVICE_UNAVAILABLE) => {
                return self.busy("too many bodies are half sent");
            }
            Err(status) => {
                self.endpoint.refused("body");
                let message = format!(
                    "the body must be whole, in time and at most {} bytes",
                    self.bodies.most_bytes()
                );
                return respond::refusal(status, &message);
            }
        };
        // After the body: one that never ends holds no place of a request.
        let Ok(_permit) = self.requests.try_acquire() else {
            return self.busy("too many requests are under way");
        };
        let accepts = headers::accepts(&parts.headers);
        match endpoint::sort(&headers::routing(&parts.headers), &body) {
            Ok(Sorted::Quiet) => respond::empty(StatusCode::ACCEPTED),
            Ok(Sorted::Single(request)) => route.single(caller, request, accepts).await,
            Ok(Sorted::Batch(elements)) => route.batch(caller, elements, accepts).await,
            Err(failure) => {
                self.endpoint.refused(failure.kind);
                respond::failure(&failure)
            }
        }
    }

    fn busy(&self, message: &str) -> Response<Body> {
        self.endpoint.refused("busy");
        let mut busy = respond::refusal(StatusCode::SERVICE_UNAVAILABLE, message);
        busy.headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        busy
    }

    async fn single(
        &self,
        caller: Caller,
        request: endpoint::Request,
        accepts: Accepts,
    ) -> Response<Body> {
        let (sender, progress) = mpsc::channel(PROGRESS);
        let token = request
            .envelope
            .progress_token
            .clone()
            .filter(|_| accepts.stream);
        let sender = token.is_some().then_some(sender);
        let (id, modern) = (request.id.clone(), request.revision.is_modern());
        let endpoint = self.endpoint.clone();
        let calling = async move { endpoint.answer(&caller, &request, sender, true).await };
        let calling: Calling = if modern {
            // Dropped with the connection, which is how a modern client cancels.
            Box::pin(calling)
        } else {
            Box::pin(detached(id.clone(), calling))
        };
        let state = self.state.subscribe();
        stream::respond(Exchange {
            id,
            calling,
            progress,
            token,
            accepts,
            state,
        })
        .await
    }

    async fn batch(
        &self,
        caller: Caller,
        elements: Vec<Element>,
        accepts: Accepts,
    ) -> Response<Body> {
        let answers = iter(elements)
            .map(|element| self.element(&caller, element))
            .buffered(AT_ONCE);
        let answers: Vec<Option<Result<String, Failure>>> = answers.collect().await;
        let answers: Vec<Result<String, Failure>> = answers.into_iter().flatten().collect();
        let challenged = answers.iter().filter_map(|answer| answer.as_ref().err());
        if let Some(challenge) = Failure::challenge(challenged) {
            return respond::failure(&challenge);
        }
        let messages = answers.iter().map(|answer| match answer {
            Ok(message) => message.clone(),
            Err(failure) => respond::error(failure),
        });
        let batch = format!("[{}]", messages.collect::<Vec<_>>().join(","));
        if accepts.json {
            return respond::json(StatusCode::OK, batch);
        }
        respond::refusal(
            StatusCode::NOT_ACCEPTABLE,
            "a batch is answered with application/json",
        )
    }

    async fn element(&self, caller: &Caller, element: Element) -> Option<Result<String, Failure>> {
        match element {
            Element::Quiet => None,
            Element::Failure(failure) => Some(Err(failure)),
            Element::Request(request) => {
                let id = request.id.clone();
                let (endpoint, caller) = (self.endpoint.clone(), caller.clone());
                let calling = async move { endpoint.answer(&caller, &request, None, false).await };
                let answer = detached(id.clone(), calling).await;
                Some(answer.and_then(|reply| match reply {
                    Reply::Whole(result) => Ok(respond::success(&id, &result)),
                    // None is let flow here.
                    Reply::Long(_) => Err(Failure::shutting_down(&id)),
                }))
            }
        }
    }
}

/// Lets a call go on when its client goes away: to a legacy client, a connection that ends says
/// nothing about the call.
async fn detached(
    id: crate::protocol::Id,
    calling: impl Future<Output = Result<Reply, Failure>> + Send + 'static,
) -> Result<Reply, Failure> {
    let task = tokio::spawn(calling);
    task.await
        .unwrap_or_else(|_ended| Err(Failure::shutting_down(&id)))
}
