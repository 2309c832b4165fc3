"""What is printed from the annotated values: the schema, the README, the list of images."""

import json
import re
from dataclasses import dataclass, field

import helm

STRINGS = {"type": "object", "additionalProperties": {"type": "string"}}
DEFS = {
    "strings": STRINGS,
    "objects": {"type": "array", "items": {"type": "object"}},
    "named": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string", "minLength": 1}},
        },
    },
    "pullSecrets": {
        "type": "array",
        "uniqueItems": True,
        "items": {
            "anyOf": [
                {"type": "string", "pattern": "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"},
                {
                    "type": "object",
                    "required": ["name"],
                    "additionalProperties": False,
                    "properties": {
                        "name": {"type": "string", "pattern": "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"}
                    },
                },
            ]
        },
    },
    "digest": {"type": "string", "pattern": "^$|^sha256:[0-9a-f]{64}$"},
    "duration": {"type": "string", "pattern": "^[1-9][0-9]*(ms|s|m|h)$"},
    "optionalDuration": {"type": "string", "pattern": "^$|^[1-9][0-9]*(ms|s|m|h)$"},
    "intOrPercent": {
        "anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": "^$|^(100|[0-9]{1,2})%$"},
        ]
    },
    "probe": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: {"type": "integer", "minimum": least}
            for name, least in [
                ("initialDelaySeconds", 0),
                ("periodSeconds", 1),
                ("timeoutSeconds", 1),
                ("failureThreshold", 1),
            ]
        },
    },
}
# Shown as the type where the schema is one of the above.
WORDS = {
    "strings": "map of strings",
    "objects": "list of objects",
    "named": "list of objects with a name",
    "pullSecrets": "list of names",
    "digest": "string, `sha256:…`",
    "duration": "duration",
    "optionalDuration": "duration or empty",
    "intOrPercent": "integer or percentage",
    "probe": "object",
}


@dataclass
class Value:
    """One annotated value."""

    path: str
    text: str
    given: dict
    default: object
    children: list = field(default_factory=list)


def values():
    """The annotated values of the chart as a tree; a key without its description is a mistake."""
    text = (helm.CHART / "values.yaml").read_text()
    defaults = helm.read_all([text])[0]
    top = Value("", "", {}, defaults)
    open_values = [(-1, top)]
    about, given = None, {}
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(r"^\s*# -- (.*)$", line)
        schema = re.match(r"^\s*# @schema (.*)$", line)
        key = re.match(r"^( *)([A-Za-z][A-Za-z0-9]*):", line)
        if comment:
            about = comment[1]
        elif schema:
            given = json.loads(schema[1])
        elif key and about is not None:
            depth = len(key[1])
            while open_values[-1][0] >= depth:
                open_values.pop()
            parent = open_values[-1][1]
            path = f"{parent.path}.{key[2]}".lstrip(".")
            value = Value(path, about, given, parent.default[key[2]])
            parent.children.append(value)
            open_values.append((depth, value))
            about, given = None, {}
        elif key and not inside_described(open_values, len(key[1])):
            raise AssertionError(f"values.yaml:{number}: {key[2]} has no description")
    return top


def inside_described(open_values, depth):
    """Whether a key belongs to the default of a value whose schema is given as a whole."""
    return any(at < depth and value.given for at, value in open_values)


def schema_of(value):
    """The schema of one value."""
    if value.children:
        made = {
            "type": "object",
            "additionalProperties": value.path == "global",
            "properties": {
                child.path.rsplit(".", 1)[-1]: schema_of(child) for child in value.children
            },
        }
    else:
        made = {**kind_of(value), **value.given}
    if value.text:
        made["description"] = value.text
        if not value.children:
            made["default"] = value.default
    return made


def kind_of(value):
    """The type that the default says, where the schema given says none."""
    if {"$ref", "enum", "type", "anyOf"} & value.given.keys():
        return {}
    for kind, word in [(bool, "boolean"), (int, "integer"), (str, "string")]:
        if isinstance(value.default, kind):
            return {"type": word}
    raise AssertionError(f"{value.path}: {value.default!r} needs a @schema")


