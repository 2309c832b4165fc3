//! A header never says another thing than the body, and what is written into one is read back as
//! what it was. The bytes are lines of headers, a body and a tool's definition, with empty lines between.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::endpoint::{Field, RoutingHeaders, Sorted, sort};
use crate::protocol::{HeaderType, Revision, Tool, challenge};
use crate::server::{self, Policy};
use crate::upstream;

const VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
/// What a client is told instead of the upstream's own.
const METADATA: &str = "https://proxy.example.com/.well-known/oauth-protected-resource/mcp";

/// Panics where it is not so.
pub fn hold(data: &[u8]) {
    let mut parts = data;
    let mut next = || {
        let end = parts.windows(2).position(|pair| pair == b"\n\n");
        let part = &parts[..end.unwrap_or(parts.len())];
        parts = parts.get(part.len() + 2..).unwrap_or_default();
        part
    };
    let (mut headers, body, tool) = (map(next()), next(), next());
    agrees(&server::routing(&headers), body);
    names_itself(body);
    params(tool, body);
    challenges(&headers);
    let (_, json, stream) = server::forms(&headers);
    assert!(headers.contains_key(header::ACCEPT) || (json && stream));
    loopback(&headers);
    let sent = headers.get_all(header::AUTHORIZATION).iter().count();
    let taken = server::credential(&mut headers);
    assert_eq!(
        taken.map(|one| one.iter().count()),
        if sent > 1 { Err(()) } else { Ok(sent) }
    );
    assert!(!headers.contains_key(header::AUTHORIZATION));
}

/// What of these lines can stand in a request at all.
fn map(lines: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name), HeaderValue::from_bytes(value))
        {
            headers.append(name, value);
        }
    }
    headers
}

/// A request that is let in is the one that its headers name.
fn agrees(headers: &RoutingHeaders, sent: &[u8]) {
    let Ok(Sorted::Single(request)) = sort(headers, sent) else {
        return;
    };
    let body: Value = serde_json::from_slice(sent).unwrap_or_default();
    assert_eq!(body["method"], request.method);
    let claim = body.pointer(VERSION);
    let Field::One(version) = &headers.version else {
        let is_old = headers.version == Field::Absent && request.revision == Revision::V2025_03_26;
        assert!(is_old && claim.is_none());
        return;
    };
    assert_eq!(version, request.revision.as_str());
    assert_eq!(claim.is_some(), request.revision.is_modern());
    if request.revision.is_modern() {
        assert_eq!(claim, Some(&Value::from(version.as_str())));
        assert_eq!(headers.method, Field::One(request.method.clone()));
        let named = match request.method.as_str() {
            "tools/call" => &body["params"]["name"],
            _ => return,
        };
        let Field::One(name) = &headers.name else {
            panic!("a name that is not said in the header");
        };
        assert_eq!(*named, read_back(name));
        contradicted(headers, sent);
    }
}

/// A request that was let in is refused with any one of its headers saying another thing.
fn contradicted(headers: &RoutingHeaders, body: &[u8]) {
    type Pick = fn(&mut RoutingHeaders) -> &mut Field;
    let fields: [Pick; 3] = [
        |headers| &mut headers.version,
        |headers| &mut headers.method,
        |headers| &mut headers.name,
    ];
    for field in fields {
        let mut others = vec![Field::Absent, Field::Malformed];
        if let Field::One(text) = field(&mut headers.clone()) {
            others.push(Field::One(format!("{text}x")));
            // As long as the right one.
            let mut text: Vec<char> = text.chars().collect();
            if let Some(last) = text.last_mut() {
                *last = if *last == 'x' { 'y' } else { 'x' };
                others.push(Field::One(text.into_iter().collect()));
            }
        }
        for other in others {
            let mut headers = headers.clone();
            *field(&mut headers) = other;
            assert!(sort(&headers, body).is_err(), "{headers:?}");
        }
    }
}

fn read_back(value: &str) -> String {
    let encoded = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    let Some(encoded) = encoded else {
        return value.to_owned();
    };
    let text = STANDARD
        .decode(encoded)
        .ok()
        .and_then(|text| String::from_utf8(text).ok());
    text.unwrap_or_else(|| panic!("{value} is no text"))
}

