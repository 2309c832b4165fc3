"""Does the Python SDK's client log in through the proxy, and ask for more when it must?

usage: login.py <url>
"""

import asyncio
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

url = sys.argv[1]
BACK = "http://127.0.0.1:1/back"
logins = []


class Storage:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def visit(page):
    async with httpx2.AsyncClient() as browser:
        location = (await browser.get(page, follow_redirects=False)).headers["location"]
    logins.append({name: values[0] for name, values in parse_qs(urlsplit(location).query).items()})


async def come_back():
    return AuthorizationCodeResult(code=logins[-1]["code"], state=logins[-1].get("state"))


def step(name, good, detail=""):
    print(f"STEP {name} {'ok' if good else 'failed'} {detail}".rstrip(), flush=True)


async def main():
    metadata = OAuthClientMetadata(
        client_name="interop", redirect_uris=[BACK], grant_types=["authorization_code", "refresh_token"],
        response_types=["code"], token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(url, metadata, Storage(), visit, come_back)
    async with create_mcp_http_client(auth=provider) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            step("login", len(logins) == 1, f"{len(logins)} logins")
            arguments = {"name": "look", "arguments": {}}
            result = await client.call_tool("call_read_tool", arguments)
            step("read", "look done" in str(result.content), str(result.content)[:200])
            arguments = {"name": "note", "arguments": {}}
            result = await client.call_tool("call_write_tool", arguments)
            good = "note done" in str(result.content) and len(logins) == 2
            step("step-up", good, f"{len(logins)} logins {str(result.content)[:200]}")


asyncio.run(main())
