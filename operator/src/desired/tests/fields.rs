//! Settings as the spec knows them: a field each, with the bounds that the proxy has, and mistakes
//! in its words.

use toolsearch_settings::{DECLARATIONS, Kind, size_text};

use super::{Mistakes, Value, desired, environment, json};

#[test]
fn mistakes_name_fields_and_items_each_once() {
    let timeouts =
        json!([{ "tool": "a_*", "timeout": "1s" }, { "tool": "b", "timeout": "99999999h" }]);
    let upstream =
        json!({ "url": "https://gateway.example:0x/mcp", "timeouts": { "tools": timeouts } });
    let spec = json!({
        "upstream": upstream, "allowedHosts": ["a.example", "[a]"], "readTools": ["{a"],
        "limits": { "maxResultTokens": 1 },
    });
    let Mistakes(said) = desired(spec).unwrap_err();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    let [url, read, timeouts, hosts, tokens] = said[..] else {
        panic!("{said:#?}");
    };
    assert!(url.starts_with("spec.upstream.url is no URL"), "{url}");
    assert!(read.starts_with("spec.readTools holds \"{a\", "), "{read}");
    assert!(
        timeouts.starts_with("spec.upstream.timeouts.tools holds \"b=99999999h\", "),
        "{timeouts}"
    );
    assert!(
        hosts.starts_with("spec.allowedHosts holds \"[a]\", "),
        "{hosts}"
    );
    assert!(
        tokens.starts_with("spec.limits.maxResultTokens must be a whole number from 2000"),
        "{tokens}"
    );
}

/// The schema of a field, from the definition.
fn schema(field: &str) -> Value {
    let definition = toolsearch_crds::definition().unwrap();
    let spec =
        &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    field.split('.').fold(spec.clone(), |at, name| {
        let inner = at["properties"][name].clone();
        assert!(inner.is_object(), "spec.{field} is no field");
        inner
    })
}

#[test]
fn c4_bounds_of_fields_are_those_of_their_settings() {
    for (flag, field) in environment::FIELDS {
        let declared = DECLARATIONS.iter().find(|one| one.flag == flag);
        let kind = declared
            .unwrap_or_else(|| panic!("{flag} is no setting"))
            .kind;
        let schema = schema(field);
        let says = |schema: &Value, words: &str| {
            let rules = schema["x-kubernetes-validations"].to_string();
            assert!(
                rules.contains(words),
                "spec.{field} lacks {words:?}: {rules}"
            );
        };
        let time = |millis: u64| match millis {
            _ if millis.is_multiple_of(3_600_000) => format!("{}h", millis / 3_600_000),
            _ if millis.is_multiple_of(1000) => format!("{}s", millis / 1000),
            _ => format!("{millis}ms"),
        };
        match kind {
            Kind::Number(least, most) => {
                assert_eq!(schema["minimum"].as_f64(), Some(least as f64), "{field}");
                assert_eq!(schema["maximum"].as_f64(), Some(most as f64), "{field}");
            }
            Kind::Bytes(least, most) => {
                let words = format!("from {} to {},", size_text(least), size_text(most));
                says(&schema, &words);
            }
            // In whole seconds, which the schema bounds.
            Kind::Duration(0, most) => {
                assert_eq!(schema["maximum"].as_f64(), Some(most as f64 / 1000.0));
            }
            Kind::Duration(least, most) => {
                says(
                    &schema,
                    &format!("from {} to {} with", time(least), time(most)),
                );
            }
            Kind::Timeouts(least, most) => {
                let inner = &schema["items"]["properties"]["timeout"];
                says(
                    inner,
                    &format!("from {} to {} with", time(least), time(most)),
                );
            }
            _ => {}
        }
    }
}

#[test]
fn every_setting_that_is_rendered_has_a_field_or_is_the_operators() {
    let ours = ["listen", "diagnostics", "model-dir"];
    let without: Vec<&str> = DECLARATIONS
        .iter()
        .map(|declared| declared.flag)
        .filter(|flag| !environment::FIELDS.iter().any(|(known, _)| known == flag))
        .collect();
    assert_eq!(without, ours);
}
