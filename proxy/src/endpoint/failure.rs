//! What does a client see of an inner error? The one place that decides.

use http::HeaderValue;

use crate::endpoint::ladder::Request;
use crate::protocol::{ErrorObject, Id, Revision, challenge, code};
use crate::upstream::Error;

/// Everything that may leave the endpoint other than a result.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The request it is about; `None` where that could not be read.
    pub id: Option<Id>,
    /// The HTTP status it leaves with.
    pub status: u16,
    /// The JSON-RPC error it leaves as.
    pub error: ErrorObject,
    /// `WWW-Authenticate` lines of the upstream's, in the resource's own terms.
    pub challenges: Vec<HeaderValue>,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
    /// A static name for metrics.
    pub kind: &'static str,
}

impl Failure {
    /// A JSON-RPC error with the status that the error catalogue gives it.
    pub(super) const fn rpc(status: u16, error: ErrorObject, kind: &'static str) -> Self {
        Self {
            id: None,
            status,
            error,
            challenges: Vec::new(),
            retry_after: None,
            kind,
        }
    }

    /// A caller has too much under way: it alone waits.
    pub(super) fn too_many(most: usize, kind: &'static str, setting: &str) -> Self {
        let message = format!(
            "nothing was called: this credential has {most} requests of this kind under way, the most it may \
             have at once ({setting}); wait until one has ended, or for the seconds of Retry-After, and send \
             this one again"
        );
        Self {
            retry_after: Some(1),
            ..Self::rpc(429, ErrorObject::new(429, message), kind)
        }
    }

    pub(super) fn about(mut self, id: &Id) -> Self {
        self.id = Some(id.clone());
        self
    }

    /// The one challenge that several answers come to: the first 401, or else the scopes of all.
    #[must_use]
    pub fn challenge<'a>(failures: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let failures: Vec<_> = failures
            .filter(|failure| matches!(failure.status, 401 | 403))
            .collect();
        let unauthorized = failures.iter().find(|failure| failure.status == 401);
        if let Some(unauthorized) = unauthorized {
            return Some((*unauthorized).clone());
        }
        let lines = failures.iter().flat_map(|failure| &failure.challenges);
        let challenges = challenge::union(&lines.cloned().collect::<Vec<_>>());
        let first = (*failures.first()?).clone();
        Some(Self {
            challenges,
            ..first
        })
    }

    /// No such method, or one of the other era.
    pub(super) fn method_not_found(request: &Request) -> Self {
        let modern = request.revision.is_modern();
        let message = if modern && request.method == "initialize" {
            format!(
                "{} has no initialize; older versions: {}",
                Revision::LATEST.as_str(),
                legacy_versions()
            )
        } else {
            "this server has tools only: the method is not known".to_owned()
        };
        let status = if modern { 404 } else { 200 };
        Self::rpc(
            status,
            ErrorObject::new(code::METHOD_NOT_FOUND, message),
            "method_not_found",
        )
    }

    /// The process ends before the call did; another replica, or this one after its restart, can
    /// be asked again.
    #[must_use]
    pub fn shutting_down(id: &Id) -> Self {
        let message = "the proxy is shutting down and gave up this call; whether it was carried out is not known";
        Self::rpc(
            200,
            ErrorObject::new(code::INTERNAL, message),
            "shutting_down",
        )
        .about(id)
    }
}

fn legacy_versions() -> String {
    let legacy = Revision::ALL
        .into_iter()
        .filter(|revision| !revision.is_modern());
    legacy.map(Revision::as_str).collect::<Vec<_>>().join(", ")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (kind, retry_after) = (error.kind(), error.retry_seconds());
        match error {
            Error::Unauthorized { challenges } => {
                // Codes from -32768 to -32000 are not ours to mint; the status says it all.
                let error =
                    ErrorObject::new(401, "the server behind the proxy asks for authorization");
                Self {
                    id: None,
                    status: 401,
                    error,
                    challenges,
                    retry_after: None,
                    kind,
                }
            }
            Error::Forbidden { challenges, .. } => {
                let error = ErrorObject::new(
                    403,
                    "the credential lacks a scope that the server behind the proxy asks for",
                );
                Self {
                    id: None,
                    status: 403,
                    error,
                    challenges,
                    retry_after: None,
                    kind,
                }
            }
            Error::Rpc(error) if error.code == code::MISSING_CAPABILITY => {
                Self::rpc(400, error, "missing_capability")
            }
            other => Self {
                retry_after,
                ..Self::rpc(
                    200,
                    ErrorObject::new(code::INTERNAL, other.to_string()),
                    kind,
                )
            },
        }
    }
}
