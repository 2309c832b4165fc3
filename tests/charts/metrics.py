"""Do alerts and dashboards ask only for metrics and labels that exist?"""

import json
import re

import helm

# What a scrape adds to every metric.
TARGET = {"namespace", "pod", "job", "instance", "service", "container", "endpoint"}
SUFFIXES = ("_bucket", "_sum", "_count")


def exported():
    """Labels by metric, and which of the metrics are histograms."""
    labels, histograms = {}, set()
    page = (helm.ROOT / "docs" / "metrics.md").read_text()
    for name, listed in re.findall(r"^\| `(toolsearch_[a-z_]+)` \| ([^|]*) \|", page, re.M):
        labels[name] = set(re.findall(r"`([a-z_]+)`", listed))
        if not name.endswith("_total"):
            # The page does not tell histograms from gauges; a counter is none for certain.
            histograms.add(name)
    assert len(labels) > 15, "docs/metrics.md is read"
    listed = (helm.ROOT / "tests" / "charts" / "operator-metrics.txt").read_text()
    for line in listed.splitlines():
        if line and not line.startswith("#"):
            name, kind, given = line.split()
            labels[name] = set() if given == "-" else set(given.split(","))
            histograms.discard(name)
            if kind == "histogram":
                histograms.add(name)
    return labels, histograms


def alerts():
    """The alerts as the chart keeps them, by group."""
    return helm.read_all([(helm.CHART / "files" / "alerts.yaml").read_text()])[0]


def expressions():
    """Every expression with where it stands."""
    for group in alerts().values():
        for alert in group:
            yield alert["alert"], alert["expr"].replace("OPERATOR", 'namespace="x"'), alert["summary"]
    boards = sorted((helm.CHART / "files" / "dashboards").glob("*.json"))
    assert boards, "there are dashboards"
    for board in boards:
        read = json.loads(board.read_text())
        for panel in read["panels"]:
            for target in panel["targets"]:
                yield f"{board.name}: {panel['title']}", target["expr"], target["legendFormat"]
        for variable in read["templating"]["list"]:
            if variable["type"] == "query":
                yield board.name, variable["query"], ""


def labels_in(expression):
    """Labels that an expression compares or groups by."""
    found = set()
    for group in re.findall(r"\{([^}]*)\}", expression):
        found |= set(re.findall(r"([a-zA-Z_]+)\s*(?:=~|!~|!=|=)", re.sub(r'"[^"]*"', '""', group)))
    for group in re.findall(r"\b(?:by|on|without|group_left)\s*\(([^)]*)\)", expression):
        found |= {label.strip() for label in group.split(",") if label.strip()}
    return found


def registered():
    """The names in the operator's source, as far as a test without a compiler can read them."""
    source = (helm.ROOT / "operator" / "src" / "metrics.rs").read_text()
    short = re.findall(r'(?:counter|gauge)\(\s*"([a-z_]+)"', source)
    return set(re.findall(r'"(toolsearch_operator_[a-z_]+)"', source)) | {
        f"toolsearch_operator_{name}" for name in short
    }


def problems():
    """What alerts and dashboards ask for in vain."""
    labels, histograms = exported()
    listed = {name for name in labels if name.startswith("toolsearch_operator_")}
    for name in sorted(listed ^ registered()):
        yield f"{name} stands in one of operator-metrics.txt and operator/src/metrics.rs alone"
    for where, expression, legend in expressions():
        used = re.findall(r"\btoolsearch_[a-z_]+", expression)
        if not used:
            yield f"{where}: asks for no metric of ours"
        known = set(TARGET)
        for name in used:
            base = next((name[: -len(end)] for end in SUFFIXES if name.endswith(end)), name)
            if base != name and base in histograms:
                known |= labels[base] | {"le"}
            elif name in labels and not (name in histograms and kind_is_certain(name)):
                known |= labels[name]
            else:
                yield f"{where}: there is no metric {name}"
        shown = set(re.findall(r"\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}", legend))
        for label in sorted((labels_in(expression) | shown) - known):
            yield f"{where}: no metric of it has the label {label}"
        # A label that is shown has to survive the aggregation around it.
        if re.search(r"\b(sum|max|min|count|histogram_quantile)\b", expression):
            kept = {
                label.strip()
                for group in re.findall(r"\bby\s*\(([^)]*)\)", expression)
                for label in group.split(",")
            }
            for label in sorted(shown - kept):
                yield f"{where}: shows {label}, which the expression sums away"


def kind_is_certain(name):
    """Operator metrics are listed with their kind, so a bare histogram is a mistake there."""
    return name.startswith("toolsearch_operator_")
