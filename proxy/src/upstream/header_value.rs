//! How is a tool's name or argument written into a header?
//!
//! Guarantees: what comes out is a legal field value, and reads back as the very text that went
//! in (MCP 2026-07-28, streamable HTTP, "Request Metadata"; SEP-2243).

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::value::RawValue;

use crate::protocol::{HeaderParam, HeaderType};

/// The text itself where a header can hold it, otherwise the base64 sentinel.
pub(super) fn text(text: &str) -> HeaderValue {
    let edges = |blank: char| text.starts_with(blank) || text.ends_with(blank);
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if plain
        && !edges(' ')
        && !looks_encoded
        && let Ok(value) = HeaderValue::from_str(text)
    {
        return value;
    }
    let encoded = format!("=?base64?{}?=", STANDARD.encode(text));
    // Base64 and the markers are visible ASCII; the empty fallback can not happen.
    HeaderValue::from_str(&encoded).unwrap_or(HeaderValue::from_static(""))
}

/// The `Mcp-Param-*` headers of one call, recomputed from its arguments.
///
/// An argument that is absent, null or of another type gives none: the upstream then says what is
/// wrong with the argument.
pub(super) fn params(wanted: &[HeaderParam], arguments: &RawValue) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for param in wanted {
        let name = format!("mcp-param-{}", param.header.to_ascii_lowercase());
        let value = find(arguments, &param.path).and_then(|raw| render(raw, param.kind));
        if let (Ok(name), Some(value)) = (HeaderName::try_from(name), value) {
            headers.insert(name, value);
        }
    }
    headers
}

fn find<'a>(arguments: &'a RawValue, path: &[String]) -> Option<&'a RawValue> {
    path.iter().try_fold(arguments, |raw, name| {
        let members: HashMap<String, &'a RawValue> = serde_json::from_str(raw.get()).ok()?;
        members.get(name).copied()
    })
}

fn render(raw: &RawValue, kind: HeaderType) -> Option<HeaderValue> {
    match kind {
        HeaderType::String => serde_json::from_str::<String>(raw.get())
            .ok()
            .map(|value| text(&value)),
        HeaderType::Boolean => matches!(raw.get(), "true" | "false").then(|| text(raw.get())),
        HeaderType::Integer => integer(raw.get()).map(|value| text(&value)),
    }
}

/// Decimal digits as they came; `42.0` and `4.2e1` as 42.
fn integer(number: &str) -> Option<String> {
    /// Beyond this a float no longer names one integer.
    const EXACT: f64 = 9_007_199_254_740_991.0;
    let digits = number.strip_prefix('-').unwrap_or(number);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(number.to_owned());
    }
    let value: f64 = serde_json::from_str(number).ok()?;
    (value.fract() == 0.0 && value.abs() <= EXACT).then(|| format!("{value:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_header_cannot_hold_is_encoded() {
        let cases = [
            ("us-west", "us-west"),
            ("two words", "two words"),
            ("", ""),
            (" padded", "=?base64?IHBhZGRlZA==?="),
            ("padded ", "=?base64?cGFkZGVkIA==?="),
            ("ž", "=?base64?xb4=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("a\tb", "=?base64?YQli?="),
            ("\u{7f}", "=?base64?fw==?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
            ("=?BASE64?YQ==?=", "=?BASE64?YQ==?="),
            ("=?base64?YQ==", "=?base64?YQ=="),
        ];
        for (plain, header) in cases {
            assert_eq!(text(plain), header, "{plain:?}");
        }
    }

    #[track_caller]
    fn check(path: &str, kind: HeaderType, arguments: &str, expected: Option<&str>) {
        let param = HeaderParam {
            header: "Owner".to_owned(),
            path: path.split('/').map(ToOwned::to_owned).collect(),
            kind,
        };
        let arguments: Box<RawValue> = serde_json::from_str(arguments).unwrap();
        let headers = params(&[param], &arguments);
        let value = headers.get("Mcp-Param-Owner");
        assert_eq!(value.map(|value| value.to_str().unwrap()), expected);
    }

    #[test]
    fn arguments_become_headers() {
        use HeaderType::{Boolean, Integer, String};
        check("o", String, r#"{"o":"me"}"#, Some("me"));
        check("o", String, r#"{"o":"\u017e"}"#, Some("=?base64?xb4=?="));
        check("o/p", String, r#"{"o":{"p":"me"}}"#, Some("me"));
        check("o", String, r#"{"o":"1","o":"2"}"#, Some("2"));
        check("n", Integer, r#"{"n":-42}"#, Some("-42"));
        check("n", Integer, r#"{"n":42.0}"#, Some("42"));
        check("n", Integer, r#"{"n":4.2e1}"#, Some("42"));
        check(
            "n",
            Integer,
            r#"{"n":12345678901234567890}"#,
            Some("12345678901234567890"),
        );
        check("b", Boolean, r#"{"b":true}"#, Some("true"));
    }

    #[test]
    fn an_argument_that_does_not_fit_gives_no_header() {
        use HeaderType::{Boolean, Integer, String};
        check("o", String, "{}", None);
        check("o", String, r#"{"o":null}"#, None);
        check("o", String, r#"{"o":7}"#, None);
        check("o/p", String, r#"{"o":"p"}"#, None);
        check("n", Integer, r#"{"n":"42"}"#, None);
        check("n", Integer, r#"{"n":4.2}"#, None);
        check("n", Integer, r#"{"n":1e400}"#, None);
        check("b", Boolean, r#"{"b":1}"#, None);
    }

    mod properties {
        use proptest::prelude::*;

        use super::*;

        proptest! {
            #[test]
            fn every_text_reads_back(original in any::<String>()) {
                let value = text(&original);
                let value = value.to_str().unwrap();
                let read = value
                    .strip_prefix("=?base64?")
                    .and_then(|value| value.strip_suffix("?="))
                    .map_or(value.to_owned(), |encoded| {
                        String::from_utf8(STANDARD.decode(encoded).unwrap()).unwrap()
                    });
                prop_assert_eq!(read, original);
                prop_assert_eq!(value.trim(), value);
            }
        }
    }
}
