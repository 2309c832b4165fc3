"""Which client passed which step against which upstream?

usage: table.py <results> [--record]
Each line of the results is `client <TAB> upstream <TAB> STEP name ok|failed detail`, or
`client <TAB> upstream <TAB> RUN`, which says that all steps of that upstream were due: one
that told nothing counts as failed. With --record the outcome is kept in
record.json. Exits non-zero when anything failed or nothing ran.
"""

import json
import sys
from pathlib import Path

import page

SHORT = {"ok": "ok", "failed": "FAILED", "left": "–"}


def main():
    steps = page.steps()
    runs, outcomes = read(sys.argv[1])
    failures = []
    passed = 0
    for upstream in steps:
        names = [step["name"] for step in steps[upstream]]
        rows = []
        for client in (client for client, its in runs if its == upstream):
            left = page.cannot(client)
            untold = {name: ("left", "") if name in left else ("failed", "told nothing") for name in names}
            told = [outcomes.get((client, upstream, name), untold[name]) for name in names]
            rows.append([client] + [SHORT[word] for word, _ in told])
            passed += sum(word == "ok" for word, _ in told)
            failures += [
                f"{client} / {upstream} / {name}: {detail}"
                for name, (word, detail) in zip(names, told)
                if word == "failed"
            ]
        if rows:
            show([upstream] + names, rows)
    if "--record" in sys.argv:
        kept = json.dumps(page.record(runs, outcomes), indent=1) + "\n"
        Path(__file__).with_name("record.json").write_text(kept, encoding="utf-8")
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"interop: {passed} passed, {len(failures)} failed")
    sys.exit(0 if passed and not failures else 1)


def read(path):
    runs, outcomes = [], {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        client, upstream, said = line.split("\t", 2)
        if said == "RUN":
            runs.append((client, upstream))
        else:
            _, name, word, *detail = said.split(" ", 3)
            outcomes[client, upstream, name] = (word, "".join(detail))
    return runs, outcomes


def show(head, rows):
    table = [head, *rows]
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print()


main()
