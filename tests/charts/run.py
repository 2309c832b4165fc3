#!/usr/bin/env python3
"""The chart's checks, with the real helm ($HELM, or helm of the PATH).

    tests/charts/run.py                    everything; the last line counts
    UPDATE_EXPECT=1 tests/charts/run.py    prints README, schema, image list and goldens again first

Python 3.11 and helm 3.18 or newer; no cluster, no network, no package.
"""

import difflib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import helm  # noqa: E402
import metrics  # noqa: E402
import pages  # noqa: E402
import rights  # noqa: E402

UPDATE = os.environ.get("UPDATE_EXPECT", "") not in ("", "0")
GOLDENS = Path(__file__).parent / "goldens"
DIGEST = "sha256:" + "0" * 64


def differs(path, expected):
    """A stale file's difference; nothing when it is fresh or was printed again."""
    given = path.read_text() if path.exists() else ""
    if given == expected:
        return
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(expected)
        print(f"printed {path.relative_to(helm.ROOT)}")
        return
    lines = difflib.unified_diff(
        given.splitlines(), expected.splitlines(), "kept", "printed now", lineterm="", n=2
    )
    shown = "\n".join(list(lines)[:60])
    yield f"{path.relative_to(helm.ROOT)} is stale (UPDATE_EXPECT=1 prints it again):\n{shown}"


def pages_are_fresh():
    """README, schema and image list are those of values.yaml"""
    for name, printed in pages.PAGES.items():
        yield from differs(helm.CHART / name, printed())


def lint_is_clean():
    """helm lint --strict, with every case"""
    for case in helm.cases():
        code, out, err = helm.run("lint", "--strict", helm.CHART, "-f", case)
        if code or "WARNING" in out:
            yield f"{case.name}: {out}{err}"


def goldens_hold():
    """each case renders as kept"""
    for case in helm.cases():
        text = helm.template(*helm.NO_CRDS, "-f", case)
        # Dashboards are files of their own; here only that they are put in.
        text = re.sub(r"^( +)\{\n(?:\1.*\n)+?\1\}$", r"\1{ a dashboard }", text, flags=re.M)
        yield from differs(GOLDENS / case.name, text)


MISSPELT = [
    "repliacas=2",
    "image.digests=x",
    "operator.log.levels=info",
    "serviceMonitor.period=30s",
    "crds.enable=true",
    "livenessProbe.period=3",
    "networkPolicy.apiServer.cidr=10.0.0.0/8",
]
WRONG = [
    ("replicas=two", "replicas"),
    ("replicas=-1", "replicas"),
    ("image.digest=sha256:123", "digest"),
    ("image.pullPolicy=Sometimes", "pullPolicy"),
    ("operator.resync=10 minutes", "resync"),
    ("operator.log.format=xml", "format"),
    ("crds.enabled=yes please", "enabled"),
    ("watchNamespaces={a,a}", "watchNamespaces"),
    ("watchNamespaces={Team}", "watchNamespaces"),
    ("podDisruptionBudget.maxUnavailable=most", "maxUnavailable"),
    ("admissionPolicy.allowedImagePrefixes={x'y}", "allowedImagePrefixes"),
]


def typos_are_refused():
    """a misspelt value and a wrong type fail, and the message names them"""
    for setting in MISSPELT:
        said = helm.refusal("--set", setting)
        if setting.split("=")[0].split(".")[-1] not in said:
            yield f"{setting}: {said or 'taken'}"
    for setting, name in WRONG:
        said = helm.refusal("--set", setting)
        if name not in said:
            yield f"{setting}: {said or 'taken'}"
    if said := helm.refusal("--set", "global.ofSomeParent=x"):
        yield f"global is shared with other charts: {said}"


