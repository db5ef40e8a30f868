"""A small web site on loopback for tests. Each path has a page: its HTML, or a function that handles the request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOGIN = """<!doctype html><html lang="en"><title>Login - Example App</title>
<h1>Welcome back</h1>
<form onsubmit="event.preventDefault(); document.title = 'Signed in';
  document.body.innerHTML =
    '<h1>Hello ' + this.email.value + '</h1><p>' + this.password.value.length + ' characters</p>'">
<label>Email <input name="email" autofocus></label>
<label>Password <input name="password" type="password"></label>
<label><input type="checkbox" name="remember"> Remember me</label>
<button>Sign in</button></form></html>"""


class SlowPage:
    """A page that does not respond until ``release`` is set. ``requested`` is set when a request arrives."""

    def __init__(self) -> None:
        self.requested = threading.Event()
        self.release = threading.Event()

    def __call__(self, _: BaseHTTPRequestHandler) -> None:
        self.requested.set()
        self.release.wait(120)

    async def wait_for_request(self) -> None:
        assert await asyncio.to_thread(self.requested.wait, 30)
        self.requested.clear()


@dataclass
class Site:
    port: int
    pages: dict[str, str | Callable[[BaseHTTPRequestHandler], None]]
    hits: list[str] = field(default_factory=list[str])

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@contextmanager
def serving(pages: dict[str, str | Callable[[BaseHTTPRequestHandler], None]]) -> Generator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            site.hits.append(self.path)
            page = site.pages.get(path)
            if page is None:
                self.send_error(404)
            elif isinstance(page, str):
                body = page.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            else:
                page(self)

        do_POST = do_GET  # noqa: N815  named by http.server

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by its base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site = Site(server.server_port, pages)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        for page in pages.values():
            if isinstance(page, SlowPage):
                page.release.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
