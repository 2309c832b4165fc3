#!/usr/bin/env python3
"""The demo as a user meets it: `--once` shows its table and searches, a running one can be written
to and read back, and a busy port is a clear message."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request

from ports import free_ports

proxy = sys.argv[1]


def addresses():
    listen, diagnostics = free_ports(2)
    return ["--listen", f"127.0.0.1:{listen}", "--diagnostics", f"127.0.0.1:{diagnostics}"]


def expect(condition, what):
    if not condition:
        sys.exit(f"demo: {what}")
    print(f"ok: {what}")


def call(url, tool, arguments):
    version = "2026-07-28"
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": meta}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["result"]


started = time.monotonic()
once = subprocess.run([proxy, "demo", "--once", *addresses()], capture_output=True, text=True, timeout=60)
print(once.stdout)
expect(once.returncode == 0, f"demo --once exits 0 ({time.monotonic() - started:.1f} s) {once.stderr}")
expect(re.search(r"without the proxy +\d{3,} +\d{5,}", once.stdout), "tokens without the proxy are shown")
expect(re.search(r"with the proxy +5 +\d+", once.stdout), "five tools with the proxy")
for language, tool in [("English", "trackwell_create_issue"), ("Lithuanian", "daymark_create_event"), ("Japanese", "skywatch_forecast")]:
    part = once.stdout.split(f"search_tools, {language}")[1].split("search_tools")[0]
    expect(tool in part, f"{language}: {tool} is among the first five")

where = addresses()
running = subprocess.Popen([proxy, "demo", "--drain-delay", "0s", *where], stdout=subprocess.PIPE, text=True)
try:
    for line in running.stdout:
        if "Press Ctrl-C" in line:
            break
    url = f"http://{where[1]}/mcp"
    busy = subprocess.run([proxy, "demo", "--once", "--listen", where[1], "--diagnostics", f"127.0.0.1:{free_ports(1)[0]}"],
                          capture_output=True, text=True, timeout=30)
    expect(busy.returncode == 1 and where[1] in busy.stderr and "--listen" in busy.stderr, "a busy port is named")
    written = call(url, "call_write_tool", {"name": "trackwell_create_issue",
                                            "arguments": {"project": "shop", "title": "The basket loses items"}})
    expect(not written.get("isError"), "a write through call_write_tool")
    read = call(url, "call_read_tool", {"name": "trackwell_list_issues", "arguments": {"project": "shop"}})
    expect("The basket loses items" in json.dumps(read), "what was written is read back")
    refused = call(url, "call_read_tool", {"name": "trackwell_create_issue", "arguments": {}})
    expect(refused.get("isError") and "call_write_tool" in json.dumps(refused), "a write through a read tool is refused")
    failing = call(url, "call_read_tool", {"name": "gaugewell_get_alert_history", "arguments": {"name": "x"}})
    expect(failing.get("isError"), "the failing tool's error is passed on")
finally:
    running.send_signal(signal.SIGINT)
    code = running.wait(timeout=30)
expect(code == 0, "Ctrl-C ends the demo with 0")

missing = subprocess.run([proxy, "demo", "--once", "--model-dir", "/nonexistent", *addresses()],
                         capture_output=True, text=True, timeout=30)
expect(missing.returncode == 1 and "/nonexistent" in missing.stderr, "a missing model is named")
wrong = subprocess.run([proxy, "serve", "--listen", "nowhere", "--max-body", "1"], capture_output=True, text=True, timeout=30)
expect(wrong.returncode == 64 and wrong.stderr.count("\n") >= 4, "all wrong settings are reported, with 64")
