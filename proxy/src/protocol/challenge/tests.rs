//! Challenges as servers write them, and as they should not.

use http::HeaderValue;
use proptest::prelude::*;

use super::{LONGEST, MOST_LINES, bounded, lacks_scope, metadata, union, with_metadata};

fn line(text: &str) -> HeaderValue {
    HeaderValue::from_bytes(text.as_bytes()).unwrap()
}

#[track_caller]
fn check_rewrite(given: &str, expected: &str) {
    let rewritten = with_metadata(&line(given), "https://our/doc");
    assert_eq!(rewritten.as_bytes(), expected.as_bytes(), "{given}");
}

#[test]
fn only_the_named_document_changes() {
    check_rewrite(
        r#"Bearer resource_metadata="https://up/x", scope="a b""#,
        r#"Bearer resource_metadata="https://our/doc", scope="a b""#,
    );
    check_rewrite(
        r#"Bearer  realm="says \"resource_metadata=\" inside",Resource_Metadata = "https://up/x"  , error="e""#,
        r#"Bearer  realm="says \"resource_metadata=\" inside",Resource_Metadata = "https://our/doc"  , error="e""#,
    );
    check_rewrite(
        "Bearer resource_metadata=https://up/x?a=b, scope=c",
        r#"Bearer resource_metadata="https://our/doc", scope=c"#,
    );
    check_rewrite(
        r#"Negotiate YWJj==, Basic realm="x", DPoP algs="ES256", resource_metadata="u", Bearer resource_metadata="v""#,
        r#"Negotiate YWJj==, Basic realm="x", DPoP algs="ES256", resource_metadata="https://our/doc", Bearer resource_metadata="https://our/doc""#,
    );
    for same in [
        "",
        "Bearer",
        "Basic realm=\"x\"",
        "Negotiate YWJj=",
        "Bearer error=\"é\"",
        "=,= ,",
    ] {
        check_rewrite(same, same);
    }
    check_rewrite(
        r#"Bearer resource_metadata="never closed"#,
        r#"Bearer resource_metadata="https://our/doc""#,
    );
}

#[test]
fn a_document_is_read_without_its_quotes() {
    let named = metadata(&line(r#"Basic, Bearer resource_metadata="https://up/\"x""#));
    assert_eq!(named.as_deref(), Some("https://up/\"x"));
    assert_eq!(metadata(&line("Bearer scope=a")), None);
}

#[test]
fn a_missing_scope_is_a_parameter_and_not_a_word_somewhere() {
    for (text, expected) in [
        (r#"Bearer error="insufficient_scope""#, true),
        ("Bearer error=insufficient_scope, scope=a", true),
        (
            r#"Basic realm="x", Bearer error="insufficient_scope""#,
            true,
        ),
        (
            r#"Bearer error_description="not insufficient_scope""#,
            false,
        ),
        (r#"Bearer error="invalid_token""#, false),
        ("Bearer", false),
    ] {
        assert_eq!(lacks_scope(&line(text)), expected, "{text}");
    }
}

#[track_caller]
fn check_union(given: &[&str], expected: &[&str]) {
    let lines: Vec<_> = given.iter().map(|text| line(text)).collect();
    assert_eq!(union(&lines), expected, "{given:?}");
}

#[test]
fn scopes_are_asked_for_together() {
    check_union(
        &[
            r#"Bearer error="insufficient_scope", scope="a b", resource_metadata="u""#,
            "Basic realm=\"x\"",
            r#"Bearer error="insufficient_scope", scope="b c""#,
            "Basic realm=\"x\"",
            r#"Bearer scope="quotes", error="insufficient_scope""#,
        ],
        &[
            r#"Bearer error="insufficient_scope", scope="a b c quotes", resource_metadata="u""#,
            "Basic realm=\"x\"",
        ],
    );
    check_union(
        &[
            r#"Bearer error="insufficient_scope""#,
            r#"Bearer error="insufficient_scope", scope=a"#,
        ],
        &[r#"Bearer error="insufficient_scope", scope="a""#],
    );
    check_union(
        &[
            r#"Bearer error="insufficient_scope""#,
            r#"Bearer error="insufficient_scope", realm="x""#,
        ],
        &[r#"Bearer error="insufficient_scope""#],
    );
    // The scope of another challenge on the same line is not one that is lacking.
    check_union(
        &[r#"DPoP scope="other", Bearer error="insufficient_scope", scope="a""#],
        &[r#"DPoP scope="other", Bearer error="insufficient_scope", scope="a""#],
    );
    check_union(&[], &[]);
}

#[test]
fn what_no_scope_can_be_is_left_out() {
    check_union(
        &[r#"Bearer error="insufficient_scope", scope="a  \"b\" é c""#],
        &[r#"Bearer error="insufficient_scope", scope="a c""#],
    );
}

#[test]
fn lines_are_bounded() {
    let long = line(&format!("Bearer realm=\"{}\"", "x".repeat(LONGEST)));
    let many = vec![line("Bearer"); MOST_LINES + 5];
    let kept = bounded(std::iter::once(&long).chain(&many));
    assert_eq!(kept, vec![line("Bearer"); MOST_LINES]);
    let scopes = |letter: &str| {
        let scopes: Vec<_> = (0..400).map(|at| format!("{letter}{at}")).collect();
        let text = format!(
            "Bearer error=\"insufficient_scope\", scope=\"{}\"",
            scopes.join(" ")
        );
        line(&text)
    };
    for merged in union(&[scopes("aaaa"), scopes("bbbb"), scopes("cccc")]) {
        assert!(merged.len() <= LONGEST);
    }
}

proptest! {
    #[test]
    fn any_line_is_taken(bytes in proptest::collection::vec(32_u8..=255, 0..200)) {
        if let Ok(line) = HeaderValue::from_bytes(&bytes) {
            let rewritten = with_metadata(&line, "https://our/doc");
            if metadata(&line).is_none() && !rewritten.as_bytes().windows(3).any(|w| w == b"our") {
                prop_assert_eq!(&rewritten, &line);
            }
            prop_assert!(union(&[line.clone(), line]).len() <= 2);
        }
    }

    #[test]
    fn lines_made_of_the_right_parts_are_rewritten(parts in proptest::collection::vec(
        prop_oneof![
            Just("Bearer "), Just("resource_metadata"), Just("="), Just("\"https://up\""), Just(", "),
            Just("scope=\"a b\""), Just("error=insufficient_scope"), Just("\\"), Just("\""), Just(" "),
        ], 0..14)) {
        let line = line(&parts.concat());
        let rewritten = with_metadata(&line, "https://our/doc");
        if let Some(now) = metadata(&rewritten) {
            prop_assert_eq!(now, "https://our/doc");
        }
        prop_assert_eq!(lacks_scope(&rewritten), lacks_scope(&line));
    }
}