/// No line ends, no other signs than visible ASCII with single blanks within.
fn legal(value: &HeaderValue) -> &str {
    let text = value
        .to_str()
        .unwrap_or_else(|_| panic!("{value:?} is no ASCII"));
    assert!(
        text.bytes().all(|byte| matches!(byte, b' '..=b'~')),
        "{text:?}"
    );
    assert_eq!(text.trim(), text, "a recipient trims it");
    text
}

/// Any text as a tool's name: written into a header as the proxy writes it, it is let in by the
/// proxy's own check.
fn names_itself(text: &[u8]) {
    let name = String::from_utf8_lossy(text);
    let header = upstream::header_text(&name);
    assert_eq!(read_back(legal(&header)), name);
    let version = Revision::LATEST.as_str();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": name, "arguments": {}, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut headers = HeaderMap::new();
    headers.insert("mcp-protocol-version", HeaderValue::from_static(version));
    headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
    headers.insert("mcp-name", header);
    let sorted = sort(&server::routing(&headers), body.to_string().as_bytes());
    assert!(matches!(sorted, Ok(Sorted::Single(_))), "{name:?}");
}

/// Arguments that are repeated in headers read back as the arguments, under names of their own.
fn params(tool: &[u8], arguments: &[u8]) {
    let read = |json| serde_json::from_slice::<Box<RawValue>>(json).ok();
    let (Some(tool), Some(arguments)) = (read(tool), read(arguments)) else {
        return;
    };
    let Ok(tool) = Tool::parse(tool) else { return };
    let headers = upstream::header_params(&tool.header_params, &arguments);
    let value: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
    assert!(headers.len() <= tool.header_params.len());
    for (name, _) in &headers {
        assert!(name.as_str().starts_with("mcp-param-"));
    }
    for param in &tool.header_params {
        let header = headers.get(format!("mcp-param-{}", param.header.to_ascii_lowercase()));
        let Some(header) = header else { continue };
        let (text, place) = (read_back(legal(header)), param.path.iter());
        let given = place.fold(&value, |value, name| &value[name]);
        let is_same = match param.kind {
            HeaderType::String => *given == text,
            HeaderType::Boolean => text.parse::<bool>().is_ok_and(|text| *given == text),
            HeaderType::Integer => {
                let number = text.parse::<f64>().ok();
                number.is_some() && given.as_f64() == number
            }
        };
        assert!(is_same, "{given} as {text:?}");
    }
}

/// Whatever an upstream asks for, what is passed on of it is bounded, and names the proxy's document
/// wherever a document is named.
fn challenges(headers: &HeaderMap) {
    let lines = challenge::bounded(headers.get_all(header::WWW_AUTHENTICATE).iter());
    for line in &lines {
        let ours = challenge::with_metadata(line, METADATA);
        assert_eq!(challenge::lacks_scope(line), challenge::lacks_scope(&ours));
        let named = challenge::metadata(&ours);
        let is_ours = named.as_deref() == Some(METADATA);
        assert!(ours == line || is_ours, "{line:?}");
    }
    let union = challenge::union(&lines);
    assert!(union.len() <= lines.len());
    let asks = |lines: &[HeaderValue]| {
        lines
            .iter()
            .filter(|line| challenge::lacks_scope(line))
            .count()
    };
    assert_eq!(asks(&union), asks(&lines).min(1), "{lines:?}");
}

/// Where only this machine may ask, a name that is let in is one of this machine.
fn loopback(headers: &HeaderMap) {
    let policy = Policy::new(([127, 0, 0, 1], 8080).into(), &[], &[]);
    let hosts = headers.get_all(header::HOST).iter();
    for host in hosts.filter_map(|host| host.to_str().ok()) {
        let name = host.rsplit('@').next().unwrap_or_default().to_lowercase();
        let address = |name: &str| {
            let name = name.trim_start_matches('[').trim_end_matches(']');
            name.parse()
                .is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        };
        let port = name.rsplit_once(':');
        let port = port.filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let without = port.map_or(name.as_str(), |(name, _)| name);
        let is_here = [name.as_str(), without]
            .into_iter()
            .any(|name| name == "localhost" || name.ends_with(".localhost") || address(name));
        assert!(!policy.allows_host(Some(host)) || is_here, "{host:?}");
    }
}