def schema():
    """values.schema.json."""
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Values of toolsearch-operator",
        **schema_of(values()),
        "$defs": DEFS,
    }
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def word_of(value):
    """The type as the README shows it."""
    if "$ref" in value.given:
        return WORDS[value.given["$ref"].rsplit("/", 1)[-1]]
    if "enum" in value.given:
        return " or ".join(f"`{json.dumps(one)}`" for one in value.given["enum"])
    made = {**kind_of(value), **value.given}
    if made["type"] == "array":
        items = made["items"]
        kind = items.get("type", "text")
        return f"list of {' or '.join(kind) if isinstance(kind, list) else kind}s"
    return made["type"]


def leaves(value):
    """Values without annotated children, in order."""
    if not value.children:
        yield value
    for child in value.children:
        yield from leaves(child)


def table(value):
    """The README's rows of one group."""
    rows = ["| value | type | default | what for |", "|---|---|---|---|"]
    for leaf in leaves(value):
        default = json.dumps(leaf.default, ensure_ascii=False)
        rows.append(f"| `{leaf.path}` | {word_of(leaf)} | `{default}` | {leaf.text} |")
    return "\n".join(rows)


def rules():
    """The README's table of rights, read from a rendering."""
    found = helm.objects(helm.template("--show-only", "templates/rbac.yaml"))
    rows = ["| where | group | resources | verbs |", "|---|---|---|---|"]
    for one in found:
        if not one["kind"].endswith("Binding"):
            where = "watched" if one["kind"] == "ClusterRole" else "own namespace"
            for rule in one["rules"]:
                group = rule["apiGroups"][0] or "core"
                rows.append(
                    f"| {where} | {group} | {', '.join(rule['resources'])} | {', '.join(rule['verbs'])} |"
                )
    return "\n".join(rows)


def readme():
    """The chart's README."""
    top = values()
    chart = helm.read_all([(helm.CHART / "Chart.yaml").read_text()])[0]
    plain = Value("", "", {}, {}, [child for child in top.children if not child.children])
    parts = [
        f"# {chart['name']}",
        "<!-- Printed from values.yaml by tests/charts/run.py; do not edit. -->",
        f"{chart['description']} Chart {chart['version']}, operator and proxy {chart['appVersion']}, "
        f"Kubernetes {chart['kubeVersion'].removesuffix('-0')}.",
        "```sh\nhelm install toolsearch charts/toolsearch-operator --namespace toolsearch-system "
        "--create-namespace --wait \\\n  --set image.registry=registry.example.com\n```",
        "No registry holds the image yet: build it and push it to one of yours, or load it into the "
        "nodes, as [docs/deploy.md](../../docs/deploy.md#the-image) says.",
        "How to deploy, upgrade and uninstall, without a network, in single namespaces and on "
        "OpenShift: [docs/deploy.md](../../docs/deploy.md). What conditions and alerts mean: "
        "[docs/troubleshooting.md](../../docs/troubleshooting.md). Samples are in `examples`.",
        "## Values",
        "A value that is not listed here is refused. Durations are a number and `ms`, `s`, `m` or "
        "`h`. A field of a default object is removed by setting it to null.",
        table(plain),
    ]
    for group in top.children:
        if group.children:
            parts += [f"### {group.path}", group.text, table(group)]
    parts += [
        "## Rights",
        "What `rbac.create` grants; grant the same where it is off. *Watched* is the cluster, or "
        "each of `watchNamespaces`. The Lease rule is held to the one Lease's name but for `create`.",
        rules(),
    ]
    return "\n\n".join(parts) + "\n"


def images():
    """The images of a default installation, one a line, for mirrors."""
    found = helm.objects(helm.template())
    wanted = set()
    for _, spec in helm.pod_specs(found):
        for container in spec["containers"]:
            wanted.add(container["image"])
            for argument in container.get("args", []):
                if argument.startswith("--proxy-image="):
                    wanted.add(argument.split("=", 1)[1])
    return "".join(f"{image}\n" for image in sorted(wanted))


PAGES = {"values.schema.json": schema, "README.md": readme, "images.txt": images}
