"""Does the Python SDK's client work through the proxy, with the handshake and without?

usage: client.py <url> <upstream> legacy|auto
auto is the client's default and must settle on the revision without a handshake.
"""

import asyncio
import sys
from contextlib import asynccontextmanager

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
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
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, name, arguments, progress):
        async def note(done, total, message):
            progress.append((done, total))

        try:
            result = await self.client.call_tool(
                name, arguments, progress_callback=None if progress is None else note
            )
        except MCPError as error:
            raise Refused(error.code, error.message) from error
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def opener(url, mode):
    @asynccontextmanager
    async def open_client():
        async with create_mcp_http_client(headers=credential()) as http:
            async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                yield Session(client)

    return open_client


def main():
    url, upstream, mode = sys.argv[1:]
    # The SDK may answer a call before it has handled a notification that came in one chunk
    # with the answer, so that the last one may be missing.
    failures = asyncio.run(
        run_steps(upstream, f"py-{mode}", VERSIONS[mode], opener(url, mode), lambda total: total - 1)
    )
    sys.exit(1 if failures else 0)


main()
