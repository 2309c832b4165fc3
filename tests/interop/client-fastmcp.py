"""Does FastMCP's client work through the proxy, with the handshake and without?

usage: client-fastmcp.py <url> <upstream> legacy|auto
auto is the client's default and must settle on the revision without a handshake.
"""

import asyncio
import sys
from contextlib import asynccontextmanager

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from mcp.shared.exceptions import MCPError

from steps import Refused, credential, run_steps

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


class Session:
    """The client as the steps want it: results as plain JSON."""

    def __init__(self, client):
        self.client = client
        self.version = client.protocol_version
        self.instructions = client.instructions

    async def list(self):
        return [tool.name for tool in await self.client.list_tools()]

    async def call(self, name, arguments, progress):
        async def note(done, total, message):
            progress.append((done, total))

        try:
            result = await self.client.call_tool_mcp(
                name, arguments, progress_handler=None if progress is None else note
            )
        except MCPError as error:
            raise Refused(error.code, error.message) from error
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def opener(url, mode):
    @asynccontextmanager
    async def open_client():
        async with Client(StreamableHttpTransport(url, headers=credential()), mode=mode) as client:
            yield Session(client)

    return open_client


def main():
    url, upstream, mode = sys.argv[1:]
    # It stands on the Python SDK, where the last notification may be missing: see client.py.
    failures = asyncio.run(
        run_steps(upstream, f"fastmcp-{mode}", VERSIONS[mode], opener(url, mode), lambda total: total - 1)
    )
    sys.exit(1 if failures else 0)


main()
