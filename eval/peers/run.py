"""Which tools do other searches rank first? Started by `toolsearch-eval peers`, never by hand.

Reads {"depth", "tools": [MCP tools], "queries": [texts]} from the first argument and writes
{"peers": [{"name", "version", "rankings": [[tool names, best first], one list a query]}]} to the
second; null instead of the lists says that a peer was not asked, being too slow for so much. Each
runs as its package ships it, without a model that it would have to download.
"""

import asyncio
import importlib.metadata
import json
import logging
import os
import re
import sys
import time
import warnings

# No peer may look for anything outside of this machine, or report home.
os.environ.update(HF_HUB_OFFLINE="1", DO_NOT_TRACK="1", OTEL_SDK_DISABLED="true")


def text(tool):
    """Name and description: what a plain search over tools would index."""
    return f"{tool['name']} {tool.get('title') or ''} {tool.get('description') or ''}"


def schema(tool):
    found = tool.get("inputSchema")
    return found if isinstance(found, dict) else {"type": "object", "properties": {}}


def fastmcp(tools, search):
    """Its search over real tools of its own, outside of a server."""
    from fastmcp.tools.base import Tool

    known = [
        Tool(name=tool["name"], description=tool.get("description") or "", parameters=schema(tool))
        for tool in tools
    ]
    loop = asyncio.new_event_loop()
    return lambda query: [tool.name for tool in loop.run_until_complete(search._search(known, query))]


def fastmcp_bm25(tools, depth):
    from fastmcp.server.transforms.search import BM25SearchTransform

    search = BM25SearchTransform(max_results=depth)
    fastmcp(tools, search)("build the index")
    # From here on its index is asked itself: the search hashes the whole catalog at each query to
    # see whether it changed, which ranks nothing and takes most of the time.
    return lambda query: [search._indexed_names[at] for at in search._index.query(query, depth)]


def fastmcp_regex(tools, depth):
    """It takes a pattern: the question's words of three characters and more, any of them."""
    from fastmcp.server.transforms.search import RegexSearchTransform

    search = fastmcp(tools, RegexSearchTransform(max_results=depth))

    def rank(query):
        chosen = []
        for word in dict.fromkeys(re.findall(r"\w{3,}", query.lower())):
            if len("|".join([*chosen, word])) <= 900:
                chosen.append(word)
        return search("|".join(chosen) or re.escape(query[:200]))

    return rank


def plain_bm25(tools, depth):
    """The library's defaults over name, title and description."""
    import bm25s

    index = bm25s.BM25()
    index.index(bm25s.tokenize([text(tool) for tool in tools], show_progress=False), show_progress=False)

    def rank(query):
        words = bm25s.tokenize([query], show_progress=False)
        found, scores = index.retrieve(words, k=min(depth, len(tools)), show_progress=False)
        return [tools[at]["name"] for at, score in zip(found[0], scores[0]) if score > 0]

    return rank


def stackone(tools, depth):
    """Its local search (BM25 and TF-IDF); its semantic one is a service."""
    from types import SimpleNamespace

    from stackone_ai.local_search import ToolIndex

    known = [
        SimpleNamespace(name=tool["name"], description=tool.get("description") or "") for tool in tools
    ]
    index = ToolIndex(known)
    return lambda query: [hit.name for hit in index.search(query, limit=depth)]


def dehydrator(tools, depth):
    from dehydrator import ToolIndex

    return ToolIndex(tools, top_k=depth).search


def ratel(tools, depth):
    """Its BM25; its dense search needs a model from elsewhere."""
    from ratel_ai._native import ToolRegistry

    index = ToolRegistry()
    for tool in tools:
        name, description = tool["name"], tool.get("description") or ""
        index.register(name, name, description, schema(tool), {})
    return lambda query: [hit.tool_id for hit in index.search(query, depth)]


def graph_tool_call(tools, depth):
    """Its keyword and graph search; its embeddings are a download."""
    from graph_tool_call import ToolGraph

    graph = ToolGraph()
    graph.ingest_mcp_tools(tools)
    return lambda query: [tool.name for tool in graph.retrieve(query, top_k=depth)]


# Tools times questions up to which a search that takes a tenth of a second and more is asked.
SLOW = {"graph-tool-call": 1_200_000}

PEERS = [
    ("FastMCP BM25", "fastmcp", fastmcp_bm25),
    ("FastMCP regex", "fastmcp", fastmcp_regex),
    ("plain BM25", "bm25s", plain_bm25),
    ("StackOne local", "stackone-ai", stackone),
    ("dehydrator", "dehydrator", dehydrator),
    ("Ratel BM25", "ratel-ai", ratel),
    ("graph-tool-call", "graph-tool-call", graph_tool_call),
]


def main():
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    # A second tool of one name cannot be told from the first by any peer.
    tools = list({tool["name"]: tool for tool in reversed(given["tools"])}.values())[::-1]
    peers = []
    for name, package, build in PEERS:
        version = importlib.metadata.version(package)
        if len(tools) * len(given["queries"]) > SLOW.get(name, sys.maxsize):
            print(f"  {name}: NOT ASKED, it would take too long here", file=sys.stderr, flush=True)
            peers.append({"name": name, "version": version, "rankings": None})
            continue
        started = time.monotonic()
        rank = build(tools, given["depth"])
        rankings = [list(rank(query)) for query in given["queries"]]
        print(f"  {name}: {time.monotonic() - started:.1f} s", file=sys.stderr, flush=True)
        peers.append({"name": name, "version": version, "rankings": rankings})
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"peers": peers}, file)


if __name__ == "__main__":
    main()