TOGETHER = {
    "leaderElection.enabled is false": ["leaderElection.enabled=false"],
    "serviceAccount.name is empty": ["serviceAccount.create=false"],
    "maxUnavailable and minAvailable": ["podDisruptionBudget.minAvailable=1"],
    "neither maxUnavailable nor minAvailable": ["podDisruptionBudget.maxUnavailable="],
    "blocks every node drain": ["podDisruptionBudget.maxUnavailable=0"],
    "lets no pod go": ["podDisruptionBudget.maxUnavailable=", "podDisruptionBudget.minAvailable=2"],
    "scraped twice": ["serviceMonitor.enabled=true", "podMonitor.enabled=true"],
    "serviceMonitor.enabled needs service.enabled": ["serviceMonitor.enabled=true", "service.enabled=false"],
    "readinessImage needs service.enabled": ["helmTest.readinessImage=busybox", "service.enabled=false"],
    "every rule off": [
        "admissionPolicy.enabled=true",
        "admissionPolicy.requireHttps=false",
        "admissionPolicy.forbidLinkLocal=false",
    ],
    "Deny and Warn": ["admissionPolicy.enabled=true", "admissionPolicy.validationActions={Deny,Warn}"],
    "which the chart sets: use the value": ["extraArgs={--lease-name=x}"],
    "extraEnv holds POD_NAME": ["extraEnv[0].name=POD_NAME", "extraEnv[0].value=x"],
}


def wrong_combinations_fail():
    """values that do not work together fail with what to do, all of them at once"""
    for said, settings in TOGETHER.items():
        flags = [part for setting in settings for part in ("--set", setting)]
        if said not in (heard := helm.refusal(*flags)):
            yield f"{settings}: {heard or 'taken'}"
    both = helm.refusal("--set", "leaderElection.enabled=false", "--set", "extraArgs={--resync=1s}")
    if both.count("\n- ") != 2:
        yield f"two mistakes are not told together: {both}"


