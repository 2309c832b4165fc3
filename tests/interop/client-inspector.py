"""The steps through the Inspector's command line: a process for each question.

usage: client-inspector.py <url> <upstream> legacy|modern
"""

import asyncio
import json
import os
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

import page
from steps import Refused, credential, run_steps

INSPECTOR = Path(__file__).parent / "node_modules/.bin/mcp-inspector"
VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}


class Inspector:
    def __init__(self, url, mode, home):
        headers = [f"{name}: {value}" for name, value in credential().items()]
        told = [part for header in headers for part in ("--header", header)]
        self.words = [str(INSPECTOR), "--cli", url, "--transport", "http", "--protocol-era", mode]
        self.words += ["--quiet", "--format", "json", *told]
        # It keeps files in its user's home.
        self.environment = os.environ | {"HOME": home}

    async def ask(self, method, *more):
        process = await asyncio.create_subprocess_exec(
            *self.words, "--method", method, *more, env=self.environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )
        try:
            said, error = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        # A result stands on standard output, whatever the exit code; an error on the other.
        told = json.loads(said or error)
        if "result" not in told:
            raise Refused(told["error"]["code"], told["error"]["message"])
        return told["result"]

    async def start(self):
        told = await self.ask("initialize")
        self.version, self.instructions = told["protocolVersion"], told.get("instructions")

    async def list(self):
        return [tool["name"] for tool in (await self.ask("tools/list"))["tools"]]

    async def call(self, name, arguments, _progress):
        return await self.ask("tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))


def main():
    url, upstream, mode = sys.argv[1:]

    @asynccontextmanager
    async def opened():
        with tempfile.TemporaryDirectory() as home:
            client = Inspector(url, mode, home)
            await client.start()
            yield client

    name = f"inspector-{mode}"
    ran = run_steps(upstream, name, VERSIONS[mode], opened, lambda total: total, page.cannot(name))
    sys.exit(1 if asyncio.run(ran) else 0)


main()
