"""One server with every difficulty of saving a file, and a page that shows all of them.

Two origins: the page's own at 127.0.0.1, and another at localhost. The page's own requires its cookie and its referrer
for every request. ``hits`` records the requests.
"""

from __future__ import annotations

import base64
import gzip
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COOKIE = "login=yes"


def png(colour: int) -> bytes:
    """An image of one pixel in this colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(bytes((0, colour, colour // 2, 255 - colour)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


PICTURES = {
    name: png(number) for number, name in enumerate(("img", "srcset", "picture", "input", "css", "svg", "lone"))
}
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"trailer<</Root 1 0 R>>"
)
SOUND = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\0\0\0\0"
VIDEO = b"\x1aE\xdf\xa3" + b"\0" * 200
LINES = b"".join(b"line %d of a long text\n" % number for number in range(20_000))
PROGRAM = b"MZ\x90\0" + b"\0" * 300
BLOCK = bytes(range(256)) * 4096

PAGE = """<!doctype html><title>Everything</title>
<style>
  #css { width: 40px; height: 40px; background-image: url(/css.png) } #before::before { content: url("/svg.png") }
</style>
<img id=img src=/img.png alt="A picture">
<img id=srcset srcset="/srcset.png 1x, /nothing.png 9x" alt="Of a set">
<picture id=picture><source id=source srcset=/picture.png><img src=/nothing.png alt="Pictured"></picture>
<video id=video preload=none><source id=videosource src=/video.webm></video>
<audio id=audio preload=none src=/sound.wav></audio>
<a id=link href=/report.pdf>The report</a>
<a id=linkimg href=/report.pdf><img id=inlink src=/img.png alt="In a link"></a>
<span id=around><a href=/report.pdf>Only link</a></span>
<a id=nowhere href="#">Nowhere</a> <a id=script href="javascript:void 0">Script</a>
<a id=saved href=/report.pdf download="My report.pdf">Save</a>
<a id=attached href=/attachment>Get it</a>
<a id=program href=/setup.exe download>Program</a>
<embed id=embed src=/report.pdf type=application/pdf width=50 height=50>
<object id=object data=/report.pdf type=application/pdf width=50 height=50></object>
<iframe id=pdfframe src=/report.pdf></iframe> <iframe id=pdfblob></iframe>
<iframe id=pdfdata src="data:application/pdf;base64,PDF"></iframe>
<div id=css></div> <div id=before></div>
<svg id=svg width=20 height=20><circle id=circle cx=10 cy=10 r=8 fill=red /></svg>
<svg id=svgimage width=20 height=20><image id=svgpic href=/svg.png width=20 height=20 /></svg>
<canvas id=canvas width=4 height=4></canvas> <canvas id=tainted width=4 height=4></canvas>
<img id=blob alt="A blob"> <img id=data alt="Of data" src="data:image/png;base64,DATA">
<a id=bloblink>Blob</a> <a id=pdfbloblink>Printed</a>
<a id=opened href=/report.pdf target=_blank>In a tab</a>
<input id=input type=image src=/input.png alt=Send>
<img id=other src="OTHER/hotlink.png" alt="Of another site">
<img id=shared src="OTHER/needs-origin.png" crossorigin=use-credentials alt="Shared">
<div id=two><img src=/img.png alt=One><img src=/css.png alt=Two></div>
<div id=one><p>Text</p><img src=/lone.png alt=Lone></div>
<button id=plain>Nothing to save</button>
<button id=clicked onclick="location = '/attachment'">Start</button>
<script>
  const canvas = document.getElementById('canvas').getContext('2d');
  canvas.fillStyle = 'rgb(1, 2, 3)';
  canvas.fillRect(0, 0, 4, 4);
  const other = document.getElementById('other');
  const taint = () => document.getElementById('tainted').getContext('2d').drawImage(other, 0, 0);
  if (other.complete) taint(); else other.onload = taint;
  const made = new Blob(['made by the page'], { type: 'text/plain' });
  document.getElementById('blob').src = URL.createObjectURL(made);
  document.getElementById('bloblink').href = URL.createObjectURL(made);
  const printed = URL.createObjectURL(new Blob([atob("PDF")], { type: 'application/pdf' }));
  document.getElementById('pdfblob').src = document.getElementById('pdfbloblink').href = printed;