def names(*arguments, release, namespace):
    """(kind, namespace, name) of what a release makes."""
    text = helm.template(*arguments, release=release, namespace=namespace)
    return {
        (one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"])
        for one in helm.objects(text)
    }


def releases_never_meet():
    """two releases have no name in common, but for the definition where both bring it"""
    crd = {("CustomResourceDefinition", "", "toolsearchproxies.toolsearch.dev")}
    everything = ["-f", helm.VALUES / "everything.yaml", "--set", "fullnameOverride=,namespaceOverride=,serviceAccount.name=,extraObjects=null"]
    watching = ["--set", "watchNamespaces={shared}"]
    long = "r" * 52
    pairs = [
        (("one", "same"), ("two", "same")),
        (("same", "one"), ("same", "two")),
        (("a", "b-c"), ("a-b", "c")),
        ((long + "a", "same"), (long + "b", "same")),
        (("v1.2", "same"), ("v1-2", "same")),
        (("a", "same"), ("a-toolsearch-operator", "same")),
    ]
    for left, right in pairs:
        for values in ([], everything, watching):
            first = names(*values, release=left[0], namespace=left[1])
            second = names(*values, release=right[0], namespace=right[1])
            if (met := first & second) != crd:
                yield f"{left} and {right} with {values}: {sorted(met ^ crd)}"
    apart = [names(*helm.NO_CRDS, release=release, namespace="same") for release in ("one", "two")]
    if met := apart[0] & apart[1]:
        yield f"without the definition: {sorted(met)}"


def names_fit():
    """object names are DNS names of a length that the API server takes, labels too"""
    for release in ("r", "v1.2", "1st", "r" * 53, "toolsearch-operator"):
        text = helm.template("-f", helm.VALUES / "everything.yaml", "--set", "fullnameOverride=,nameOverride=", release=release)
        for one in helm.objects(text):
            name = one["metadata"]["name"]
            # A Service's name is a label; another kind's may hold dots.
            allowed = r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?" if one["kind"] == "Service" else r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?"
            if not re.fullmatch(allowed, name):
                yield f"{release}: {one['kind']} {name}"
            for key, value in one["metadata"].get("labels", {}).items():
                if len(value) > 63:
                    yield f"{release}: label {key}: {value}"


def definition_is_the_same_bytes():
    """the chart's copy of the definition is the generated one, and is rendered unchanged"""
    generated = helm.ROOT / "crds" / "toolsearchproxies.yaml"
    copy = helm.CHART / "files" / "toolsearchproxies.yaml"
    if UPDATE and copy.read_bytes() != generated.read_bytes():
        copy.write_bytes(generated.read_bytes())
    if copy.read_bytes() != generated.read_bytes():
        yield "charts/toolsearch-operator/files/toolsearchproxies.yaml is stale: copy crds/toolsearchproxies.yaml"
    only = ["--show-only", "templates/crds.yaml"]
    kept = helm.template(*only)
    head, _, rest = kept.partition("  name: toolsearchproxies.toolsearch.dev\n")
    added, _, body = rest.partition("spec:\n")
    if copy.read_text().strip() not in (head + "  name: toolsearchproxies.toolsearch.dev\nspec:\n" + body):
        yield "the rendered definition is another one than the file"
    if "helm.sh/resource-policy: keep" not in added:
        yield "crds.keep does not keep"
    if "resource-policy" in helm.template(*only, "--set", "crds.keep=false"):
        yield "crds.keep=false keeps"
    if "CustomResourceDefinition" in helm.template(*helm.NO_CRDS):
        yield "crds.enabled=false brings the definition"


def metrics_exist():
    """alerts and dashboards use metrics and labels that exist"""
    yield from metrics.problems()


def alerts_have_runbooks():
    """every alert has its heading in docs/troubleshooting.md, and is rendered"""
    page = (helm.ROOT / "docs" / "troubleshooting.md").read_text()
    headings = re.findall(r"^#+ (\w+)$", page, re.M)
    rendered = helm.template("--show-only", "templates/prometheusrule.yaml", "--set", "prometheusRule.enabled=true")
    for group in metrics.alerts().values():
        for alert in group:
            if alert["alert"] not in headings:
                yield f"docs/troubleshooting.md has no heading {alert['alert']}"
            if f"docs/troubleshooting.md#{alert['alert'].lower()}" not in rendered:
                yield f"{alert['alert']} has no runbook address"
    if "OPERATOR" in rendered or "CONCURRENCY" in rendered:
        yield "a placeholder is left in an alert"


def rights_are_exact():
    """the operator's roles hold the verbs its code needs and no other, in both modes"""
    yield from rights.exact()


def rights_are_never_wide():
    """no role of any case holds a wildcard, a forbidden verb or more of secrets than get"""
    yield from rights.never()


def pods_are_restricted():
    """every pod of every case passes the restricted pod security standard"""
    for case in helm.cases():
        for name, spec in helm.pod_specs(helm.objects(helm.template(*helm.NO_CRDS, "-f", case))):
            pod = spec["securityContext"]
            if pod.get("runAsNonRoot") is not True or pod["seccompProfile"]["type"] != "RuntimeDefault":
                yield f"{case.name}: {name}: {pod}"
            if case.stem == "openshift" and {"runAsUser", "runAsGroup", "fsGroup"} & pod.keys():
                yield f"{case.name}: {name}: an id is fixed though it was set to null: {pod}"
            if case.stem != "openshift" and not pod.get("runAsUser"):
                yield f"{case.name}: {name}: no numeric user"
            if {"hostNetwork", "hostPID", "hostIPC"} & spec.keys() or "automountServiceAccountToken" not in spec:
                yield f"{case.name}: {name}: host namespaces, or no word on the token"
            for container in spec["containers"]:
                own = container["securityContext"]
                if own["allowPrivilegeEscalation"] or own["capabilities"] != {"drop": ["ALL"]} or not own["readOnlyRootFilesystem"]:
                    yield f"{case.name}: {name}/{container['name']}: {own}"
                if "cpu" in container.get("resources", {}).get("limits", {}):
                    yield f"{case.name}: {name}/{container['name']}: a CPU limit"


def selectors_are_two_labels():
    """selectors hold name and instance alone, and pick the operator's pods and no other"""
    for case in helm.cases():
        found = helm.objects(helm.template(*helm.NO_CRDS, "-f", case))
        deployment = next(one for one in found if one["kind"] == "Deployment")
        selector = deployment["spec"]["selector"]["matchLabels"]
        if selector.keys() != {"app.kubernetes.io/name", "app.kubernetes.io/instance"}:
            yield f"{case.name}: {selector}"
        if not selector.items() <= deployment["spec"]["template"]["metadata"]["labels"].items():
            yield f"{case.name}: the Deployment does not select its own pods"
        for one in found:
            if one["kind"] == "Pod" and selector.items() <= one["metadata"]["labels"].items():
                yield f"{case.name}: {one['metadata']['name']} would be taken for the operator"
            if one["kind"] == "Service" and one["spec"]["selector"] != selector:
                yield f"{case.name}: the Service selects {one['spec']['selector']}"
            if one["kind"] in ("PodDisruptionBudget", "ServiceMonitor", "PodMonitor") and one["spec"]["selector"]["matchLabels"] != selector:
                yield f"{case.name}: {one['kind']} selects something else"


def nothing_is_on_by_itself():
    """by default no monitoring objects, policies or cluster-wide extras"""
    usual = {
        "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding",
        "Deployment", "PodDisruptionBudget", "Service", "ConfigMap", "Pod", "CustomResourceDefinition",
    }  # fmt: skip
    found = helm.objects(helm.template())
    if more := {one["kind"] for one in found} ^ usual:
        yield f"by default: {sorted(more)}"
    hooks = {one["kind"] for one in found if "helm.sh/hook" in one["metadata"].get("annotations", {})}
    if hooks != {"ConfigMap", "Pod"}:
        yield f"hooks: {sorted(hooks)}"


def strategies_are_taken():
    """updateStrategy.type=Recreate leaves out what belongs to the other strategy"""
    only = ["--show-only", "templates/deployment.yaml"]
    for kind, said in [("Recreate", {"type"}), ("RollingUpdate", {"type", "rollingUpdate"})]:
        found = helm.objects(helm.template(*only, "--set", f"updateStrategy.type={kind}"))
        if (strategy := found[0]["spec"]["strategy"]).keys() != said:
            yield f"{kind}: {strategy}"


def policy_counts_as_the_operator_does():
    """the admission policy counts a resource without replicas as the operator does"""
    source = (helm.ROOT / "operator" / "src" / "desired.rs").read_text()
    count = re.search(r"const REPLICAS: i32 = (\d+);", source)[1]
    values = ["--set", "admissionPolicy.enabled=true,admissionPolicy.maxReplicas=1"]
    found = helm.objects(helm.template("--show-only", "templates/admissionpolicy.yaml", *values))
    policy = next(one for one in found if one["kind"] == "ValidatingAdmissionPolicy")
    replicas = next(one for one in policy["spec"]["variables"] if one["name"] == "replicas")
    if not replicas["expression"].strip().endswith(f"? object.spec.replicas : {count}"):
        yield f"the operator makes {count} pods; the policy: {replicas['expression']}"


def images_follow_their_values():
    """digests win, the global registry comes first, the proxy's image follows the operator's"""
    own, pinned = "own.example.com/toolsearch:0.1.0", f"@{DIGEST}"
    digested = ["--set", f"image.digest={DIGEST}", "--set", "image.registry=own.example.com"]
    mirror = ["--set", "global.imageRegistry=m.example.com"]
    table = [
        ([], "toolsearch:0.1.0", "toolsearch:0.1.0"),
        (digested, own + pinned, own + pinned),
        ([*digested, *mirror], f"m.example.com/toolsearch:0.1.0{pinned}", f"m.example.com/toolsearch:0.1.0{pinned}"),
        ([*digested, "--set", "proxyImage.tag=v2"], own + pinned, "own.example.com/toolsearch:v2"),
        ([*digested, "--set", "proxyImage.repository=p,proxyImage.registry=q.example.com"], own + pinned, "q.example.com/p:0.1.0"),
    ]
    for values, operator, proxy in table:
        found = helm.objects(helm.template("--show-only", "templates/deployment.yaml", *values))
        container = found[0]["spec"]["template"]["spec"]["containers"][0]
        if container["image"] != operator or f"--proxy-image={proxy}" not in container["args"]:
            yield f"{values}: {container['image']}, {container['args'][1]}"
    for case in helm.cases():
        if ":latest" in (text := helm.template("-f", case)) or re.search(r"\de\+\d", text):
            yield f"{case.name}: a tag latest, or a number such as 1e+06"


def flags_are_the_operators():
    """the chart sets flags that the operator has, all of them, and refuses them among extraArgs"""
    source = (helm.ROOT / "operator" / "src" / "flags.rs").read_text()
    has = set(re.findall(r'"([a-z-]+)",\s+"TOOLSEARCH_OPERATOR_', source))
    if len(has) < 10:
        yield "operator/src/flags.rs declares its flags in another way; this check must learn it"
    refused = (helm.CHART / "templates" / "validate.yaml").read_text()
    refused = set(re.findall(r'"([a-z-]+)"', re.search(r"\$set := list (.*) -\}\}", refused)[1]))
    if has != refused:
        yield f"templates/validate.yaml: {sorted(has ^ refused)}"
    every = ["--set", "watchNamespaces={a},instanceLabelSelector=a=b,imagePullSecrets={c}"]
    found = helm.objects(helm.template("--show-only", "templates/deployment.yaml", *every))
    arguments = found[0]["spec"]["template"]["spec"]["containers"][0]["args"]
    given = {argument[2:].split("=")[0] for argument in arguments[1:]}
    if arguments[0] != "run" or given != has:
        yield f"templates/deployment.yaml: {sorted(has ^ given)}"


def values_are_used():
    """every value is read by a template"""
    text = "".join(path.read_text() for path in helm.CHART.glob("templates/**/*") if path.is_file())
    for leaf in pages.leaves(pages.values()):
        if f".{leaf.path.rsplit('.', 1)[-1]}" not in text:
            yield f"{leaf.path} is read nowhere"


def notes_speak():
    """the notes are rendered, and warn of what is dangerous"""
    for values, said in [
        ([], "image.digest is empty"),
        (["--set", "crds.keep=false"], "removes every ToolSearchProxy"),
        (["--set", "watchNamespaces={team-a}"], "kubectl apply -n team-a"),
        (["--set", "rbac.create=false"], "rbac.create is false"),
    ]:
        code, out, err = helm.run("install", "test", helm.CHART, "--dry-run=client", *values)
        if code or said not in out:
            yield f"{values}: {said!r} is not said: {err or out[-800:]}"


def unknown_fields(value, schema, path):
    """Fields of a value that a structural schema does not have, and required ones it lacks."""
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for key, inner in value.items():
            if key in known:
                yield from unknown_fields(inner, known[key], f"{path}.{key}")
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from unknown_fields(inner, schema["additionalProperties"], f"{path}.{key}")
            elif not schema.get("x-kubernetes-preserve-unknown-fields"):
                yield f"{path}.{key}"
        for key in schema.get("required", []):
            if key not in value:
                yield f"{path} without {key}"
    elif isinstance(value, list):
        for inner in value:
            yield from unknown_fields(inner, schema.get("items", {}), f"{path}[]")


def samples_fit_the_definition():
    """the samples use fields that the definition has"""
    definition = helm.read_all([(helm.CHART / "files" / "toolsearchproxies.yaml").read_text()])[0]
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    samples = sorted((helm.CHART / "examples").glob("*.yaml"))
    if len(samples) < 3:
        yield "the samples are where they are looked for"
    for sample, read in zip(samples, helm.read_all([path.read_text() for path in samples]), strict=True):
        if read["apiVersion"] != "toolsearch.dev/v1alpha1" or read["kind"] != "ToolSearchProxy":
            yield f"{sample.name}: {read['apiVersion']} {read['kind']}"
        for wrong in unknown_fields(read["spec"], schema, "spec"):
            yield f"{sample.name}: {wrong}"


def versions_agree():
    """chart, application and workspace carry one version"""
    chart = helm.read_all([(helm.CHART / "Chart.yaml").read_text()])[0]
    workspace = re.search(r'^version = "(.+)"$', (helm.ROOT / "Cargo.toml").read_text(), re.M)[1]
    if len({chart["version"], chart["appVersion"], workspace}) != 1:
        yield f"chart {chart['version']}, app {chart['appVersion']}, workspace {workspace}"


def package_is_small():
    """the packed chart is far below what a release Secret can hold"""
    with tempfile.TemporaryDirectory() as folder:
        code, _, err = helm.run("package", helm.CHART, "--destination", folder)
        size = sum(path.stat().st_size for path in Path(folder).glob("*.tgz"))
        if code or not 0 < size < 200_000:
            yield f"{size} bytes: {err}"
    schema = json.loads((helm.CHART / "values.schema.json").read_text())
    if schema["additionalProperties"] is not False:
        yield "the schema lets unknown values through"


CHECKS = [
    pages_are_fresh, definition_is_the_same_bytes, versions_agree, lint_is_clean, goldens_hold,
    typos_are_refused, wrong_combinations_fail, releases_never_meet, names_fit, rights_are_exact,
    rights_are_never_wide, pods_are_restricted, selectors_are_two_labels, nothing_is_on_by_itself,
    strategies_are_taken, policy_counts_as_the_operator_does, images_follow_their_values, flags_are_the_operators, values_are_used, metrics_exist, alerts_have_runbooks, notes_speak,
    samples_fit_the_definition, package_is_small,
]  # fmt: skip


def main():
    """Runs every check; 1 when one of them found something."""
    helm.program()
    failed = 0
    for check in CHECKS:
        try:
            problems = list(check())
        except (AssertionError, OSError) as error:
            problems = [str(error)]
        failed += bool(problems)
        print(f"{'FAILED' if problems else 'ok    '} {check.__doc__}")
        for problem in problems:
            print(f"       {problem}")
    print(f"charts: {len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
