"""HTTP server on loopback, in a separate process so that it does not share the harness's interpreter.

``python -m bench.server`` reads ``{name: folder}`` as one line of JSON, prints ``{name: port}`` and exits when stdin
closes. A content security policy blocks all other origins, so a run does not depend on the internet. ``/hang?ms=6000``
is an image that responds after that time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
COUNTER = (
    b'<p style="position:fixed;bottom:0;right:0;z-index:2147483647"><button type=button '
    b"onclick=\"this.textContent='Bench count '+ ++window.benchCount\">Bench count 0</button></p>"
    b"<script>window.benchCount = 0</script>"
)
PIXEL = bytes.fromhex("47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b")


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = parse_qs(address.query)
        if address.path == "/hang":
            time.sleep(int(query["ms"][0]) / 1000)
            self._respond("image/gif", PIXEL)
        elif query.get("bench") == ["counter"]:
            self._respond("text/html", with_counter(Path(self.translate_path(address.path)).read_bytes()))
        else:
            super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - name of the base class
        pass

    def _respond(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores the error: a browser may close the connection during a response."""


def with_counter(html: bytes) -> bytes:
    """Inserts the counter at the end of the body; its screen position is fixed."""
    found = html.lower().rfind(b"</body")
    end = found if found >= 0 else len(html)
    return html[:end] + COUNTER + html[end:]


def _serve(folder: str) -> int:
    def handler(*args: object) -> Handler:
        return Handler(*args, directory=folder)  # type: ignore[arg-type]

    server = Server(("127.0.0.1", 0), handler)  # type: ignore[arg-type]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main() -> None:
    folders = cast(dict[str, str], json.loads(sys.stdin.readline()))
    print(json.dumps({name: _serve(folder) for name, folder in folders.items()}), flush=True)
    sys.stdin.read()


@dataclass(frozen=True, slots=True)
class Site:
    """Handle of the running server process."""

    process: subprocess.Popen[str]
    ports: dict[str, int]

    @classmethod
    def start(cls, folders: dict[str, Path]) -> Site:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({name: str(folder) for name, folder in folders.items()}) + "\n")
        process.stdin.flush()
        return cls(process=process, ports=json.loads(process.stdout.readline()))

    def url(self, name: str, path: str) -> str:
        return f"http://127.0.0.1:{self.ports[name]}/{path}"

    def stop(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


if __name__ == "__main__":
    main()
