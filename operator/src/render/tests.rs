//! R1: a resource in, the objects out, golden; and what is refused says all that is wrong.

use expect_test::{ExpectFile, expect_file};

use super::*;

fn defaults() -> Defaults {
    Defaults {
        proxy_image: "registry.example/toolsearch@sha256:0000000000000000000000000000000000000000000000000000000000000000".to_owned(),
        pull_policy: None,
        pull_secrets: Vec::new(),
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the expectation is made where it is checked"
)]
fn check(resource: &str, form: Form, expected: ExpectFile) {
    expected.assert_eq(&render(resource, &defaults(), form).unwrap());
}

#[test]
fn r1_objects_of_each_fixture() {
    check(
        include_str!("../../fixtures/minimal.yaml"),
        Form::Objects,
        expect_file!["../../fixtures/minimal.objects.yaml"],
    );
    check(
        include_str!("../../fixtures/fetched.yaml"),
        Form::Objects,
        expect_file!["../../fixtures/fetched.objects.yaml"],
    );
    check(
        include_str!("../../fixtures/image.yaml"),
        Form::Objects,
        expect_file!["../../fixtures/image.objects.yaml"],
    );
    check(
        include_str!("../../fixtures/volume.yaml"),
        Form::Objects,
        expect_file!["../../fixtures/volume.objects.yaml"],
    );
}

#[test]
fn a_sidecar_is_a_fragment_of_a_pod() {
    check(
        include_str!("../../fixtures/minimal.yaml"),
        Form::Sidecar,
        expect_file!["../../fixtures/minimal.sidecar.yaml"],
    );
    check(
        include_str!("../../fixtures/fetched.yaml"),
        Form::Sidecar,
        expect_file!["../../fixtures/fetched.sidecar.yaml"],
    );
}

fn refused(spec: &str) -> String {
    let text = format!(
        "{{apiVersion: toolsearch.dev/v1alpha1, kind: ToolSearchProxy, metadata: {{name: tools}}, spec: {spec}}}"
    );
    render(&text, &defaults(), Form::Objects)
        .unwrap_err()
        .to_string()
}

#[test]
fn mistakes_are_all_said_at_once() {
    let said = refused(
        "{upstream: {url: 'https://gateway.example/mcp'}, replica: 3, model: {inbuilt: {}}}",
    );
    assert!(said.contains("spec.replica is no field"), "{said}");
    assert!(said.contains("spec.model.inbuilt is no field"), "{said}");
    let said = refused("{upstream: {url: nowhere}, replicas: 2, autoscaling: {maxReplicas: 3}}");
    assert!(
        said.contains("must be an http or https URL") && said.contains("replicas or autoscaling"),
        "{said}"
    );
    // What a rule refuses, what only the proxy's own parser does, and each once.
    let said = refused(
        "{upstream: {url: nowhere}, search: {maxAnswer: 1B}, catalog: {ttl: 0s}, writeTools: [a, '['], logging: {level: loud}}",
    );
    for field in [
        "spec.upstream.url",
        "spec.search.maxAnswer",
        "spec.catalog.ttl",
        "spec.writeTools",
        "spec.logging.level",
    ] {
        assert_eq!(said.matches(field).count(), 1, "{field}: {said}");
    }
}

