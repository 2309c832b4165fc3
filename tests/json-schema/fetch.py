#!/usr/bin/env python3
"""Where is the official JSON Schema test suite? Prints its folder, fetched first where it is not there.

usage: tests/json-schema/fetch.py

It comes in a source package of the `jsonschema` project, at a fixed version and digest, from the
package index that pip is configured for; below $JSON_SCHEMA_CACHE, which
`tests/run` sets, or else the user's cache.
"""

import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from urllib.parse import urldefrag, urljoin
from urllib.request import urlopen

VERSION = "4.26.0"
FILE = f"jsonschema-{VERSION}.tar.gz"
SHA256 = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"
INSIDE = f"jsonschema-{VERSION}/json/"
TIMEOUT = 120


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("JSON_SCHEMA_CACHE") or Path(home) / "toolsearch")


def index():
    """The simple page that pip would ask, from the environment, its configuration or its default."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True
    )
    url = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip()
    if not url:
        from pip._internal.models.index import PyPI

        url = PyPI.simple_url
    return url.rstrip("/") + "/jsonschema/"


def package():
    page = index()
    with urlopen(page, timeout=TIMEOUT) as answer:
        links = re.findall(r'href="([^"]+)"', answer.read().decode())
    found = [urldefrag(urljoin(page, link)).url for link in links]
    found = [url for url in found if url.endswith("/" + FILE)]
    if not found:
        raise OSError(f"the package index does not have {FILE}")
    with urlopen(found[0], timeout=TIMEOUT) as answer:
        content = answer.read()
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        raise OSError(f"{FILE} has the digest {digest}, not {SHA256}")
    return content


def unpack(content, into):
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent) as folder:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                if member.isfile() and member.name.startswith(INSIDE + "tests/"):
                    file = Path(folder) / "suite" / member.name.removeprefix(INSIDE)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(archive.extractfile(member).read())
        try:
            (Path(folder) / "suite").rename(into)
        except OSError:
            # Another run was faster.
            if not into.exists():
                raise


def main():
    folder = cache() / f"json-schema-suite-{VERSION}"
    if not folder.exists():
        try:
            unpack(package(), folder)
        except (OSError, tarfile.TarError) as error:
            print(f"the JSON Schema test suite cannot be fetched: {error}", file=sys.stderr)
            return 1
    print(folder / "tests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
