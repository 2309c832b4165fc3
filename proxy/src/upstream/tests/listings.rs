//! Is the whole list read, whatever its pages look like?

use super::stage::{Server, caller, config, kind, legacy, modern, upstream};
use crate::upstream::Limits;

fn page(names: &str, next: Option<&str>) -> String {
    let tools: Vec<_> = names
        .split_whitespace()
        .map(|name| format!(r#"{{"name":"{name}", "inputSchema":{{"x": 1.10}}}}"#))
        .collect();
    let next = next.map_or(String::new(), |next| format!(r#","nextCursor":"{next}""#));
    format!(r#"{{"tools":[{}]{next}}}"#, tools.join(","))
}

#[tokio::test]
async fn a_modern_list_is_walked_to_its_end() {
    let server =
        Server::start(
            |seen, _| match (seen.method().as_str(), &*seen.at("/params/cursor")) {
                ("tools/list", "two") => seen.result(&page("c", Some(""))),
                ("tools/list", "") if seen.body.contains("cursor") => seen.result(&page("d", None)),
                ("tools/list", _) => seen.result(&page("b a", Some("two"))),
                _ => modern(seen),
            },
        )
        .await;
    let listing = upstream(config(&server.url))
        .list(&caller("a"))
        .await
        .unwrap();
    let names: Vec<_> = listing
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["b", "a", "c", "d"]);
    assert_eq!(
        listing.tools[0].raw.get(),
        r#"{"name":"b", "inputSchema":{"x": 1.10}}"#
    );
    assert_eq!(listing.instructions.as_deref(), Some("be kind"));
    assert_eq!(listing.truncated, None);
    assert_eq!(
        server.methods(),
        ["server/discover", "tools/list", "tools/list", "tools/list"]
    );
    for seen in server.seen() {
        assert_eq!(seen.header("mcp-protocol-version"), "2026-07-28");
        assert_eq!(seen.header("mcp-method"), seen.method());
        assert_eq!(seen.header("authorization"), "Bearer a");
        assert_eq!(seen.header("accept"), "application/json, text/event-stream");
        assert_eq!(seen.header("accept-encoding"), "");
        assert_eq!(
            seen.at("/params/_meta/io.modelcontextprotocol~1protocolVersion"),
            "2026-07-28"
        );
    }
}

#[tokio::test]
async fn a_legacy_list_is_read_in_a_session() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/list" => seen.stream(&format!(
            "id: 1\ndata:\n\n: hello\n\ndata: {{\"id\":$ID,\"result\":{}}}\r\n\r\n",
            page("a", None)
        )),
        _ => legacy(seen),
    })
    .await;
    let upstream = upstream(config(&server.url));
    for _ in 0..2 {
        let listing = upstream.list(&caller("a")).await.unwrap();
        assert_eq!(listing.tools.len(), 1);
        assert_eq!(listing.instructions.as_deref(), Some("be kind"));
    }
    assert_eq!(
        server.methods(),
        [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "tools/list",
            "tools/list"
        ]
    );
    let seen = server.seen();
    assert_eq!(seen[1].header("mcp-session-id"), "");
    assert_eq!(seen[1].at("/params/protocolVersion"), "2025-11-25");
    for later in &seen[2..] {
        assert_eq!(later.header("mcp-session-id"), "s-1");
        assert_eq!(later.header("mcp-protocol-version"), "2025-06-18");
        assert_eq!(later.header("mcp-method"), "");
    }
}

#[tokio::test]
async fn a_cursor_that_turns_invalid_starts_the_walk_again_once() {
    let server = Server::start(|seen, before| match (seen.method().as_str(), before) {
        ("tools/list", 0) => seen.result(&page("old", Some("1"))),
        ("tools/list", 1) => seen.error(200, -32602, "invalid cursor"),
        ("tools/list", 2) => seen.result(&page("a", Some("2"))),
        ("tools/list", 3) => seen.result(&page("b", None)),
        _ => modern(seen),
    })
    .await;
    let listing = upstream(config(&server.url))
        .list(&caller("a"))
        .await
        .unwrap();
    let names: Vec<_> = listing
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);

    let server = Server::start(|seen, before| match (seen.method().as_str(), before % 2) {
        ("tools/list", 0) => seen.result(&page("old", Some("1"))),
        ("tools/list", _) => seen.error(200, -32602, "invalid cursor"),
        _ => modern(seen),
    })
    .await;
    let outcome = upstream(config(&server.url)).list(&caller("a")).await;
    assert_eq!(kind(&outcome), "rpc");
    assert_eq!(server.methods().len(), 5);
}

#[tokio::test]
async fn a_list_without_end_is_cut_and_says_so() {
    let looping = Server::start(|seen, _| match seen.method().as_str() {
        "tools/list" => seen.result(&page("a", Some("again"))),
        _ => modern(seen),
    })
    .await;
    let listing = upstream(config(&looping.url))
        .list(&caller("a"))
        .await
        .unwrap();
    assert_eq!(
        (listing.tools.len(), listing.truncated),
        (1, Some("cursor"))
    );

    let endless = Server::start(|seen, before| match seen.method().as_str() {
        "tools/list" => seen.result(&page(&format!("t{before}"), Some(&before.to_string()))),
        _ => modern(seen),
    })
    .await;
    let cut = async |pages, bytes| {
        let mut config = config(&endless.url);
        config.limits = Limits {
            pages,
            bytes,
            ..config.limits
        };
        let listing = upstream(config).list(&caller("a")).await.unwrap();
        (listing.tools.len(), listing.truncated)
    };
    assert_eq!(cut(4, 100_000).await, (4, Some("pages")));
    assert_eq!(cut(1000, 250).await, (3, Some("bytes")));
}

#[tokio::test]
async fn a_first_page_beyond_the_ceiling_is_an_error() {
    let server = Server::start(|seen, _| match seen.method().as_str() {
        "tools/list" => seen.result(&page(&"a".repeat(5000), None)),
        _ => modern(seen),
    })
    .await;
    let mut config = config(&server.url);
    config.limits.bytes = 1000;
    let outcome = upstream(config).list(&caller("a")).await;
    assert_eq!(kind(&outcome), "too_large");
}

#[tokio::test]
async fn a_large_page_is_read_like_a_small_one() {
    let names: Vec<_> = (0..90)
        .map(|n| format!("{}{n}", "x".repeat(1000)))
        .collect();
    let names = names.join(" ");
    let server = Server::start(move |seen, _| match seen.method().as_str() {
        "tools/list" => seen.result(&page(&names, None)),
        _ => modern(seen),
    })
    .await;
    let mut config = config(&server.url);
    config.limits.bytes = 1_000_000;
    let listing = upstream(config).list(&caller("a")).await.unwrap();
    assert_eq!(listing.tools.len(), 90);
}
