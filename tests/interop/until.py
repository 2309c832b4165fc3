"""Whole conversations of the Python SDK's client, one after the other, until a file exists.

usage: until.py <url> <file> legacy|auto
Each says hello, lists the tools, searches, reads and writes. Prints a JSON summary.
"""

import asyncio
import json
import os
import secrets
import sys

from mcp import Client


async def conversation(url, mode):
    nonce = secrets.token_hex(8)
    async with Client(url, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "call_read_tools" in names, names
        for tool, name in [("call_read_tool", "echo"), ("call_read_tool", "slow"), ("call_write_tool", "note")]:
            result = await client.call_tool(tool, {"name": name, "arguments": {"nonce": nonce}})
            text = json.dumps(result.model_dump(mode="json"))
            assert f"nonce={nonce}" in text, text
    return 4


async def main():
    url, file, mode = sys.argv[1:]
    calls, failures = 0, []
    while not os.path.exists(file):
        try:
            calls += await conversation(url, mode)
        except BaseException as error:  # an exception group is none of the usual ones
            calls += 1
            failures.append(repr(error)[:300])
        await asyncio.sleep(0.3)
    print(json.dumps({"calls": calls, "failed": len(failures), "failures": failures[:3]}))


asyncio.run(main())
