//! Every row of the ladder and of the era table, with hand-written JSON.

use super::{Field, RoutingHeaders, Sorted, sort};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

fn field(value: Option<&str>) -> Field {
    value.map_or(Field::Absent, |value| Field::One(value.to_owned()))
}

/// "single REVISION", "batch N", "quiet", or "STATUS CODE".
fn outcome(version: Option<&str>, method: Option<&str>, name: Option<&str>, body: &str) -> String {
    let headers = RoutingHeaders {
        version: field(version),
        method: field(method),
        name: field(name),
    };
    match sort(&headers, body.as_bytes()) {
        Ok(Sorted::Single(request)) => format!("single {}", request.revision.as_str()),
        Ok(Sorted::Batch(elements)) => format!("batch {}", elements.len()),
        Ok(Sorted::Quiet) => "quiet".to_owned(),
        Err(failure) => format!("{} {}", failure.status, failure.error.code),
    }
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn modern(method: &str, version: &str, rest: &str) -> String {
    request(
        method,
        &format!(r#"{{"_meta":{{"{VERSION}":"{version}","{CAPABILITIES}":{{}}}}{rest}}}"#),
    )
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn the_era_is_decided_by_the_body_and_checked_against_the_header() {
    const NEW: Option<&str> = Some("2026-07-28");
    let list = Some("tools/list");
    for (version, method, body, expected) in [
        (
            NEW,
            list,
            modern("tools/list", "2026-07-28", ""),
            "single 2026-07-28",
        ),
        (
            None,
            list,
            modern("tools/list", "2026-07-28", ""),
            "400 -32020",
        ),
        (
            Some("2025-11-25"),
            list,
            modern("tools/list", "2026-07-28", ""),
            "400 -32020",
        ),
        (
            Some("2027-01-01"),
            list,
            modern("tools/list", "2027-01-01", ""),
            "400 -32022",
        ),
        (
            Some("2025-11-25"),
            list,
            modern("tools/list", "2025-11-25", ""),
            "400 -32022",
        ),
        (
            None,
            list,
            modern("tools/list", "2025-11-25", ""),
            "400 -32022",
        ),
        (NEW, list, request("tools/list", "{}"), "400 -32602"),
        (NEW, None, request("initialize", "{}"), "400 -32020"),
        (None, None, request("initialize", "{}"), "single 2025-03-26"),
        (
            Some("2025-06-18"),
            None,
            request("initialize", "{}"),
            "single 2025-06-18",
        ),
        (
            NEW,
            Some("initialize"),
            modern("initialize", "2026-07-28", ""),
            "single 2026-07-28",
        ),
        (None, None, request("tools/list", "{}"), "single 2025-03-26"),
        (
            Some("2024-11-05"),
            None,
            request("tools/list", "{}"),
            "single 2024-11-05",
        ),
        (
            Some("2025-11-25"),
            None,
            request("tools/list", "null"),
            "single 2025-11-25",
        ),
        (
            Some("garbage"),
            None,
            request("tools/list", "{}"),
            "400 -32022",
        ),
        (
            NEW,
            list,
            request("tools/list", &format!(r#"{{"_meta":{{"{VERSION}":7}}}}"#)),
            "400 -32602",
        ),
        (
            NEW,
            list,
            request(
                "tools/list",
                &format!(r#"{{"_meta":{{"{CAPABILITIES}":{{}}}}}}"#),
            ),
            "400 -32602",
        ),
        (
            NEW,
            None,
            r#"{"jsonrpc":"2.0","method":"notifications/x"}"#.to_owned(),
            "quiet",
        ),
        (
            None,
            None,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            "quiet",
        ),
        (
            NEW,
            None,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
            "quiet",
        ),
        (
            None,
            None,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#.to_owned(),
            "quiet",
        ),
    ] {
        assert_eq!(
            outcome(version, method, None, &body),
            expected,
            "{version:?} {body}"
        );
    }
}

#[test]
fn the_envelope_is_complete_and_well_typed() {
    let envelope = |rest: &str| {
        request(
            "tools/list",
            &format!(r#"{{"_meta":{{"{VERSION}":"2026-07-28"{rest}}}}}"#),
        )
    };
    for (rest, expected) in [
        (String::new(), "400 -32602"),
        (format!(r#","{CAPABILITIES}":null"#), "400 -32602"),
        (format!(r#","{CAPABILITIES}":[]"#), "400 -32602"),
        (
            format!(r#","{CAPABILITIES}":{{}},"io.modelcontextprotocol/logLevel":"loud""#),
            "400 -32602",
        ),
        (
            format!(r#","{CAPABILITIES}":{{}},"io.modelcontextprotocol/logLevel":"info","own":1"#),
            "single 2026-07-28",
        ),
    ] {
        assert_eq!(
            outcome(
                Some("2026-07-28"),
                Some("tools/list"),
                None,
                &envelope(&rest)
            ),
            expected,
            "{rest}"
        );
    }
}

#[test]
fn routing_headers_repeat_the_body() {
    let call = |name: &str| modern("tools/call", "2026-07-28", &format!(r#","name":"{name}""#));
    for (method, name, body, expected) in [
        (
            Some("tools/call"),
            Some("a"),
            call("a"),
            "single 2026-07-28",
        ),
        (
            Some("tools/call"),
            Some("=?base64?YcSNacWr?="),
            call("ačiū"),
            "single 2026-07-28",
        ),
        (
            Some("tools/call"),
            Some("=?base64??="),
            call(""),
            "single 2026-07-28",
        ),
        (
            Some("tools/call"),
            Some("=?BASE64?YQ==?="),
            call("=?BASE64?YQ==?="),
            "single 2026-07-28",
        ),
        (
            Some("tools/call"),
            Some("=?base64?YQ?="),
            call("a"),
            "400 -32020",
        ),
        (
            Some("tools/call"),
            Some("=?base64?*?="),
            call("a"),
            "400 -32020",
        ),
        (Some("tools/call"), Some("b"), call("a"), "400 -32020"),
        (Some("tools/call"), Some("A"), call("a"), "400 -32020"),
        (Some("tools/call"), None, call("a"), "400 -32020"),
        (Some("TOOLS/CALL"), Some("a"), call("a"), "400 -32020"),
        (None, Some("a"), call("a"), "400 -32020"),
        (
            Some("tools/call"),
            Some("a"),
            modern("tools/call", "2026-07-28", ""),
            "400 -32020",
        ),
        (
            Some("tools/list"),
            None,
            modern("tools/list", "2026-07-28", ""),
            "single 2026-07-28",
        ),
    ] {
        assert_eq!(
            outcome(Some("2026-07-28"), method, name, &body),
            expected,
            "{method:?} {name:?}"
        );
    }
    let headers = RoutingHeaders {
        version: Field::Malformed,
        ..RoutingHeaders::default()
    };
    let failure = sort(&headers, request("ping", "{}").as_bytes()).unwrap_err();
    assert_eq!((failure.status, failure.error.code), (400, -32020));
}

#[test]
fn what_is_no_request_is_said() {
    for (body, expected) in [
        ("", "400 -32700"),
        ("{", "400 -32700"),
        ("nonsense", "400 -32700"),
        ("7", "400 -32600"),
        ("null", "400 -32600"),
        ("{}", "400 -32600"),
        (r#"{"id":1,"method":"ping"}"#, "400 -32600"),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "400 -32600"),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            "400 -32600",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            "400 -32600",
        ),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "400 -32600"),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "400 -32600"),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            "400 -32600",
        ),
        (
            r#"{"jsonrpc":"2.0","id":-7,"method":"ping"}"#,
            "single 2025-03-26",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"1","method":"ping"}"#,
            "single 2025-03-26",
        ),
        (
            r#"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}"#,
            "single 2025-03-26",
        ),
    ] {
        assert_eq!(outcome(None, None, None, body), expected, "{body}");
    }
    assert!(
        sort(
            &RoutingHeaders::default(),
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"
        )
        .is_err()
    );
}

#[test]
fn ids_are_echoed_with_their_bytes() {
    for id in [
        "0",
        "-7",
        "123456789012345678901234567890",
        r#""1""#,
        r#""\u0041""#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let Ok(Sorted::Single(request)) = sort(&RoutingHeaders::default(), body.as_bytes()) else {
            panic!()
        };
        assert_eq!(request.id.get(), id);
    }
}

#[test]
fn batches_exist_in_one_revision() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let many = vec![ping; 101].join(",");
    for (version, body, expected) in [
        (None, format!("[{ping},{note}]"), "batch 2"),
        (Some("2025-03-26"), format!("[{ping}]"), "batch 1"),
        (Some("2025-06-18"), format!("[{ping}]"), "400 -32600"),
        (Some("2026-07-28"), format!("[{ping}]"), "400 -32600"),
        (None, format!("[{note}]"), "quiet"),
        (None, "[]".to_owned(), "400 -32600"),
        (None, format!("[{many}]"), "400 -32600"),
        (
            None,
            format!("[{}]", request("initialize", "{}")),
            "400 -32600",
        ),
        (
            None,
            format!("[{}]", modern("tools/list", "2026-07-28", "")),
            "400 -32600",
        ),
        (None, format!("[7,{ping}]"), "batch 2"),
    ] {
        assert_eq!(outcome(version, None, None, &body), expected, "{version:?}");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::{RoutingHeaders, sort};

    proptest! {
        #[test]
        fn no_body_makes_it_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _sorted = sort(&RoutingHeaders::default(), &body);
        }

        #[test]
        fn no_json_makes_it_panic(body in "[\\[{]?(\"(jsonrpc|id|method|params|_meta)\":(\"2.0\"|1|null|\\{\\}|\\[\\]),?){0,5}[\\]}]?") {
            let _sorted = sort(&RoutingHeaders::default(), body.as_bytes());
        }
    }
}
