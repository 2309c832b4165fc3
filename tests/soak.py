#!/usr/bin/env python3
"""Does the proxy stay as it is under full load? Memory, descriptors and threads while clients never pause.

    python3 tests/soak.py [--seconds 1800] PROXY LOAD

PROXY is a release build of toolsearch-proxy, LOAD one of toolsearch-load, which is upstream and clients.
Prints a line a minute, and fails when a call failed or when what the proxy holds in the last quarter is more
than in the second by a tenth and a little. The first quarter fills pools and caches. Linux only: /proc tells.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request

from ports import free_ports

ROOM = {"resident_kib": 8192, "descriptors": 8, "threads": 2}


def wait(url):
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.read().decode()
        except OSError:
            time.sleep(0.1)
    sys.exit(f"no answer from {url}")


def sample(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        text = status.read()
    number = lambda field: int(re.search(rf"^{field}:\s+(\d+)", text, re.M)[1])
    return {
        "resident_kib": number("VmRSS"),
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": number("Threads"),
    }


def grown(samples):
    """What is more in the last quarter than in the second, as sentences."""
    quarter = len(samples) // 4
    found = []
    for name, room in ROOM.items():
        middle = lambda part: statistics.median(one[name] for one in part)
        before, after = middle(samples[quarter : 2 * quarter]), middle(samples[-quarter:])
        print(f"{name}: {before:.0f} in the second quarter, {after:.0f} in the last")
        if after > before * 1.1 + room:
            found.append(f"{name} grew from {before:.0f} to {after:.0f}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("proxy")
    parser.add_argument("load")
    told = parser.parse_args()
    if told.seconds < 120:
        parser.error("--seconds: 120 or more, since quarters of the time are compared")
    upstream, listen, diagnostics = (f"127.0.0.1:{port}" for port in free_ports(3))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([told.load, "upstream", "--listen", upstream, "--long", "20"], **quiet)
    proxy = subprocess.Popen(
        [told.proxy, "serve", "--upstream", f"http://{upstream}/mcp", "--listen", listen]
        + ["--diagnostics", diagnostics, "--catalog-ttl", "30s", "--write-tools", "note"],
        **quiet,
    )
    started = [proxy, server]
    try:
        wait(f"http://{diagnostics}/readyz")
        clients = subprocess.Popen(
            [told.load, "clients", listen, "--seconds", str(told.seconds), "--think", "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(clients)
        samples = []
        while clients.poll() is None:
            time.sleep(10)
            if proxy.poll() is not None:
                sys.exit(f"the proxy ended by itself, with {proxy.returncode}")
            samples.append(sample(proxy.pid))
            if len(samples) % 6 == 1:
                print(f"{len(samples) * 10:5} s  {samples[-1]}", flush=True)
        summary = json.loads(clients.stdout.read())
        print(json.dumps(summary, indent=1))
        metrics = wait(f"http://{diagnostics}/metrics")
    finally:
        for process in started:
            process.terminate()
            process.wait()
    for line in metrics.splitlines():
        if line.startswith(("toolsearch_calls_total", "toolsearch_upstream_requests_total")):
            print(line)
    found = grown(samples)
    if clients.returncode or summary["failed"]:
        found.append(f"{summary['failed']} calls failed")
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
