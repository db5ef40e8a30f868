"""A hostile page that tries every egress channel, the server it comes from, and a sink that records what arrives."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

SCRIPT = Path(__file__).with_name("egress_channels.js")
DOMAIN = "evil.test"
# Names under localhost resolve to loopback without DNS.
LOCAL_DOMAIN = "evil.localhost"
PAGE = """<!doctype html><title>Hostile</title><link rel=icon href="data:,"><body><button>Try all</button>
<script src=/channels.js></script><script>
document.querySelector("button").onclick = async () => {
  const { tried, failed } = await tryAll();
  document.title = `tried ${tried.length}, failed ${failed.length}`;
};
</script>"""

_CHANNEL = re.compile(rb"([a-z0-9]+)\.evil\.(?:test|localhost)")


def channels_script(sink_port: int, domain: str = DOMAIN) -> str:
    """The script; each channel uses a host of this domain."""
    variables = f'var port = {sink_port}, sink = {sink_port}, domain = "{domain}";'
    return variables + SCRIPT.read_text(encoding="utf-8")


def all_channels() -> set[str]:
    return set(re.findall(r"^  (\w+): (?:async )?\(", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE))


class Sink(asyncio.DatagramProtocol):
    """Records the channels that arrived, by TCP (plain, or the name in a TLS ClientHello) and by UDP."""

    def __init__(self) -> None:
        self.arrived: list[str] = []
        self.changed = asyncio.Event()

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self._record(f"udp {data[:20]!r}")

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.read(4096)
        channel = _CHANNEL.search(head)
        self._record(channel[1].decode() if channel else head[:200].decode("latin-1"))
        writer.write(b"HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n")

    async def wait_for(self, channels: set[str], *, seconds: float = 30) -> None:
        try:
            async with asyncio.timeout(seconds):
                while channels - set(self.arrived):
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise AssertionError(f"never arrived: {sorted(channels - set(self.arrived))}") from None

    def _record(self, what: str) -> None:
        self.arrived.append(what)
        self.changed.set()


async def page_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, script: str = "") -> None:
    """Serves the hostile page at its root if there is a script."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        target = unquote(head.split(b" ")[1].decode())
        path, _, query = target.partition("?")
        status, headers, body = "200 OK", "Content-Type: text/html", b"<!doctype html><p>page</p>"
        if path == "/" and script:
            body = PAGE.encode()
        elif path == "/channels.js":
            headers, body = "Content-Type: text/javascript", script.encode()
        elif path.startswith("/redirect/"):
            status, headers = f"{path[10:]} Moved", f"Location: {query}"
        elif path.startswith("/header/"):
            headers += f"\r\n{path[8:]}: {query}"
        elif path == "/policy":
            headers += f"\r\nContent-Security-Policy: {query}"
            body = b"<img src=/x>"
        elif path == "/worker.js":
            headers = "Content-Type: text/javascript"
            body = f"addEventListener('install', e => e.waitUntil(fetch({query!r}).catch(() => 0)))".encode()
        elif path == "/echo":
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
            body = str(len(await reader.readexactly(length))).encode()
        elif path == "/big":
            body = b"x" * 5_000_000
        writer.write(f"HTTP/1.1 {status}\r\n{headers}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
