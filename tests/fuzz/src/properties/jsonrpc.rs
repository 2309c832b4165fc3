//! What is read of a message, in either direction, is passed on byte for byte.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::caller::Callers;
use crate::endpoint::{self, Element, Field, Request, RoutingHeaders, Sorted, sort};
use crate::pieces::ways;
use crate::protocol::{Broken, Event, Id, Key, Members, Revision, Scan};
use crate::repair::Kind;
use crate::tools;
use crate::upstream::{self, Answer};

/// The id of the request that answers are read for.
const ID: u64 = 7;

/// Panics where it is not so.
pub fn hold(body: &[u8]) {
    for headers in [RoutingHeaders::default(), legacy(), agreeing(body)] {
        match sort(&headers, body) {
            Ok(Sorted::Single(request)) => requested(&request, body),
            Ok(Sorted::Batch(elements)) => batch(&elements, body),
            Ok(Sorted::Quiet) => (),
            Err(failure) => {
                assert_eq!(failure.status, 400);
                let id = failure.id.as_ref().map_or("", Id::get);
                assert!(contains(body, id.as_bytes()));
            }
        }
    }
    answered(body);
    scanned(body);
}

fn legacy() -> RoutingHeaders {
    RoutingHeaders {
        version: Field::One(Revision::LATEST_LEGACY.as_str().to_owned()),
        ..RoutingHeaders::default()
    }
}

/// The headers that repeat what the body says, so that modern requests too are let in.
fn agreeing(body: &[u8]) -> RoutingHeaders {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |pointer: &str| match body.pointer(pointer).and_then(Value::as_str) {
        Some(text) => Field::One(text.to_owned()),
        None => Field::Absent,
    };
    RoutingHeaders {
        version: text("/params/_meta/io.modelcontextprotocol~1protocolVersion"),
        method: text("/method"),
        name: text("/params/name"),
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}

fn batch(elements: &[Element], body: &[u8]) {
    let sent: Vec<&RawValue> = serde_json::from_slice(body).unwrap_or_default();
    assert_eq!(elements.len(), sent.len());
    for (element, sent) in elements.iter().zip(sent) {
        if let Element::Request(request) = element {
            assert!(!request.revision.is_modern());
            requested(request, sent.get().as_bytes());
        }
    }
}

/// Id and params are the bytes that came, and so is what goes up of them.
fn requested(request: &Request, message: &[u8]) {
    let members: Members = serde_json::from_slice(message).unwrap_or_default();
    assert_eq!(members.get("id").map(RawValue::get), Some(request.id.get()));
    let params = request.params.as_deref();
    let sent = members.get("params").map(RawValue::get);
    assert_eq!(
        sent.filter(|sent| *sent != "null"),
        params.map(RawValue::get)
    );
    let called = params.and_then(Members::read).unwrap_or_default();
    let Some(arguments) = called.get("arguments") else {
        return;
    };
    let Some((name, given, is_mended)) = tools::call(arguments) else {
        return;
    };
    assert!(given.get().starts_with('{'), "{given}");
    // What came as an object within an object, and not in a text, is not written anew.
    let is_plain = arguments.get().starts_with('{') && !is_mended && given.get() != "{}";
    assert!(
        !is_plain || contains(message, given.get().as_bytes()),
        "{given}"
    );
    goes_up(&name, &given);
}

fn goes_up(name: &str, arguments: &RawValue) {
    let Ok(callers) = Callers::new() else { return };
    let caller = callers.identify(None);
    for is_modern in [true, false] {
        let params = http::HeaderMap::new();
        let call = upstream::call(is_modern, &caller, name, arguments, params);
        let Some((_, body)) = call else {
            panic!("{arguments} cannot be sent");
        };
        let body: Members = serde_json::from_slice(&body).unwrap_or_default();
        let params = body.get("params").and_then(Members::read);
        let params = params.unwrap_or_default();
        let sent = params.get("arguments").map(RawValue::get);
        assert_eq!(sent, Some(arguments.get()));
        let sent = params.get("name").map(RawValue::get);
        assert_eq!(sent, Some(Value::from(name).to_string().as_str()));
    }
}

/// The result of an answer is the bytes that came; so are its members in any caller's form of it.
fn answered(frame: &[u8]) {
    let Some(answers) = upstream::answers(frame, ID) else {
        return;
    };
    for answer in answers {
        match answer {
            Answer::Result(result) => {
                assert!(contains(frame, result.get().as_bytes()));
                for revision in Revision::ALL {
                    converted(result, revision);
                }
                noted(result);
            }
            Answer::Error(error) => {
                let data = error.data.as_deref().map_or("", RawValue::get);
                assert!(contains(frame, data.as_bytes()));
                let again = serde_json::to_string(&error).unwrap_or_default();
                assert!(contains(again.as_bytes(), data.as_bytes()));
            }
            Answer::Other => (),
        }
    }
}

fn converted(result: &RawValue, revision: Revision) {
    let converted = endpoint::result_for(result.to_owned(), revision);
    let again = endpoint::result_for(converted.clone(), revision);
    assert_eq!(converted.get(), again.get(), "{result} for {revision:?}");
    let (Some(before), Some(after)) = (Members::read(result), Members::read(&converted)) else {
        assert_eq!(converted.get(), result.get());
        return;
    };
    let asks = before.get("resultType").map(RawValue::get) == Some(r#""input_required""#);
    let changed = ["content", "_meta"];
    for (name, value) in after.0 {
        let name = name.name();
        let same =
            |(other, old): &(Key, Box<RawValue>)| other.name() == name && old.get() == value.get();
        let is_kept = asks || changed.contains(&name) || before.0.iter().any(same);
        assert!(is_kept, "{result} for {revision:?}: {converted}");
    }
}

fn noted(result: &RawValue) {
    let noted = tools::noted(result.to_owned(), &[Kind::Wrapper]);
    let (before, after) = (Members::read(result), Members::read(&noted));
    let others = |members: Option<Members>| {
        let members = members.unwrap_or_default().0.into_iter();
        let others = members.filter(|(name, _)| name.name() != "_meta");
        others
            .map(|(name, value)| (name.name().to_owned(), value.get().to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(others(before), others(after), "{noted}");
}

/// A text in pieces has the members that it has at once.
fn scanned(text: &[u8]) {
    let whole = members_of(&[text]);
    for pieces in ways(text) {
        assert_eq!(members_of(&pieces), whole);
    }
    if let Ok(members) = serde_json::from_slice::<Members>(text) {
        let members = members.0.into_iter();
        let members: Vec<_> = members
            .map(|(name, value)| (name.name().to_owned(), value.get().as_bytes().to_vec()))
            .collect();
        assert_eq!(whole, Ok((members, true)));
    }
}

type Scanned = (Vec<(String, Vec<u8>)>, bool);

/// Each member's name and bytes, and whether the object was closed.
fn members_of(pieces: &[&[u8]]) -> Result<Scanned, Broken> {
    let (mut scan, mut members, mut is_done) = (Scan::default(), Vec::new(), false);
    let mut within: Option<(String, Vec<u8>)> = None;
    for mut piece in pieces.iter().copied() {
        while !piece.is_empty() {
            let (read, event) = scan.step(piece)?;
            if let Some((_, value)) = &mut within {
                value.extend_from_slice(&piece[..read]);
            }
            piece = &piece[read..];
            match event {
                Event::More | Event::Closing => (),
                Event::Value(name) => within = Some((name, Vec::new())),
                Event::ValueEnd => members.extend(within.take()),
                Event::Done => is_done = true,
            }
        }
    }
    Ok((members, is_done))
}
