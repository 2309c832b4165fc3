"""What the suite's client scenarios ask of a client, asked of the proxy's upstream side.

usage: client.py <url of the scenario's server>

The suite starts this for each scenario. It starts the proxy of $CONFORMANCE_PROXY with that
server as its upstream and calls through it, with requests written by hand. The verdict is the
suite's; what it cannot see is checked here, and an exit code other than zero fails the scenario.
"""

import contextlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from ports import free_ports

VERSION = "2026-07-28"
READY_SECONDS = 30
CALL_SECONDS = 20


class Proxy:
    """A conversation with a proxy in the revision without a handshake."""

    def __init__(self, port):
        self.port = port
        self.requests = 0

    def tool(self, name, arguments, **beside):
        """The result of one of the proxy's own tools; `beside` are further parameters."""
        self.requests += 1
        meta = {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        }
        params = {"name": name, "arguments": arguments, "_meta": meta, **beside}
        body = {"jsonrpc": "2.0", "id": self.requests, "method": "tools/call", "params": params}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=CALL_SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", "/mcp", json.dumps(body), headers)
            text = connection.getresponse().read().decode()
        events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
        answer = json.loads(events[-1] if events else text)
        if "error" in answer:
            raise SystemExit(f"{name}: {answer['error']}")
        return answer["result"]

    def call(self, name, arguments, **beside):
        """One of the upstream's tools; none of the suite's is marked read-only."""
        return self.tool("call_write_tool", {"name": name, "arguments": arguments}, **beside)

    def search(self):
        return self.tool("search_tools", {"query": "test"})

    def describe(self, name):
        return self.tool("describe_tool", {"names": [name]})["structuredContent"]["tools"][0]


def main():
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    with proxy_before(sys.argv[-1]) as proxy:
        SCENARIOS[scenario](proxy)


@contextlib.contextmanager
def proxy_before(upstream):
    with proxy_of(os.environ["CONFORMANCE_PROXY"], "serve", "--upstream", upstream, "--drain-delay", "0s") as port:
        yield Proxy(port)


@contextlib.contextmanager
def proxy_of(binary, *arguments):
    """The port of a proxy that is ready. What it said is shown when it has ended."""
    listen, diagnostics = free_ports(2)
    command = [binary, *arguments, "--listen", f"127.0.0.1:{listen}"]
    command += ["--diagnostics", f"127.0.0.1:{diagnostics}"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_until_ready(process, diagnostics)
            yield listen
        except BaseException:
            log.seek(0)
            sys.stderr.write(log.read().decode()[-4000:])
            raise
        finally:
            process.terminate()
            process.wait()


def wait_until_ready(process, port):
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            with contextlib.closing(connection):
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
        time.sleep(0.02)
    raise SystemExit("the proxy did not come up")


def says(result, text):
    found = json.dumps(result["content"])
    if text not in found:
        raise SystemExit(f"no {text!r} in {found[:500]}")


def connect(proxy):
    proxy.search()


def tools_call(proxy):
    says(proxy.call("add_numbers", {"a": 5, "b": 3}), "The sum of 5 and 3 is 8")


def retry(proxy):
    says(proxy.call("test_reconnection", {}), "Reconnection test completed")


def standard_headers(proxy):
    for name in ("test_headers", "my-hyphenated-tool"):
        says(proxy.call(name, {}), "Headers test completed")


def custom_headers(proxy):
    for call in json.loads(os.environ["MCP_CONFORMANCE_CONTEXT"])["toolCalls"]:
        proxy.call(call["name"], call["arguments"])


# Each bad tool is called, with arguments that would do: the proxy must refuse.
def invalid_tool_headers(proxy):
    proxy.call("valid_tool", {"region": "us-west1"})
    bad = "empty_header object_header array_header null_header number_header duplicate_same_case"
    bad += " duplicate_diff_case space_in_name colon_in_name non_ascii_name control_char_name"
    arguments = {"value": "a", "data": {}, "items": [], "nil": None, "score": 1, "field1": "a", "field2": "a"}
    for name in bad.split():
        result = proxy.call(f"invalid_{name}", arguments)
        if not result.get("isError"):
            raise SystemExit(f"invalid_{name} was not refused")


def reference(proxy):
    proxy.search()
    proxy.describe("lookup_user")
    proxy.call("lookup_user", {"id": "1"})


def preservation(proxy):
    schema = proxy.describe("json_schema_2020_12_tool")["inputSchema"]
    says(proxy.call("json_schema_echo", {"schema": schema}), "echoed")


# The proxy asks nobody: what the upstream asks reaches the client, and its answer the upstream.
def request_state(proxy):
    for name, said in (("test_mrtr_echo_state", "echo-state-ok"), ("test_mrtr_no_state", "no-state-ok")):
        asked = proxy.call(name, {})
        answers = {key: {"action": "accept", "content": {"confirmed": True}} for key in asked["inputRequests"]}
        says(proxy.call("test_mrtr_unrelated", {}), "unrelated-ok")
        state = {key: asked[key] for key in ("requestState",) if key in asked}
        says(proxy.call(name, {}, inputResponses=answers, **state), said)
    says(proxy.call("test_mrtr_no_result_type", {}), "no-result-type-test-ok")


SCENARIOS = {
    "initialize": connect,
    "tools_call": tools_call,
    "sse-retry": retry,
    "request-metadata": connect,
    "http-standard-headers": standard_headers,
    "http-custom-headers": custom_headers,
    "http-invalid-tool-headers": invalid_tool_headers,
    "json-schema-ref-no-deref": reference,
    "json-schema-2020-12-preservation": preservation,
    "sep-2322-client-request-state": request_state,
}

if __name__ == "__main__":
    main()
