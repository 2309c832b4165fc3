//! What is this message, and by which rules is it answered? Pure: headers and body in, a request
//! or a failure out, checked in the order of the specification (2026-07-28, streamable HTTP).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::endpoint::envelope::{self, Envelope, Meta};
use crate::endpoint::failure::Failure;
use crate::protocol::{ErrorObject, Id, Revision, code};

/// A routing header: what it says, or why it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Field {
    /// Not sent.
    #[default]
    Absent,
    /// Sent once, blanks trimmed.
    One(String),
    /// Sent twice, or with characters that a header must not have.
    Malformed,
}

/// The headers that repeat what the body says; checked against it, never trusted alone.
#[derive(Debug, Clone, Default)]
pub struct RoutingHeaders {
    /// `MCP-Protocol-Version`.
    pub version: Field,
    /// `Mcp-Method`.
    pub method: Field,
    /// `Mcp-Name`.
    pub name: Field,
}

/// A request that passed the ladder.
#[derive(Debug)]
pub struct Request {
    /// Echoed as it came.
    pub id: Id,
    /// The method's name.
    pub method: String,
    /// `params`, as they came.
    pub params: Option<Box<RawValue>>,
    /// The revision it is answered by.
    pub revision: Revision,
    /// Its metadata.
    pub envelope: Envelope,
}

/// One element of a batch.
#[derive(Debug)]
pub enum Element {
    /// To be answered.
    Request(Request),
    /// A notification or a response: nothing to answer.
    Quiet,
    /// Answered with this error.
    Failure(Failure),
}

/// What a POST holds.
#[derive(Debug)]
pub enum Sorted {
    /// One request.
    Single(Request),
    /// A batch of 2025-03-26.
    Batch(Vec<Element>),
    /// Notifications or responses only: 202.
    Quiet,
}

/// Elements of a batch.
const MOST_ELEMENTS: usize = 100;

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(default)]
    jsonrpc: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Tells a member that is null from one that is absent.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Sorts a POST body.
///
/// # Errors
/// The failure that the first broken rule of the ladder gives.
pub fn sort(headers: &RoutingHeaders, body: &[u8]) -> Result<Sorted, Failure> {
    let message: &RawValue = serde_json::from_slice(body).map_err(|_| {
        let error = ErrorObject::new(code::PARSE, "the body is not JSON in UTF-8");
        Failure::rpc(400, error, "parse")
    })?;
    if message.get().starts_with('[') {
        return batch(headers, message);
    }
    match wire(message)? {
        None => Ok(Sorted::Quiet),
        Some((id, wire)) => request(headers, &id, &wire)
            .map(Sorted::Single)
            .map_err(|failure| failure.about(&id)),
    }
}

/// Reads the shape of JSON-RPC; `None` for notifications and responses, which are never answered.
fn wire(message: &RawValue) -> Result<Option<(Id, Wire<'_>)>, Failure> {
    let wire = serde_json::from_str::<Wire<'_>>(message.get())
        .ok()
        .filter(|_| message.get().starts_with('{'));
    let wire = wire.filter(|wire| wire.jsonrpc.as_deref() == Some("2.0"));
    let wire =
        wire.ok_or_else(|| invalid("the message is no JSON-RPC 2.0 object with each member once"))?;
    match (wire.method.map(RawValue::get), wire.id) {
        (None, _) if wire.result.is_some() || wire.error.is_some() => Ok(None),
        (Some(method), None) if method.starts_with('"') => Ok(None),
        (Some(method), Some(id)) if method.starts_with('"') => {
            let id = Id::from_raw(id.to_owned())
                .ok_or_else(|| invalid("the id must be a string or an integer"))?;
            Ok(Some((id, wire)))
        }
        _ => Err(invalid("the method must be a string")),
    }
}

fn batch(headers: &RoutingHeaders, message: &RawValue) -> Result<Sorted, Failure> {
    let elements: Vec<&RawValue> =
        serde_json::from_str(message.get()).map_err(|_| invalid("not a batch"))?;
    let revision = match &headers.version {
        Field::Absent => Revision::V2025_03_26,
        Field::One(version) => match Revision::parse(version) {
            Some(revision @ (Revision::V2024_11_05 | Revision::V2025_03_26)) => revision,
            _ => {
                return Err(invalid(
                    "batches exist in 2025-03-26 only: send one message a request",
                ));
            }
        },
        Field::Malformed => {
            return Err(mismatch("MCP-Protocol-Version is sent twice or malformed"));
        }
    };
    if elements.is_empty() || elements.len() > MOST_ELEMENTS {
        return Err(invalid(&format!(
            "a batch has 1 to {MOST_ELEMENTS} messages"
        )));
    }
    let mut sorted = Vec::with_capacity(elements.len());
    for element in elements {
        sorted.push(match wire(element) {
            Ok(None) => Element::Quiet,
            Err(failure) => Element::Failure(failure),
            Ok(Some((id, wire))) => {
                let request = legacy(&id, &wire, revision);
                if request.method == "initialize" || meta(&wire).contains_key(envelope::VERSION) {
                    return Err(invalid(
                        "initialize, and requests with metadata of their own, are sent alone",
                    ));
                }
                Element::Request(request)
            }
        });
    }
    let quiet = sorted
        .iter()
        .all(|element| matches!(element, Element::Quiet));
    Ok(if quiet {
        Sorted::Quiet
    } else {
        Sorted::Batch(sorted)
    })
}