#[test]
fn a_rule_about_one_item_hides_no_other() {
    let said = refused(
        "{upstream: {url: 'https://gateway.example/mcp', timeouts: {tools: [{tool: a, timeout: 25h}, {tool: '[', timeout: 1s}]}}, allowedHosts: ['http://a', '[b]']}",
    );
    for words in ["timeouts.tools[0].timeout: ", r#""[=1s""#, r#""[b]""#] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_file_without_a_resource_is_an_error() {
    assert!(matches!(
        render("{kind: Pod}", &defaults(), Form::Objects),
        Err(Error::Nothing)
    ));
}

fn render_one(text: &str) -> Result<String, Error> {
    render(text, &defaults(), Form::Objects)
}

const HEAD: &str = "apiVersion: toolsearch.dev/v1alpha1\nkind: ToolSearchProxy\n";
const SPEC: &str = "spec: {upstream: {url: 'https://gateway.example/mcp'}}\n";

#[test]
fn what_the_schema_refuses_is_refused_here() {
    let url = "upstream: {url: 'https://gateway.example/mcp'}";
    for (spec, said) in [
        ("replicas: -5", "spec.replicas"),
        ("replicas: 100000", "spec.replicas"),
        ("replicas: two", "spec.replicas"),
        ("rollout: {maxSurge: abc}", "spec.rollout.maxSurge"),
        ("writeTools: [a, b, a]", "spec.writeTools holds \"a\" twice"),
        (
            "model: {huggingFace: {revision: main}}",
            "spec.model.huggingFace.revision",
        ),
        (
            "model: {http: {baseUrl: 'https://m.example', files: [{path: a, sha256: zz, size: 1}]}}",
            "spec.model.http.files.0.sha256",
        ),
        (
            "model: {http: {baseUrl: 'https://m.example', files: [{path: a, sha256: zz, size: -1}]}}",
            "spec.model.http.files.0.size",
        ),
        (
            "model: {fetch: {timeout: soon}, huggingFace: {}}",
            "spec.model.fetch.timeout",
        ),
    ] {
        let heard = refused(&format!("{{{url}, {spec}}}"));
        assert!(heard.contains(said), "{spec}: {heard}");
    }
    for (text, said) in [
        (
            format!(
                "apiVersion: other.dev/v1beta9\nkind: ToolSearchProxy\nmetadata: {{name: a}}\n{SPEC}"
            ),
            "other.dev/v1beta9",
        ),
        (
            format!("{HEAD}metadata: {{name: 'Ü b/../'}}\n{SPEC}"),
            "must begin with a letter",
        ),
        (
            format!("{HEAD}metadata: {{name: my.tools}}\n{SPEC}"),
            "must begin with a letter",
        ),
        (
            format!("{HEAD}metadata: {{name: a, namespace: A}}\n{SPEC}"),
            "metadata.namespace",
        ),
        (
            format!("{HEAD}metadata: {{}}\n{SPEC}"),
            "metadata.name is missing",
        ),
        (format!("{HEAD}metadata: {{name: a}}\n"), "spec"),
    ] {
        let heard = render_one(&text).unwrap_err().to_string();
        assert!(heard.contains(said), "{text}: {heard}");
    }
}

#[test]
fn null_is_a_field_that_was_left_out() {
    let text = format!(
        "{HEAD}metadata: {{name: a}}\nspec: {{upstream: {{url: 'https://g.example/mcp'}}, model: null, replicas: null}}\n"
    );
    assert!(render_one(&text).unwrap().contains("replicas: 2"));
}

#[test]
fn items_of_lists_are_rendered() {
    let item = "{apiVersion: toolsearch.dev/v1alpha1, kind: ToolSearchProxy, metadata: {name: NAME}, spec: {upstream: {url: 'https://g.example/mcp'}}}";
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n- {{kind: Pod}}\n",
        item.replace("NAME", "one"),
        item.replace("NAME", "two")
    );
    let printed = render_one(&list).unwrap();
    assert_eq!(printed.matches("kind: Deployment").count(), 2);
}

#[test]
fn a_namespace_is_only_printed_where_it_was_given() {
    let with = |metadata: &str| render_one(&format!("{HEAD}metadata: {metadata}\n{SPEC}")).unwrap();
    assert!(!with("{name: a}").contains("namespace:"));
    assert!(with("{name: a, namespace: b}").contains("  namespace: b\n"));
}

#[test]
fn two_sidecars_are_two_documents() {
    let text =
        format!("{HEAD}metadata: {{name: a}}\n{SPEC}---\n{HEAD}metadata: {{name: b}}\n{SPEC}");
    let printed = render(&text, &defaults(), Form::Sidecar).unwrap();
    assert_eq!(serde_yaml::Deserializer::from_str(&printed).count(), 2);
}

#[test]
fn a_sidecar_says_what_it_leaves_out_and_keeps_what_is_its_own() {
    let text = format!(
        "{HEAD}metadata: {{name: a}}\nspec:\n  upstream: {{url: 'https://g.example/mcp'}}\n  imagePullSecrets: [pull]\n  \
         model: {{huggingFace: {{tokenSecretRef: {{name: hub, key: token}}}}}}\n  \
         podTemplate: {{spec: {{schedulerName: mine, containers: [{{name: proxy, env: [{{name: TZ, value: UTC}}]}}]}}}}\n"
    );
    let printed = render(&text, &defaults(), Form::Sidecar).unwrap();
    assert!(
        printed
            .contains("# Left out of podTemplate, for it is about the whole pod: schedulerName."),
        "{printed}"
    );
    let fragment: Value = serde_yaml::from_str(&printed).unwrap();
    assert_eq!(fragment["imagePullSecrets"][0]["name"], "pull");
    let proxy = &fragment["initContainers"][1];
    assert!(proxy["env"].to_string().contains("\"TZ\""), "{proxy}");
    // The pod's group is not ours, so others may read the token's file, and our user is our own.
    assert_eq!(fragment["volumes"][1]["secret"]["defaultMode"], 0o444);
    assert_eq!(
        fragment["initContainers"][0]["securityContext"]["runAsUser"],
        65_532
    );
    assert_eq!(proxy["securityContext"]["runAsUser"], 65_532);
}
