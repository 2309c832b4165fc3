"""What do the steps of steps.json expect of an answer, and how is the outcome told?

`run_steps` takes an opener of clients and prints one line a step: `STEP <name> ok` or
`STEP <name> failed <reason>`. It never stops at a failure, so that one defect does not
hide the next. steps.mjs says the same for JavaScript.
"""

import asyncio
import json
import os
from contextlib import AsyncExitStack
from pathlib import Path

FIVE = ["search_tools", "describe_tool", "call_read_tool", "call_read_tools", "call_write_tool"]
MODERN = "2026-07-28"
# Long enough for either to reach the upstream as a rule, and far below the length of the call.
BEFORE_CANCEL, AFTER_CANCEL, ASKED = 0.5, 0.7, 10


def credential():
    """The header of a caller who has a token, which is in the environment where the upstream wants one."""
    token = os.environ.get("INTEROP_TOKEN")
    return {"Authorization": f"Bearer {token}"} if token else {}


class Refused(Exception):
    """A JSON-RPC error as the client saw it."""

    def __init__(self, code, message):
        super().__init__(f"error {code}: {message}")
        self.code = code


async def run_steps(upstream, label, version, open_client, least_progress, cannot=()):
    """Runs all steps of an upstream; returns the number that failed.

    `open_client()` is an async context manager that gives an object with `version`,
    `instructions`, `await list()` (names) and `await call(name, arguments, progress)`
    (the result as plain JSON; raises `Refused`). `progress` is None or a list to fill
    with pairs of progress and total. `least_progress(total)` is how many must have come.
    Steps that the client `cannot` do are not asked.
    """
    unique = f"{label}-{os.getpid()}"
    client = None
    failures = 0
    async with AsyncExitStack() as stack:
        for step in read_steps(upstream, unique):
            if step["name"] in cannot:
                continue
            try:
                if step["name"] == "connect":
                    client = await stack.enter_async_context(open_client())
                    same(client.version, version, "negotiated version")
                    includes(client.instructions or "", "search_tools", "instructions")
                elif client is None:
                    raise AssertionError("not connected")
                elif step["name"] == "list":
                    same(await client.list(), FIVE, "tools")
                else:
                    await check_call(client, step, least_progress)
                print(f"STEP {step['name']} ok", flush=True)
            except Exception as error:
                failures += 1
                print(f"STEP {step['name']} failed {' '.join(str(error).split()) or repr(error)}", flush=True)
    return failures


def read_steps(upstream, unique):
    text = Path(__file__).with_name("steps.json").read_text(encoding="utf-8")
    return json.loads(text.replace("{unique}", unique))[upstream]


async def check_call(client, step, least_progress):
    if step.get("cancel"):
        await check_cancel(client, step)
        return
    seen = [] if "progress" in step else None
    try:
        result = await client.call(step["tool"], step["arguments"], seen)
    except Refused as refused:
        if "code" not in step:
            raise
        same(refused.code, step["code"], "error code")
        return
    if "code" in step:
        raise AssertionError(f"an answer instead of error {step['code']}")
    check_result(step, result)
    if seen is not None:
        check_progress(step["progress"], seen, least_progress)


async def check_cancel(client, step):
    """A call that is given up ends for the client at once, and the next one is answered.

    Where the upstream can tell what became of the call it is asked: without the handshake it was
    cancelled; with it the call runs on, since one request cannot end another.
    """
    asked = step["then"]["arguments"]["name"].endswith("ended")
    call = asyncio.create_task(client.call(step["tool"], step["arguments"], None))
    await asyncio.sleep(BEFORE_CANCEL)
    if asked:
        await until(client, step["then"], "waiting")
    if call.done():
        raise AssertionError(f"over before it was cancelled: {call.exception() or call.result()}")
    call.cancel()
    try:
        await call
        raise AssertionError("an answer to a cancelled call")
    except asyncio.CancelledError:
        pass
    await asyncio.sleep(AFTER_CANCEL)
    if asked:
        await until(client, step["then"], "cancelled" if client.version >= MODERN else "waiting")
    else:
        then = step["then"]
        check_result(step, await client.call(then["tool"], then["arguments"], None))


async def until(client, question, word):
    """The call may still be on its way, so the question is asked a few times."""
    for _ in range(ASKED):
        result = await client.call(question["tool"], question["arguments"], None)
        said = result["content"][0].get("text")
        if said == word:
            return
        await asyncio.sleep(BEFORE_CANCEL)
    raise AssertionError(f"the call is {said!r} instead of {word!r}")


def check_result(step, result):
    content = result["content"]
    text = "\n".join(block.get("text", "") for block in content)
    same(result.get("isError", False), step.get("error", False), f"isError of {text[:200]!r}")
    for part in step.get("says", []):
        includes(text, part, "text")
    for part in step.get("lacks", []):
        if part in text:
            raise AssertionError(f"the text holds {part!r}")
    if "blocks" in step:
        check_blocks(step["blocks"], content)
    if "types" in step:
        same([block["type"] for block in content], step["types"], "block types")
    if step.get("text_is_structured"):
        same(json.loads(text), result.get("structuredContent"), "text as JSON")
    if "finds" in step:
        check_finds(step["finds"], result["structuredContent"]["tools"])
    check_pointers(step.get("structured", {}), result.get("structuredContent"))
    check_pointers(step.get("content", {}), content)


def check_blocks(expected, content):
    same(len(content), len(expected), "number of blocks")
    for at, (part, block) in enumerate(zip(expected, content)):
        includes(block.get("text", ""), part, f"block {at}")


def check_finds(wanted, tools):
    hits = {tool["name"]: tool for tool in tools}
    if wanted["name"] not in hits:
        raise AssertionError(f"{wanted['name']} not among {list(hits)}")
    same(hits[wanted["name"]]["readOnly"], wanted["readOnly"], "readOnly")


def check_pointers(expected, document):
    for pointer, value in expected.items():
        found = document
        for key in pointer.split("/")[1:]:
            found = found[int(key)] if isinstance(found, list) else found[key]
        same(found, value, pointer)


def check_progress(total, seen, least_progress):
    if len(seen) < least_progress(total):
        raise AssertionError(f"only {len(seen)} of {total} progress notifications")
    same(seen, [(at + 1, total) for at in range(len(seen))], "progress")


def same(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found!r} instead of {expected!r}")


def includes(text, part, what):
    if part not in text:
        raise AssertionError(f"{what}: no {part!r} in {text[:300]!r}")
