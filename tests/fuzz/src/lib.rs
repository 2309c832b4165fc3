//! Which of the proxy's sources are fuzzed? Its pure middle, compiled from the very files, without the
//! rest of the proxy: the search engine and the HTTP stack would take minutes to build like this.
//!
//! The modules stand here where they stand in the proxy, so that what is private there is reached
//! from its parent. What must hold of them is in `properties`.

mod case;
mod made;
mod pieces;
pub mod properties;

use proxy::{caller, endpoint, fold, protocol, repair, server, spans, tools, upstream, validate};

#[expect(
    dead_code,
    unused_imports,
    reason = "the properties use less of it than the proxy does"
)]
#[path = "../../../proxy/src"]
mod proxy {
    pub(crate) mod caller;
    pub(crate) mod fold;
    pub(crate) mod protocol;
    pub(crate) mod repair;
    pub(crate) mod spans;
    pub(crate) mod validate;

    pub(crate) mod endpoint {
        mod envelope;
        mod failure;
        mod ladder;
        mod legacy;

        use serde_json::value::RawValue;

        use crate::protocol::Revision;

        pub use failure::Failure;
        pub use ladder::{Element, Field, Request, RoutingHeaders, Sorted, sort};

        /// The form of a result for a caller of this revision.
        pub(crate) fn result_for(result: Box<RawValue>, revision: Revision) -> Box<RawValue> {
            legacy::convert(result, revision)
        }
    }

    pub(crate) mod server {
        mod headers;
        mod policy;

        use http::{HeaderMap, HeaderValue};

        use crate::endpoint::RoutingHeaders;

        pub use policy::Policy;

        pub(crate) fn routing(headers: &HeaderMap) -> RoutingHeaders {
            headers::routing(headers)
        }

        pub(crate) fn credential(headers: &mut HeaderMap) -> Result<Option<HeaderValue>, ()> {
            headers::take_authorization(headers)
        }

        /// Whether the body is JSON, and which forms of an answer are taken: JSON, a stream.
        pub(crate) fn forms(headers: &HeaderMap) -> (bool, bool, bool) {
            let accepts = headers::accepts(headers);
            (headers::is_json(headers), accepts.json, accepts.stream)
        }
    }

    pub(crate) mod tools {
        mod arguments;
        mod mended;

        use serde_json::value::RawValue;

        use crate::repair::Kind;

        /// Name and arguments of a call, and whether anything was mended to come by them.
        pub(crate) fn call(arguments: &RawValue) -> Option<(String, Box<RawValue>, bool)> {
            let members = arguments::Members::read(Some(arguments)).ok()?;
            let given = members.into_call().ok()?;
            Some((given.name, given.arguments, !given.mended.is_empty()))
        }

        pub(crate) fn noted(result: Box<RawValue>, kinds: &[Kind]) -> Box<RawValue> {
            mended::noted(result, kinds)
        }
    }

    pub(crate) mod upstream {
        mod error;
        mod flow;
        mod framing;
        mod header_value;
        mod lane;
        mod message;
        mod request;
        mod resume;

        use std::sync::Arc;

        use bytes::Bytes;
        use http::{HeaderMap, HeaderValue};
        use serde_json::value::RawValue;

        use crate::caller::Caller;
        use crate::protocol::{ErrorObject, HeaderParam, Revision};
        use framing::{Body, Framer};
        use lane::{Lane, Session};
        use request::{Content, Method};

        pub use error::Error;

        /// The messages of a body that comes in these pieces; `None` where one is beyond the limit.
        pub(crate) fn messages(
            is_stream: bool,
            pieces: &[&[u8]],
            limit: usize,
        ) -> Option<Vec<Vec<u8>>> {
            let body = if is_stream {
                Body::EventStream
            } else {
                Body::Json
            };
            let (mut framer, mut messages) = (Framer::new(body, limit), Vec::new());
            for piece in pieces {
                framer.push(piece).ok()?;
                messages.extend(std::iter::from_fn(|| framer.next()));
            }
            messages.extend(framer.finish());
            Some(messages)
        }

        /// The message that is under way at the end of `held`, whose rest flows from these pieces;
        /// `None` where none is, or where its end does not come.
        pub(crate) fn flowed(held: &[u8], pieces: &[&[u8]]) -> Option<Vec<u8>> {
            let mut framer = Framer::new(Body::EventStream, usize::MAX);
            framer.push(held).ok()?;
            while framer.next().is_some() {}
            let (mut message, mut flow) = (framer.begun()?, framer.flow());
            for piece in pieces {
                message.extend_from_slice(&flow.push(Bytes::copy_from_slice(piece)).ok()?);
            }
            flow.is_over().then_some(message)
        }

        /// What a message says to a request, as far as it is an answer to it.
        pub(crate) enum Answer<'a> {
            Result(&'a RawValue),
            Error(ErrorObject),
            Other,
        }

        pub(crate) fn answers(frame: &[u8], id: u64) -> Option<Vec<Answer<'_>>> {
            let messages = message::read(frame, id).ok()?.into_iter();
            let answers = messages.map(|message| match message {
                message::Message::Result(result) => Answer::Result(result),
                message::Message::Error(error) => Answer::Error(error),
                _ => Answer::Other,
            });
            Some(answers.collect())
        }

        /// Headers and body of a call in either era.
        pub(crate) fn call(
            is_modern: bool,
            caller: &Caller,
            name: &str,
            arguments: &RawValue,
            params: HeaderMap,
        ) -> Option<(HeaderMap, Vec<u8>)> {
            let lane = if is_modern {
                Lane::Modern
            } else {
                Lane::Legacy(Arc::new(Session {
                    id: None,
                    revision: Revision::LATEST_LEGACY,
                    instructions: None,
                }))
            };
            let content = Content {
                name: Some(name),
                arguments: Some(arguments),
                params,
                ..Content::default()
            };
            let call = request::compose(Some(&lane), caller, Method::Call, &content, 7).ok()?;
            Some((call.headers, call.body))
        }

        pub(crate) fn header_text(text: &str) -> HeaderValue {
            header_value::text(text)
        }

        pub(crate) fn header_params(wanted: &[HeaderParam], arguments: &RawValue) -> HeaderMap {
            header_value::params(wanted, arguments)
        }
    }
}
