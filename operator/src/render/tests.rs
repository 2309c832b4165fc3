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
    let said = refused(
        "{upstream: {url: 'https://gateway.example/mcp'}, search: {maxAnswer: 1B}, catalog: {ttl: 0s}}",
    );
    assert!(
        said.contains("TOOLSEARCH_MAX_ANSWER") && said.contains("TOOLSEARCH_CATALOG_TTL"),
        "{said}"
    );
}

#[test]
fn a_file_without_a_resource_is_an_error() {
    assert!(matches!(
        render("{kind: Pod}", &defaults(), Form::Objects),
        Err(Error::Nothing)
    ));
}
