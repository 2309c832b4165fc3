"""How does a test ask helm? Renderings, refusals, and YAML read by helm's own parser: no package."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "toolsearch-operator"
VALUES = Path(__file__).parent / "values"
KUBE = "1.33.0"
# Goldens leave the definition out: it is generated, and compared byte for byte elsewhere.
NO_CRDS = ["--set", "crds.enabled=false"]


def program():
    """$HELM, or helm of the PATH."""
    asked = os.environ.get("HELM", "helm")
    found = shutil.which(asked)
    if found is None:
        sys.exit(f"no helm: {asked!r} is no program; set HELM, or put helm 3.18 or newer on the PATH")
    return found


def run(*arguments):
    """Exit status, standard output, standard error."""
    done = subprocess.run(
        [program(), *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout, done.stderr


def template(*arguments, release="test", namespace="toolsearch-system"):
    """The text of a rendering; ends with helm's words when there is none."""
    code, out, err = run(
        "template", release, CHART, "--namespace", namespace, "--kube-version", KUBE, *arguments
    )
    if code:
        raise AssertionError(f"helm template {' '.join(map(str, arguments))}: {err.strip()}")
    return out


def refusal(*arguments):
    """What helm says against these values; empty when it takes them."""
    code, _, err = run("template", "test", CHART, "--kube-version", KUBE, *arguments)
    return err if code else ""


READER = '{{ range $path, $_ := .Files.Glob "in/*" }}\n# {{ base $path }} {{ $.Files.Get $path | fromYaml | toJson }}{{ end }}\n'


def read_all(texts):
    """YAML mappings as Python objects, in order, with one call of helm."""
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder) / "reader"
        (chart / "templates").mkdir(parents=True)
        (chart / "in").mkdir()
        (chart / "Chart.yaml").write_text("apiVersion: v2\nname: reader\nversion: 0.0.1\n")
        (chart / "templates" / "all.yaml").write_text(READER)
        for at, text in enumerate(texts):
            (chart / "in" / f"{at:05}").write_text(text)
        code, out, err = run("template", "reader", chart)
    if code:
        raise AssertionError(err)
    found = [json.loads(line) for line in re.findall(r"^# \d{5} (.*)$", out, re.M)]
    assert len(found) == len(texts), "every document is read"
    for one in found:
        assert "Error" not in one, one["Error"]
    return found


def objects(text):
    """The objects of a rendering."""
    parts = re.split(r"^---\s*$", text, flags=re.M)
    whole = [part for part in parts if re.search(r"^[^#\s]", part, re.M)]
    return [one for one in read_all(whole) if one]


def cases():
    """The values files whose renderings are kept."""
    found = sorted(VALUES.glob("*.yaml"))
    assert len(found) >= 5, "the cases are where they are looked for"
    return found


def pod_specs(found):
    """Every pod spec of a list of objects, with the object's name."""
    for one in found:
        spec = one.get("spec", {})
        if one["kind"] == "Pod":
            yield one["metadata"]["name"], spec
        elif "template" in spec:
            yield one["metadata"]["name"], spec["template"]["spec"]
