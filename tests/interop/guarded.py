"""A protected MCP server and its authorization server, to see clients log in through the proxy.

usage: guarded.py <port of the server> <port of the authorization server> <resource> <audience>
resource is what the server's metadata and challenges call it; audience is the resource that
tokens must have been made for. `read` is enough for all but the tool `note`, which needs `write`.
"""

import base64
import hashlib
import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

SERVER, LOGIN = int(sys.argv[1]), int(sys.argv[2])
RESOURCE, AUDIENCE = sys.argv[3:]
ISSUER = f"http://127.0.0.1:{LOGIN}"
PARTS = urlsplit(RESOURCE)
WELL_KNOWN = "/.well-known/oauth-protected-resource"
DOCUMENT = f"{PARTS.scheme}://{PARTS.netloc}{WELL_KNOWN}{PARTS.path}"
codes, tokens = {}, {}
TOOLS = [
    {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "note", "inputSchema": {"type": "object"}},
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length") or 0)).decode()

    def send(self, status, value=None, **headers):
        data = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(Handler):
    def do_GET(self):
        if self.path != f"{WELL_KNOWN}{PARTS.path}":
            return self.send(404)
        self.send(200, {"resource": RESOURCE, "authorization_servers": [ISSUER], "scopes_supported": ["read", "write"]})

    def do_POST(self):
        request = json.loads(self.body())
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        scopes, audience = tokens.get(token, ((), None))
        if audience != AUDIENCE:
            return self.send(401, www_authenticate=f'Bearer resource_metadata="{DOCUMENT}", scope="read"')
        name = request.get("params", {}).get("name")
        if name == "note" and "write" not in scopes:
            lacks = f'Bearer error="insufficient_scope", scope="read write", resource_metadata="{DOCUMENT}"'
            return self.send(403, www_authenticate=lacks)
        results = {
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
            "tools/list": {"tools": TOOLS},
            "tools/call": {"content": [{"type": "text", "text": f"{name} done"}]},
        }
        result = {"resultType": "complete", **results[request["method"]]}
        self.send(200, {"jsonrpc": "2.0", "id": request["id"], "result": result})


class Login(Handler):
    def do_GET(self):
        url = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/.well-known/oauth-authorization-server":
            return self.send(200, {
                "issuer": ISSUER,
                "authorization_endpoint": f"{ISSUER}/authorize",
                "token_endpoint": f"{ISSUER}/token",
                "registration_endpoint": f"{ISSUER}/register",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            })
        if url.path != "/authorize":
            return self.send(404)
        code = secrets.token_urlsafe()
        codes[code] = asked
        back = {"code": code, **({"state": asked["state"]} if "state" in asked else {})}
        self.send(302, location=f"{asked['redirect_uri']}?{urlencode(back)}")

    def do_POST(self):
        body = self.body()
        if self.path == "/register":
            return self.send(201, {**json.loads(body), "client_id": secrets.token_urlsafe()})
        given = {name: values[0] for name, values in parse_qs(body).items()}
        asked = codes.pop(given.get("code"), None)
        digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or proof != asked.get("code_challenge"):
            return self.send(400, {"error": "invalid_grant"})
        token, scope = secrets.token_urlsafe(), asked.get("scope", "read")
        tokens[token] = (scope.split(), given.get("resource"))
        self.send(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": scope})


login = ThreadingHTTPServer(("127.0.0.1", LOGIN), Login)
threading.Thread(target=login.serve_forever, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", SERVER), Server).serve_forever()
