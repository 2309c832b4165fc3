"""Does the proxy answer requests written by hand, with nothing between them and the wire?

usage: plain.py <url> <upstream> 2025-06-18|2026-07-28

Beside the steps it holds every answer against the transport's rules: the status, the
media type, the id, no session, and in the newer revision the result type.
"""

import asyncio
import http.client
import json
import socket
import sys
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from steps import Refused, credential, run_steps, same

MODERN = "2026-07-28"
CAPABILITY_KEY = "io.modelcontextprotocol/clientCapabilities"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
DEADLINE_SECONDS = 60


class Session:
    """One protocol revision spoken by hand; every request has a connection of its own."""

    def __init__(self, url, version):
        self.url = urlsplit(url)
        self.modern = version == MODERN
        self.spoken = version
        self.requests = 0
        self.under_way = {}

    def start(self):
        self.check_other_verbs()
        if self.modern:
            result = self.request("server/discover", {})
            same(result["supportedVersions"], [MODERN], "supportedVersions")
            self.version = result["supportedVersions"][0]
        else:
            client = {"name": "interop-plain", "version": "1.0.0"}
            params = {"protocolVersion": self.spoken, "capabilities": {}, "clientInfo": client}
            result = self.request("initialize", params)
            self.version = result["protocolVersion"]
            self.notify("notifications/initialized")
        same(result["capabilities"], {"tools": {}}, "capabilities")
        self.instructions = result["instructions"]

    async def list(self):
        return [tool["name"] for tool in self.request("tools/list", {})["tools"]]

    async def call(self, name, arguments, progress):
        params = {"name": name, "arguments": arguments}
        if progress is not None:
            params["_meta"] = {"progressToken": "the-token"}
        asked = asyncio.create_task(asyncio.to_thread(self.request, "tools/call", params, progress))
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            # Whoever has no wish for the answer goes away, and that is the newer revision's way to cancel.
            self.under_way[min(self.under_way)].sock.shutdown(socket.SHUT_RDWR)
            await asyncio.gather(asked, return_exceptions=True)
            raise

    def request(self, method, params, progress=None):
        self.requests += 1
        number = self.requests
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": self.envelope(params)}
        status, headers, text = self.exchange("POST", body, self.headers(method, params))
        same(status, 200, f"status of {method} ({text[:200]})")
        *notes, answer = messages(headers, text)
        if progress is None:
            same(notes, [], "messages before the answer")
        else:
            progress.extend(map(progress_of, notes))
        same(answer["id"], number, "id of the answer")
        if "error" in answer:
            raise Refused(answer["error"]["code"], answer["error"]["message"])
        same(answer["result"].get("resultType"), "complete" if self.modern else None, "resultType")
        return answer["result"]

    def notify(self, method):
        body = {"jsonrpc": "2.0", "method": method}
        status, _, text = self.exchange("POST", body, self.headers(method, {}))
        same((status, text), (202, ""), f"answer to {method}")

    def check_other_verbs(self):
        for verb in ("GET", "DELETE"):
            status, headers, _ = self.exchange(verb, None, {"Accept": "text/event-stream"})
            same((status, headers.get("allow")), (405, "POST"), f"answer to {verb}")

    def envelope(self, params):
        if not self.modern:
            return params
        meta = {VERSION_KEY: MODERN, CAPABILITY_KEY: {}}
        return {**params, "_meta": {**params.get("_meta", {}), **meta}}

    def headers(self, method, params):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **credential()}
        if method != "initialize":
            headers["MCP-Protocol-Version"] = self.spoken
        if self.modern:
            headers["Mcp-Method"] = method
            if method == "tools/call":
                headers["Mcp-Name"] = params["name"]
        return headers

    def exchange(self, verb, body, headers):
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=DEADLINE_SECONDS)
        number = self.requests
        self.under_way[number] = connection
        try:
            payload = None if body is None else json.dumps(body).encode()
            connection.request(verb, self.url.path, payload, headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            same(found.get("mcp-session-id"), None, "session id")
            return answer.status, found, answer.read().decode()
        finally:
            del self.under_way[number]
            connection.close()


def messages(headers, text):
    """The messages of an answer, be it one JSON document or a stream of events."""
    kind = headers.get("content-type", "").split(";")[0]
    if kind == "application/json":
        return [json.loads(text)]
    same(kind, "text/event-stream", "content type")
    events = (event for event in text.split("\n\n") if event.startswith("data:"))
    return [json.loads(event.removeprefix("data:")) for event in events]


def progress_of(note):
    same(note["method"], "notifications/progress", "method of a notification")
    same(note["params"]["progressToken"], "the-token", "progressToken")
    return note["params"]["progress"], note["params"]["total"]


def opener(url, version):
    @asynccontextmanager
    async def open_client():
        session = Session(url, version)
        session.start()
        yield session

    return open_client


def main():
    url, upstream, version = sys.argv[1:]
    label = f"plain-{version}"
    failures = asyncio.run(run_steps(upstream, label, version, opener(url, version), lambda total: total))
    sys.exit(1 if failures else 0)


main()
