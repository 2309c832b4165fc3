//! Flags, variables and defaults against what they must come to; every mistake in one go.

use clap::Command;
use expect_test::expect;

use super::{add_flags, settings};
use crate::{Mistakes, Settings, render};

fn parse(flags: &[&str], environment: &[(&str, &str)]) -> Result<Settings, Mistakes> {
    let command = add_flags(Command::new("test"));
    let flags = command.get_matches_from(std::iter::once("test").chain(flags.iter().copied()));
    settings(
        &flags,
        environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    )
}

const UPSTREAM: [&str; 2] = ["--upstream", "https://gateway.example.com/mcp"];

#[test]
fn defaults_fill_in_everything_but_the_upstream() {
    let settings = parse(&UPSTREAM, &[]).unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.catalog_ttl.as_secs(), 600);
    assert!(settings.trust_hints && settings.write_tools.is_empty());
}

#[test]
fn a_flag_wins_over_its_variable() {
    let environment = [
        ("TOOLSEARCH_LISTEN", "127.0.0.1:1"),
        ("TOOLSEARCH_LOG_LEVEL", "debug"),
        ("HOME", "/"),
    ];
    let settings = parse(
        &[&UPSTREAM[..], &["--listen", "127.0.0.1:2"]].concat(),
        &environment,
    )
    .unwrap();
    assert_eq!(settings.listen.port(), 2);
    assert_eq!(settings.log_level, "debug");
}

#[test]
fn what_a_cluster_sets_for_its_services_is_no_mistake() {
    let links = [
        ("TOOLSEARCH_SERVICE_HOST", "10.0.0.1"),
        ("TOOLSEARCH_SERVICE_PORT_HTTP", "80"),
        ("TOOLSEARCH_PROXY_PORT", "tcp://10.0.0.1:80"),
        ("TOOLSEARCH_PORT_80_TCP_ADDR", "10.0.0.1"),
    ];
    assert!(parse(&UPSTREAM, &links).is_ok());
}

#[test]
fn lists_may_be_repeated() {
    let flags = [
        &UPSTREAM[..],
        &["--write-tools", "a,b_*", "--write-tools", "{c,d}"],
    ]
    .concat();
    assert_eq!(
        parse(&flags, &[]).unwrap().write_tools,
        ["a", "b_*", "{c,d}"]
    );
}

#[test]
fn timeouts_of_tools_keep_their_order() {
    let flags = [
        "--tool-timeouts",
        "a_*=10m, {b,c}=500ms",
        "--tool-timeouts",
        "x=y=2s",
    ];
    let read = parse(&[&UPSTREAM[..], &flags].concat(), &[])
        .unwrap()
        .tool_timeouts;
    let read: Vec<_> = read
        .iter()
        .map(|one| (one.tools.as_str(), one.timeout.as_millis()))
        .collect();
    assert_eq!(read, [("a_*", 600_000), ("{b,c}", 500), ("x=y", 2000)]);
    for wrong in ["a", "a=", "=1s", "a=5", "a=1ms", "[=1s", "a=1s,b"] {
        let flags = [&UPSTREAM[..], &["--tool-timeouts", wrong]].concat();
        let said = parse(&flags, &[]).unwrap_err().to_string();
        assert!(said.contains("such as export_*=10m"), "{wrong}: {said}");
    }
}

#[test]
fn of_a_list_each_wrong_item_is_named() {
    let flags = [
        &UPSTREAM[..],
        &[
            "--tool-timeouts",
            "a=1s,b=9q,c",
            "--allowed-hosts",
            "a.example,http://b.example",
            "--allowed-origins",
            "https://a.example,b.example",
            "--write-tools",
            "a,[,{b",
        ],
    ];
    expect![[r#"
        4 settings are wrong:
          - --write-tools holds "[", a glob that cannot be read: unclosed character class; missing ']'; holds "{b", a glob that cannot be read: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
          - --tool-timeouts holds "b=9q", "c", no name or glob with a duration from 100ms to 24h, such as export_*=10m
          - --allowed-origins holds "b.example", no origin: write scheme and host as browsers send them, with a port where it is not the usual one, such as https://chat.example.com, or * for any
          - --allowed-hosts holds "http://b.example", no host name: write it without scheme and path, such as tools.example.com, or leave the list out to accept any
    "#]].assert_eq(&parse(&flags.concat(), &[]).unwrap_err().to_string());
}

#[test]
fn every_mistake_is_reported_at_once() {
    let flags = [
        "--upstream",
        "ftp://user@host",
        "--listen",
        "nowhere",
        "--catalog-ttl",
        "10",
        "--max-body",
        "1B",
        "--embedder",
        "dir",
        "--write-tools",
        "[",
        "--search-schemas",
        "99",
    ];
    let environment = [
        ("TOOLSEARCH_CATALOG_TTL", "1m"),
        ("TOOLSEARCH_LOG_FORMAT", "xml"),
        ("TOOLSEARCH_LOG_LEVEL", "loud"),
        ("TOOLSEARCH_LISTN", "x"),
    ];
    expect![[r#"
        10 settings are wrong:
          - TOOLSEARCH_LISTN is no setting; did you mean TOOLSEARCH_LISTEN?
          - --upstream must begin with http:// or https://
          - --listen must be address:port, such as 127.0.0.1:8080 (it is "nowhere")
          - --write-tools holds "[", a glob that cannot be read: unclosed character class; missing ']'
          - TOOLSEARCH_LOG_FORMAT must be one of text, json (it is "xml")
          - TOOLSEARCH_LOG_LEVEL must be off, error, warn, info, debug or trace, or directives that say so of modules, such as info,hyper=warn, without blanks (it is "loud")
          - --search-schemas must be a whole number from 0 to 25 (it is "99")
          - --max-body must be a size from 1KiB to 256MiB, such as 4MiB (it is "1B")
          - --catalog-ttl must be a duration from 1s to 24h with its unit, such as 30s or 5m (it is "10")
          - --embedder dir needs --model-dir: the folder that fetch-model made
    "#]]
    .assert_eq(&parse(&flags, &environment).unwrap_err().to_string());
    let missing = parse(&[], &[]).unwrap_err();
    let [missing] = missing.all() else {
        panic!("{missing}");
    };
    assert!(missing.to_string().contains("TOOLSEARCH_UPSTREAM"));
    assert_eq!(missing.flag(), Some("upstream"));
}

mod properties {
    use proptest::prelude::*;

    use super::{UPSTREAM, parse, render};

    proptest! {
        #[test]
        fn what_is_rendered_is_read_back(
            port in 1_u16.., ttl in 1_000_u64..86_400_000, body in 1024_usize..268_435_456,
            globs in proptest::collection::vec("[a-z_]{1,8}\\*?", 0..4), trust in any::<bool>(),
        ) {
            let mut settings = parse(&UPSTREAM, &[]).unwrap();
            settings.listen.set_port(port);
            settings.catalog_ttl = std::time::Duration::from_millis(ttl);
            settings.max_body = body;
            settings.write_tools = globs;
            settings.trust_hints = trust;
            settings.tool_timeouts = settings.write_tools.iter().map(|tools| crate::ToolTimeout {
                tools: tools.clone(),
                timeout: settings.catalog_ttl,
            }).collect();
            let environment = render::environment(&settings);
            let environment: Vec<_> = environment.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            prop_assert_eq!(parse(&[], &environment).unwrap(), settings);
        }
    }
}
