"""The pages of MiniWoB++ on loopback."""

from __future__ import annotations

import functools
import threading
from collections.abc import Generator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.sites import Site


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by its base class
        pass


def pages_folder() -> Path:
    """The folder of the package's pages. It is never imported, because that needs its environments' dependencies."""
    spec = find_spec("miniwob")
    assert spec and spec.origin, "The package miniwob is not installed: run `make setup`."
    return Path(spec.origin).parent / "html"


@pytest.fixture(scope="session")
def tasks_site() -> Generator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(pages_folder())))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield Site(server.server_port, {})
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
