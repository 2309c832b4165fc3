"""What does docs/compatibility.md say?

usage: page.py > docs/compatibility.md
It is printed from record.json, which `RECORD=1 tests/interop/run` writes, for each of its groups. A record of other versions
than the lock files name, or without some client, upstream or step, is refused.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
GO = {"go/go.mod": "github.com/modelcontextprotocol/go-sdk", "vmcp/go.mod": "github.com/stacklok/toolhive"}


def read(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def steps():
    """The steps of each upstream; one with the tools of another is asked the same."""
    matrix, known = read("matrix.json"), read("steps.json")
    return known | {upstream: known[other] for upstream, other in matrix["asked as"].items()}


def cannot(client):
    """What a client cannot be asked, with the reason."""
    return read("matrix.json")["cannot"].get(client, {})


def due(client, upstream):
    """The steps that a client is asked in front of an upstream."""
    return [step["name"] for step in steps()[upstream] if step["name"] not in cannot(client)]


def module_version(path, name):
    """The version of a Go module by its go.mod, which marks a tool's as indirect."""
    modules = (HERE / path).read_text(encoding="utf-8")
    return re.search(rf"^(?:require)?\s*{re.escape(name)} v(\S+)", modules, re.M)[1]


def versions():
    """The version of each package that is asked for, by the lock files."""
    node = {f"npm:{name}": version for name, version in read("package.json")["dependencies"].items()}
    lines = (HERE / "requirements.txt").read_text(encoding="utf-8").split()
    go = {f"go:{name}": module_version(path, name) for path, name in GO.items()}
    crates = (HERE / "rust/Cargo.lock").read_text(encoding="utf-8")
    rust = {f"cargo:{name}": found for name, found in re.findall(r'^name = "(\S+)"\nversion = "(\S+)"$', crates, re.M)}
    script = (HERE / "run").read_text(encoding="utf-8")
    gateway = {"gateway:mcp-contextforge-gateway": re.search(r"^readonly CONTEXTFORGE=(\S+)$", script, re.M)[1]}
    return gateway | go | rust | node | {"pip:" + name: version for name, version in (line.split("==") for line in lines)}


def record(runs, outcomes):
    """What is kept of a run, beside what others were in front of: `runs` are pairs of client and upstream, `outcomes` words by step."""
    matrix, known = read("matrix.json"), versions()
    used = [entry[1] for part in ("clients", "upstreams") for entry in matrix[part].values() if entry[1]]
    kept = read("record.json") if (HERE / "record.json").exists() else {"cells": {}}
    cells = {upstream: told for upstream, told in kept["cells"].items() if upstream not in {one for _, one in runs}}
    for client, upstream in runs:
        if client in matrix["clients"] and upstream in matrix["upstreams"]:
            told = {step: outcomes.get((client, upstream, step), ("failed",))[0] for step in due(client, upstream)}
            cells.setdefault(upstream, {})[client] = told
    return {"versions": {name: known[name] for name in sorted(set(used))}, "cells": cells}


def page():
    matrix, kept, known = read("matrix.json"), read("record.json"), versions()
    for name, recorded in kept["versions"].items():
        if known.get(name) != recorded:
            sys.exit(f"record.json is of {name} {recorded}, the lock file says {known.get(name)}: record again")
    yield "# Compatibility"
    yield ""
    yield "Which clients work through the proxy, in front of which upstreams. Printed by `tests/interop/page.py` from"
    yield "the record of a run (`RECORD=1 tests/interop/run PROXY`, then the same with `gateways`); the parts `interop` and `gateways` of `tests/run` ask all"
    yield "of it again, and fail where a cell is not ok."
    yield ""
    yield "| step | holds when |"
    yield "|---|---|"
    yield from (f"| {step} | {meaning} |" for step, meaning in matrix["steps"].items())
    for upstream, (name, package, kind) in matrix["upstreams"].items():
        yield from ["", f"## {name}{numbered(package, kept)}", "", f"Of this kind: {kind}.", ""]
        yield from table(upstream, matrix, kept)
    if matrix["left out"]:
        yield from ["", "## What is not in it", ""]
    yield from (f"- {what}: {why}." for what, why in matrix["left out"].items())


def numbered(package, kept):
    return f" ({kept['versions'][package]})" if package else ""


def table(upstream, matrix, kept):
    every = [step["name"] for step in steps()[upstream]]
    more = [step for step in every if step not in matrix["steps"]]
    yield f"| client | speaks | {' | '.join(matrix['steps'])} | others |"
    yield "|---" * (len(matrix["steps"]) + 3) + "|"
    whys = {}
    for client, (name, package, revision) in matrix["clients"].items():
        told = kept["cells"][upstream][client]
        if sorted(told) != sorted(due(client, upstream)):
            sys.exit(f"record.json lacks steps of {client} in front of {upstream}: record again")
        cells = [cell(upstream, client, step, told, matrix) for step in matrix["steps"]]
        asked = [step for step in more if step in told]
        others = f"{sum(told[step] == 'ok' for step in asked)} of {len(asked)}"
        yield f"| {name}{numbered(package, kept)} | {revision} | {' | '.join(cells)} | {others} |"
        for step, why in cannot(client).items():
            if step in every:
                asked = whys.setdefault(why, [])
                asked += [step] if step not in asked else []
    for step in matrix["steps"]:
        if step not in every:
            whys.setdefault(matrix["absent"][f"{upstream}/{step}"], []).append(step)
    yield ""
    # The sentences stand in one paragraph.
    yield from (f"Cannot be asked here: {' and '.join(steps)}, since {why}." for why, steps in whys.items())
    yield f"Others: {', '.join(more)}."


def cell(upstream, client, step, told, matrix):
    if step in told:
        return "ok" if told[step] == "ok" else "**fails**"
    if step not in cannot(client) and f"{upstream}/{step}" not in matrix["absent"]:
        sys.exit(f"no reason why {step} is not asked of {upstream}")
    return "–"


if __name__ == "__main__":
    print(re.sub(r"\n{3,}", "\n\n", "\n".join(page())))
