"""Does an SDK's client work through the proxy that only a compiled program can use?

usage: client-driven.py <label> <url> <upstream> legacy|auto <program> [<argument>…]
The program is built from the folder go or rust, and gets the URL and the mode after its own arguments; it
takes a request a line and tells what its client got. auto must settle on the revision without a handshake.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

from steps import Refused, run_steps

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
LONGEST_LINE = 16 << 20


class Session:
    """The client as the steps want it."""

    def __init__(self, process):
        self.process = process
        self.waiting, self.progress = {}, {}

    async def start(self):
        hello = await self.read()
        if hello is None:
            raise AssertionError("the client did not connect")
        self.version, self.instructions = hello["version"], hello.get("instructions")
        self.reading = asyncio.create_task(self.read_all())

    async def read(self):
        line = await self.process.stdout.readline()
        return json.loads(line) if line else None

    async def read_all(self):
        while (said := await self.read()) is not None:
            if "progress" in said:
                self.progress[said["id"]].append(tuple(said["progress"]))
            elif not self.waiting[said["id"]].done():
                self.waiting[said["id"]].set_result(said)

    async def ask(self, progress=None, **request):
        number = len(self.waiting) + 1
        self.waiting[number] = asyncio.get_running_loop().create_future()
        self.progress[number] = [] if progress is None else progress
        self.send(id=number, progress=progress is not None, **request)
        try:
            said = await asyncio.shield(self.waiting[number])
        except asyncio.CancelledError:
            self.send(id=number, cancel=True)
            said = await self.waiting[number]
            if "error" in said:
                raise
        if "error" in said:
            raise Refused(said.get("code"), said["error"])
        return said

    def send(self, **request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")

    async def list(self):
        return (await self.ask())["tools"]

    async def call(self, name, arguments, progress):
        return (await self.ask(progress, tool=name, arguments=arguments))["result"]


def opener(*command):
    @asynccontextmanager
    async def open_client():
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE
        )
        session = Session(process)
        await session.start()
        yield session
        process.stdin.close()
        await session.reading
        if await process.wait():
            raise AssertionError("the client ended with a failure")

    return open_client


def main():
    label, url, upstream, mode, *program = sys.argv[1:]
    # Notifications are handled beside the answer, so that the last one may come after it.
    failures = asyncio.run(
        run_steps(upstream, f"{label}-{mode}", VERSIONS[mode], opener(*program, url, mode), lambda total: total - 1)
    )
    sys.exit(1 if failures else 0)


main()
