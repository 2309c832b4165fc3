"""An upstream of either era on FastMCP, whose tools can tell what became of a call.

usage: peer.py <port>
"""

import asyncio
import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

server = FastMCP("peer", instructions="Adds, notes, counts and waits.")
READ = {"readOnlyHint": True}
noted, ends = [], {}


@server.tool(annotations=READ)
def add(a: float, b: float) -> float:
    """Adds two numbers and gives their sum."""
    return a + b


@server.tool
def note(text: str) -> str:
    """Writes a note down, to be kept."""
    noted.append(text)
    return f"noted {text}"


@server.tool(annotations=READ)
def notes() -> str:
    """Reads all notes that were written down."""
    return "\n".join(noted)


@server.tool(annotations=READ)
def fail(reason: str) -> str:
    """Fails for the reason given, always."""
    raise ToolError(f"failed: {reason}")


@server.tool(annotations=READ)
async def count(to: int, context: Context) -> str:
    """Counts slowly up to a number and reports progress."""
    for done in range(1, to + 1):
        await asyncio.sleep(0.2)
        await context.report_progress(done, to)
    return f"counted to {to}"


@server.tool(annotations=READ)
async def wait(key: str, seconds: float) -> str:
    """Waits for some seconds under a key, to be asked about later."""
    ends[key] = "waiting"
    try:
        await asyncio.sleep(seconds)
        ends[key] = "done"
    except asyncio.CancelledError:
        ends[key] = "cancelled"
        raise
    return f"waited {seconds} s"


@server.tool(annotations=READ)
def ended(key: str) -> str:
    """Tells what became of a wait: waiting, done or cancelled."""
    return ends.get(key, "unknown")


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
