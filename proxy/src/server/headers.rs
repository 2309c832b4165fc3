//! What do the headers say? Routing fields, credential, and which answers are acceptable.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::endpoint::{Field, RoutingHeaders};

/// Forms of an answer that the client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) stream: bool,
}

/// The fields that repeat what the body says.
pub(super) fn routing(headers: &HeaderMap) -> RoutingHeaders {
    RoutingHeaders {
        version: field(headers, "mcp-protocol-version"),
        method: field(headers, "mcp-method"),
        name: field(headers, "mcp-name"),
    }
}

/// The credential, taken out; an error when there are several.
pub(super) fn take_authorization(headers: &mut HeaderMap) -> Result<Option<HeaderValue>, ()> {
    let several = headers
        .get_all(header::AUTHORIZATION)
        .iter()
        .nth(1)
        .is_some();
    let first = headers.remove(header::AUTHORIZATION);
    if several { Err(()) } else { Ok(first) }
}

/// Whether the body is said to be JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let kind = value
        .to_str()
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// Reads `Accept` leniently: none at all means both, and one of the two is enough.
pub(super) fn accepts(headers: &HeaderMap) -> Accepts {
    let values = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let ranges: Vec<String> = values
        .flat_map(|value| value.split(','))
        .filter(|range| !refused(range))
        .map(|range| {
            range
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_lowercase()
        })
        .collect();
    if ranges.is_empty() && !headers.contains_key(header::ACCEPT) {
        return Accepts {
            json: true,
            stream: true,
        };
    }
    let any = |kinds: &[&str]| ranges.iter().any(|range| kinds.contains(&range.as_str()));
    Accepts {
        json: any(&["*/*", "application/*", "application/json"]),
        stream: any(&["*/*", "text/*", "text/event-stream"]),
    }
}

/// `q=0` means "not this".
fn refused(range: &str) -> bool {
    let quality = range
        .split(';')
        .skip(1)
        .find_map(|parameter| parameter.trim().strip_prefix("q="));
    quality.is_some_and(|quality| quality.trim().parse::<f32>().is_ok_and(|q| q == 0.0))
}

fn field(headers: &HeaderMap, name: &'static str) -> Field {
    let mut values = headers.get_all(HeaderName::from_static(name)).iter();
    match (values.next(), values.next()) {
        (None, _) => Field::Absent,
        (Some(value), None) => match value.to_str() {
            Ok(text) => Field::One(text.trim_matches([' ', '\t']).to_owned()),
            Err(_) => Field::Malformed,
        },
        (Some(_), Some(_)) => Field::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{Accepts, Field, accepts, is_json, routing, take_authorization};

    fn map(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn accept_is_read_leniently() {
        for (value, json, stream) in [
            (None, true, true),
            (Some("*/*"), true, true),
            (Some("application/json, text/event-stream"), true, true),
            (Some("application/json"), true, false),
            (Some("text/event-stream;q=0.9"), false, true),
            (Some("Application/JSON; charset=utf-8"), true, false),
            (Some("text/html"), false, false),
            (Some("application/json;q=0, text/event-stream"), false, true),
            (Some(""), false, false),
        ] {
            let pairs: Vec<_> = value.into_iter().map(|value| ("accept", value)).collect();
            assert_eq!(accepts(&map(&pairs)), Accepts { json, stream }, "{value:?}");
        }
    }

    #[test]
    fn a_field_sent_twice_is_malformed() {
        let headers = map(&[
            ("mcp-method", " tools/list "),
            ("mcp-name", "a"),
            ("mcp-name", "a"),
        ]);
        let routing = routing(&headers);
        assert_eq!(routing.method, Field::One("tools/list".to_owned()));
        assert_eq!(
            (routing.name, routing.version),
            (Field::Malformed, Field::Absent)
        );
        let mut two = map(&[("authorization", "Bearer a"), ("authorization", "Bearer b")]);
        assert!(take_authorization(&mut two).is_err());
        assert!(!two.contains_key("authorization"));
    }

    #[test]
    fn content_types() {
        for (value, expected) in [
            ("application/json", true),
            ("application/json; charset=utf-8", true),
            ("text/plain", false),
        ] {
            assert_eq!(is_json(&map(&[("content-type", value)])), expected);
        }
        assert!(!is_json(&map(&[])));
    }
}
