#!/usr/bin/env python3
"""The chart against a real API server: accepted, installed, upgraded, rolled back, uninstalled.

    KUBECONFIG=… tests/charts/live.py      kubectl and helm from $KUBECTL and $HELM, or the PATH

Needs an administrator, and a cluster without the ToolSearchProxy definition: it is installed and
removed here, as is everything else this makes. Pods do not have to run: an API server is enough.
"""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True

import helm  # noqa: E402
import rights  # noqa: E402

DEFINITION = "toolsearchproxies.toolsearch.dev"
SYSTEM, WATCHED, OTHER = "chart-live-system", "chart-live-watched", "chart-live-other"
MONITORING = {"servicemonitors": "ServiceMonitor", "podmonitors": "PodMonitor", "prometheusrules": "PrometheusRule"}
DIGEST = "@sha256:" + "0" * 64


def kubectl(*arguments, given=None):
    """Exit status and both outputs."""
    done = subprocess.run(
        [os.environ.get("KUBECTL", "kubectl"), *arguments],
        input=given, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def must(code_and_text):
    """The text of what has to work."""
    code, text = code_and_text[0], "".join(code_and_text[1:])
    if code:
        raise AssertionError(text.strip())
    return text


def release(*arguments):
    """One helm command in the operator's namespace."""
    return must(helm.run(*arguments, "--namespace", SYSTEM))


def crd_of(plural, kind):
    """A definition that takes anything, where the Prometheus operator's is missing."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.monitoring.coreos.com"},
        "spec": {
            "group": "monitoring.coreos.com",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def prepare():
    """Namespaces, and stand-ins for missing definitions; what has to be removed at the end."""
    if kubectl("get", "crd", DEFINITION)[0] == 0:
        sys.exit("this cluster has ToolSearchProxies already; take another one")
    made = []
    for plural, kind in MONITORING.items():
        if kubectl("get", "crd", f"{plural}.monitoring.coreos.com")[0]:
            must(kubectl("create", "-f", "-", given=json.dumps(crd_of(plural, kind))))
            made.append(f"crd/{plural}.monitoring.coreos.com")
            must(kubectl("wait", "--for=condition=Established", "--timeout=30s", made[-1]))
    for namespace in (SYSTEM, WATCHED, OTHER, "elsewhere", "monitoring", "team-a", "team-b"):
        if kubectl("get", "ns", namespace)[0]:
            must(kubectl("create", "ns", namespace))
            made.append(f"ns/{namespace}")
        # Made by a controller in a whole cluster; pods are refused without it.
        if kubectl("-n", namespace, "get", "sa", "default")[0]:
            kubectl("-n", namespace, "create", "sa", "default")
    for namespace in (SYSTEM, "elsewhere"):
        must(kubectl("label", "ns", namespace, "pod-security.kubernetes.io/enforce=restricted", "--overwrite"))
    return made


def every_case_is_accepted():
    """each case passes strict validation and restricted admission"""
    for case in helm.cases():
        text = helm.template("-f", case, namespace=SYSTEM)
        code, said = kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-", given=text)
        if code or "warning" in said.lower():
            yield f"{case.name}: {said}"


def may(account, verb, group, resource, namespace):
    """What the API server's authorizer says."""
    whole, _, sub = resource.partition("/")
    flags = ["--subresource", sub] if sub else []
    kind = f"{whole}.{group}" if group else whole
    return kubectl("auth", "can-i", verb, kind, "-n", namespace, "--as", account, *flags)[1].strip().endswith("yes")


def rights_hold():
    """the ServiceAccount may do what the code needs, there alone, and nothing dangerous"""
    account = f"system:serviceaccount:{SYSTEM}:live-toolsearch-operator"
    dangerous = [
        ("list", "", "secrets"), ("watch", "", "secrets"), ("create", "", "secrets"), ("create", "", "pods"),
        ("create", "", "pods/exec"), ("create", "rbac.authorization.k8s.io", "rolebindings"),
        ("create", "toolsearch.dev", "toolsearchproxies"), ("patch", "toolsearch.dev", "toolsearchproxies"),
        ("update", "apps", "deployments"), ("deletecollection", "apps", "deployments"),
    ]  # fmt: skip
    for values, outside in [([], True), (["--set", f"watchNamespaces={{{WATCHED}}}"], False)]:
        release("upgrade", "--install", "live", helm.CHART, *values)
        for (group, resource), verbs in rights.NEEDED.items():
            for verb in verbs:
                if not may(account, verb, group, resource, WATCHED):
                    yield f"{values}: may not {verb} {resource}"
            if may(account, verbs[0], group, resource, OTHER) != outside:
                yield f"{values}: {verbs[0]} {resource} in a namespace that is {'' if outside else 'not '}watched"
        for verb, group, resource in dangerous:
            if may(account, verb, group, resource, WATCHED):
                yield f"{values}: may {verb} {resource}"
        for namespace, expected in [(SYSTEM, True), (WATCHED, False)]:
            if may(account, "create", "coordination.k8s.io", "leases", namespace) != expected:
                yield f"{values}: leases in {namespace}"


def resource(spec):
    """A ToolSearchProxy."""
    given = {"url": "https://gateway.example.com/mcp"} | spec.pop("upstream", {})
    head = {"name": "live", "namespace": WATCHED}
    return json.dumps({"apiVersion": "toolsearch.dev/v1alpha1", "kind": "ToolSearchProxy", "metadata": head, "spec": {"upstream": given} | spec})


def policy_decides():
    """the admission policy refuses what its rules name, and lets the rest pass"""
    images = "{registry.example.com/}"
    release(
        "upgrade", "live", helm.CHART, "--set", "admissionPolicy.enabled=true,admissionPolicy.requireImageDigest=true",
        "--set", f"admissionPolicy.maxReplicas=5,admissionPolicy.allowedImagePrefixes={images}",
    )  # fmt: skip
    table = [
        ({}, ""),
        ({"replicas": 5, "image": "registry.example.com/a" + DIGEST}, ""),
        ({"upstream": {"url": "https://169.254.0.1.example.com/mcp"}}, ""),
        ({"upstream": {"url": "http://gateway.example.com/mcp"}}, "https only"),
        ({"upstream": {"url": "https://169.254.169.254/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://[fe80::1]/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://[fd00:ec2::254]/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://[::ffff:169.254.169.254]/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://[0:0:0:0:0:ffff:a9fe:a9fe]/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://2852039166/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://0xa9fea9fe/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://0251.0376.169.254/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://169.254.169.254./mcp"}}, "link-local"),
        ({"upstream": {"url": "https://Metadata.Google.Internal/mcp"}}, "link-local"),
        ({"upstream": {"url": "https://10.0.0.7:8443/mcp"}}, ""),
        ({"upstream": {"url": "https://[fd12::7]/mcp"}}, ""),
        ({"upstream": {"url": "https://gateway2/mcp"}}, ""),
        ({"image": "registry.example.com/a:1"}, "by digest only"),
        ({"image": "other.example.com/a" + DIGEST}, "must begin with"),
        ({"replicas": 6}, "at most 5"),
    ]
    # The API server takes a policy up some moments after it is made.
    for _ in range(60):
        if kubectl("create", "--dry-run=server", "-f", "-", given=resource({"replicas": 6}))[0]:
            break
    for spec, said in table:
        code, heard = kubectl("create", "--dry-run=server", "-f", "-", given=resource(dict(spec)))
        if bool(code) != bool(said) or said not in heard:
            yield f"{spec}: {heard.strip()}"
    # The operator makes two pods of a resource that names no number.
    release("upgrade", "live", helm.CHART, "--set", "admissionPolicy.enabled=true,admissionPolicy.maxReplicas=1")
    for _ in range(60):
        code, heard = kubectl("create", "--dry-run=server", "-f", "-", given=resource({}))
        if code:
            break
    if "at most 1" not in heard:
        yield f"a resource without replicas passes a maximum of 1: {heard.strip()}"


def lives_and_goes():
    """upgrade, rollback and uninstall; the definition and its resources stay"""
    release("upgrade", "live", helm.CHART, "--set", "replicas=3,rbac.aggregate=true")
    deployment = ["-n", SYSTEM, "get", "deploy", "live-toolsearch-operator", "-o", "jsonpath={.spec.replicas}"]
    if must(kubectl(*deployment)) != "3":
        yield "the upgrade does not arrive"
    if kubectl("get", "validatingadmissionpolicy", f"live-toolsearch-operator.{SYSTEM}")[0] == 0:
        yield "a switch turned off leaves its objects"
    release("rollback", "live", "1")
    if must(kubectl(*deployment)) != "2":
        yield "the rollback does not arrive"
    must(kubectl("-n", WATCHED, "apply", "-f", str(helm.CHART / "examples" / "minimal.yaml")))
    refused = helm.run("install", "second", helm.CHART, "--namespace", OTHER)
    if refused[0] == 0 or "ownership" not in refused[2]:
        yield f"a second release takes the definition: {refused}"
    must(helm.run("install", "second", helm.CHART, "--namespace", OTHER, *helm.NO_CRDS))
    must(helm.run("uninstall", "second", "--namespace", OTHER))
    release("uninstall", "live")
    if "tools" not in must(kubectl("-n", WATCHED, "get", "tsp", "-o", "name")):
        yield "uninstalling removed a resource"
    left = must(kubectl("get", "clusterrole,clusterrolebinding,deploy,svc,sa,pdb,role,rolebinding", "-A", "-o", "name"))
    for line in left.splitlines():
        if "live-toolsearch" in line or "second-toolsearch" in line:
            yield f"uninstalling leaves {line}"
    release("install", "live", helm.CHART)
    release("uninstall", "live")
    other = helm.run("install", "other", helm.CHART, "--namespace", SYSTEM, "--take-ownership")
    if other[0]:
        yield f"ownership cannot be handed over: {other[2]}"
    helm.run("uninstall", "other", "--namespace", SYSTEM)


CHECKS = [every_case_is_accepted, rights_hold, policy_decides, lives_and_goes]


def main():
    """Runs every check in order, removes what was made; 1 when one of them found something."""
    helm.program()
    made, failed = prepare(), 0
    try:
        for check in CHECKS:
            try:
                problems = list(check())
            except AssertionError as error:
                problems = [str(error)]
            failed += bool(problems)
            print(f"{'FAILED' if problems else 'ok    '} {check.__doc__}")
            for problem in problems:
                print(f"       {problem}")
    finally:
        helm.run("uninstall", "live", "--namespace", SYSTEM)
        kubectl("delete", "crd", DEFINITION, "--ignore-not-found")
        for one in made:
            kubectl("delete", one, "--wait=false")
    print(f"charts live: {len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