</script>"""

Handler = BaseHTTPRequestHandler


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@dataclass
class HostileSite:
    port: int
    hits: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])
    release: threading.Event = field(default_factory=threading.Event)
    big_mb: int = 64

    @property
    def own(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def other(self) -> str:
        return f"http://localhost:{self.port}"

    def url(self, path: str) -> str:
        return self.own + path


def _send(handler: Handler, body: bytes, mime: str | None, *headers: tuple[str, str], status: int = 200) -> None:
    handler.send_response(status)
    if mime is not None:
        handler.send_header("Content-Type", mime)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def _chunked(handler: Handler, blocks: list[bytes], mime: str, *, whole: bool = True) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", mime)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for block in blocks:
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))
        handler.wfile.flush()
    if whole:
        handler.wfile.write(b"0\r\n\r\n")


def _cut(handler: Handler) -> None:
    """Close the connection with a TCP reset."""
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def _reset_half_way(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/octet-stream")
    handler.send_header("Content-Length", str(2 * len(BLOCK)))
    handler.end_headers()
    handler.wfile.write(BLOCK)
    _cut(handler)


def _reset_chunks(handler: Handler) -> None:
    _chunked(handler, [BLOCK, BLOCK], "application/octet-stream", whole=False)
    _cut(handler)


def _ranges(handler: Handler) -> None:
    """Like a media server: a range where one is requested, else everything."""
    requested = handler.headers.get("Range")
    if requested is None:
        _send(handler, LINES, "text/plain", ("Accept-Ranges", "bytes"))
        return
    first = int(requested.removeprefix("bytes=").partition("-")[0])
    part = LINES[first:]
    content_range = ("Content-Range", f"bytes {first}-{len(LINES) - 1}/{len(LINES)}")
    _send(handler, part, "text/plain", content_range, status=206)


@contextmanager
def hostile_site() -> Generator[HostileSite]:
    def redirect(location: str, status: int = 302) -> Callable[[Handler], None]:
        return lambda handler: _send(handler, b"", None, ("Location", location), status=status)

    def file(body: bytes, mime: str | None, *headers: tuple[str, str]) -> Callable[[Handler], None]:
        return lambda handler: _send(handler, body, mime, *headers)

    def failing(status: int) -> Callable[[Handler], None]:
        return lambda handler: _send(handler, b"no", "text/html", status=status)

    def needs_origin(handler: Handler) -> None:
        if handler.headers.get("Origin") != site.own:
            failing(403)(handler)
            return
        allows = (("Access-Control-Allow-Origin", site.own), ("Access-Control-Allow-Credentials", "true"))
        _send(handler, PICTURES["lone"], "image/png", *allows)

    def hotlink(handler: Handler) -> None:
        allowed = handler.headers.get("Referer", "").startswith(site.own) and not handler.headers.get("Origin")
        (file(PICTURES["img"], "image/png") if allowed else failing(403))(handler)

    def never(handler: Handler) -> None:
        site.release.wait(120)
        handler.close_connection = True

    def slow(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Content-Length", str(2 * len(BLOCK)))
        handler.end_headers()
        handler.wfile.write(BLOCK)
        handler.wfile.flush()
        site.release.wait(120)
        handler.wfile.write(BLOCK)

    def big_cut(handler: Handler) -> None:
        """Large enough for the browser to fetch it, and cut off half-way."""
        handler.send_response(200)
        handler.send_header("Content-Type", "application/octet-stream")
        handler.send_header("Content-Length", str(20 << 20))
        handler.end_headers()
        for _ in range(10):
            handler.wfile.write(BLOCK)
        _cut(handler)

    def big(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/octet-stream")
        handler.send_header("Content-Length", str(site.big_mb << 20))
        handler.end_headers()
        for _ in range(site.big_mb):
            handler.wfile.write(BLOCK)

    def page(handler: Handler) -> None:
        text = PAGE.replace("DATA", _base64(png(99))).replace("PDF", _base64(PDF)).replace("OTHER", site.other)
        cookie = ("Set-Cookie", f"{COOKIE}; HttpOnly; SameSite=Lax; Path=/")
        policy = () if "strict" not in handler.path else (("Content-Security-Policy", "connect-src 'none'"),)
        _send(handler, text.encode(), "text/html; charset=utf-8", cookie, *policy)

    routes: dict[str, Callable[[Handler], None]] = {
        "/": page,
        "/strict": page,
        "/plain": file(b"<!doctype html><title>Plain</title>", "text/html"),
        "/frames": file(b"<!doctype html><iframe id=frame src=/></iframe>", "text/html"),
        **{f"/{name}.png": file(body, "image/png") for name, body in PICTURES.items()},
        "/video.webm": file(VIDEO, "video/webm"),
        "/sound.wav": file(SOUND, "audio/wav"),
        "/report.pdf": file(PDF, "application/pdf"),
        "/attachment": file(LINES, "text/csv", ("Content-Disposition", 'attachment; filename="../figures.csv"')),
        "/setup.exe": file(PROGRAM, "application/octet-stream"),
        "/disguised.png": file(PROGRAM, "image/png"),
        "/redirect": redirect("/redirect2"),
        "/redirect2": redirect("/img.png", 307),
        "/circle": redirect("/circle"),
        "/away": lambda handler: redirect(f"{site.other}/hotlink.png")(handler),
        "/chunks": lambda handler: _chunked(handler, [LINES[i : i + 999] for i in range(0, 9_990, 999)], "text/plain"),
        "/long-chunks": lambda handler: _chunked(handler, [BLOCK, BLOCK, BLOCK], "application/octet-stream"),
        "/gzip.txt": file(gzip.compress(LINES), "text/plain", ("Content-Encoding", "gzip")),
        "/ranges.txt": _ranges,
        "/wrong-mime": file(PICTURES["img"], "text/html"),
        "/no-mime": file(PDF, None),
        "/nothing-known": file(b"\1\2\3 who knows", None),
        "/empty.txt": file(b"", "text/plain"),
        "/reset": _reset_half_way,
        "/reset-chunks": _reset_chunks,
        "/never": never,
        "/slow": slow,
        "/big": big,
        "/big-cut": big_cut,
        "/hotlink.png": hotlink,
        "/needs-origin.png": needs_origin,
        **{f"/{status}": failing(status) for status in (403, 404, 500)},
    }

    class Server(Handler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802  named by http.server
            path = self.path.partition("?")[0]
            site.hits.append((path, {name.lower(): value for name, value in self.headers.items()}))
            is_own = self.headers["Host"].startswith("127.0.0.1")
            is_page = path in ("/", "/strict", "/plain", "/frames")
            allowed = COOKIE in self.headers.get("Cookie", "") and self.headers.get("Referer", "").startswith(site.own)
            if is_own and not is_page and not allowed:
                failing(403)(self)
                return
            routes.get(path, failing(404))(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by its base class
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except (ConnectionError, ValueError, OSError):
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    server.request_queue_size = 128
    site = HostileSite(server.server_port)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield site
    finally:
        site.release.set()
        server.shutdown()
        server.server_close()