fn request(headers: &RoutingHeaders, id: &Id, wire: &Wire<'_>) -> Result<Request, Failure> {
    if headers.version == Field::Malformed {
        return Err(mismatch("MCP-Protocol-Version is sent twice or malformed"));
    }
    let meta = meta(wire);
    let Some(claim) = meta.get(envelope::VERSION) else {
        return without_claim(headers, id, wire);
    };
    let Ok(claim) = serde_json::from_str::<String>(claim.get()) else {
        return Err(malformed(&format!(
            "{:?} must be a string",
            envelope::VERSION
        )));
    };
    let revision = Revision::parse(&claim);
    if revision.is_some_and(|revision| !revision.is_modern()) {
        return Err(unsupported(&claim));
    }
    if headers.version != Field::One(claim.clone()) {
        return Err(mismatch(
            "MCP-Protocol-Version is missing or differs from the version in _meta",
        ));
    }
    let envelope = Envelope::read_modern(&meta).map_err(|problem| malformed(&problem))?;
    let revision = revision.ok_or_else(|| unsupported(&claim))?;
    let method = method(wire);
    routed(headers, &method, wire)?;
    Ok(Request {
        id: id.clone(),
        method,
        params: wire.params.map(ToOwned::to_owned),
        revision,
        envelope,
    })
}

fn without_claim(headers: &RoutingHeaders, id: &Id, wire: &Wire<'_>) -> Result<Request, Failure> {
    let revision = match &headers.version {
        Field::One(version) => Revision::parse(version).ok_or_else(|| unsupported(version))?,
        // No header means the revision that had none (2025-06-18, transports).
        Field::Absent | Field::Malformed => Revision::V2025_03_26,
    };
    match (revision.is_modern(), method(wire).as_str()) {
        (false, _) => Ok(legacy(id, wire, revision)),
        (true, "initialize") => Err(mismatch(
            "initialize belongs to older versions than MCP-Protocol-Version says",
        )),
        (true, _) => Err(malformed(&format!(
            "params._meta lacks {:?}",
            envelope::VERSION
        ))),
    }
}

fn legacy(id: &Id, wire: &Wire<'_>, revision: Revision) -> Request {
    let envelope = Envelope::read(&meta(wire));
    let params = wire.params.map(ToOwned::to_owned);
    Request {
        id: id.clone(),
        method: method(wire),
        params,
        revision,
        envelope,
    }
}

/// Checks the headers that repeat method and name.
fn routed(headers: &RoutingHeaders, method: &str, wire: &Wire<'_>) -> Result<(), Failure> {
    if headers.method != Field::One(method.to_owned()) {
        return Err(mismatch(
            "Mcp-Method is missing, sent twice or differs from the method",
        ));
    }
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let named = member(wire, key).and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
    let header = match &headers.name {
        Field::One(text) => {
            decode(text).ok_or_else(|| mismatch("Mcp-Name is no valid base64 text"))?
        }
        Field::Absent | Field::Malformed => {
            return Err(mismatch(&format!(
                "Mcp-Name is missing or sent twice: it repeats params.{key}"
            )));
        }
    };
    if named.as_ref() != Some(&header) {
        return Err(mismatch(&format!("Mcp-Name differs from params.{key}")));
    }
    Ok(())
}

/// The text of a header value, out of the base64 sentinel where it stands in one.
fn decode(text: &str) -> Option<String> {
    let inner = text
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match inner {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(text.to_owned()),
    }
}

fn method(wire: &Wire<'_>) -> String {
    wire.method
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

fn member<'a>(wire: &Wire<'a>, name: &str) -> Option<&'a RawValue> {
    let params = wire.params?.get();
    let mut members: Meta<'a> = serde_json::from_str(params).ok()?;
    members.remove(name)
}

fn meta<'a>(wire: &Wire<'a>) -> Meta<'a> {
    let meta = member(wire, "_meta").and_then(|meta| serde_json::from_str(meta.get()).ok());
    meta.unwrap_or_default()
}

impl Request {
    /// Whether `params` hold a cursor.
    pub(super) fn has_cursor(&self) -> bool {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow, default)]
            cursor: Option<&'a RawValue>,
        }
        let params = self
            .params
            .as_deref()
            .and_then(|raw| serde_json::from_str::<Params<'_>>(raw.get()).ok());
        params.is_some_and(|params| params.cursor.is_some())
    }
}

fn invalid(message: &str) -> Failure {
    Failure::rpc(
        400,
        ErrorObject::new(code::INVALID_REQUEST, message),
        "invalid_request",
    )
}

fn malformed(message: &str) -> Failure {
    Failure::rpc(
        400,
        ErrorObject::new(code::INVALID_PARAMS, message),
        "bad_envelope",
    )
}

fn mismatch(message: &str) -> Failure {
    Failure::rpc(
        400,
        ErrorObject::new(code::HEADER_MISMATCH, message),
        "header_mismatch",
    )
}

fn unsupported(requested: &str) -> Failure {
    let requested: String = requested.chars().take(64).collect();
    let data = json!({ "supported": [Revision::LATEST.as_str()], "requested": requested });
    let message = format!(
        "the protocol version is not served; it is {}, or an older one by initialize",
        Revision::LATEST.as_str()
    );
    let error = ErrorObject {
        data: to_raw_value(&data).ok(),
        ..ErrorObject::new(code::UNSUPPORTED_VERSION, message)
    };
    Failure::rpc(400, error, "unsupported_version")
}

#[cfg(test)]
mod tests;
