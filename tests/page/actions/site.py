"""A small web server for tests of waiting: it responds at once, late, in part, never, or over a WebSocket."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Handler = Callable[["HttpRequest"], Awaitable[None]]


@dataclass
class HttpRequest:
    """One request; also sends its response."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def respond(
        self, body: str | bytes = "", *, kind: str = "text/html; charset=utf-8", status: int = 200, extra: str = ""
    ) -> None:
        data = body.encode() if isinstance(body, str) else body
        length = f"Content-Length: {len(data)}\r\n" if status != 204 else ""
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n{length}{extra}"
        head += "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
        self.writer.write(head.encode() + data)
        await self.writer.drain()

    async def begin_stream(self, kind: str) -> None:
        self.writer.write(f"HTTP/1.1 200 X\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode())
        await self.writer.drain()

    async def send(self, text: str) -> None:
        self.writer.write(text.encode())
        await self.writer.drain()

    async def wait_closed(self) -> None:
        """Wait until the browser closes the connection."""
        while await self.reader.read(1024):
            pass

    async def accept_socket(self) -> None:
        accept = base64.b64encode(
            hashlib.sha1((self.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        ).decode()
        self.writer.write(
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )
        await self.writer.drain()

    async def socket_receive(self) -> str:
        head = await self.reader.readexactly(2)
        if head[0] & 15 == 8:
            raise ConnectionError("closed")
        mask = await self.reader.readexactly(4)
        data = await self.reader.readexactly(head[1] & 127)
        return bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)).decode()

    async def socket_send(self, text: str) -> None:
        data = text.encode()
        self.writer.write(bytes([0x81, len(data)]) + data)
        await self.writer.drain()


@dataclass
class Site:
    """Pages and handlers by path, under http://<any name>.test:<port>/."""

    port: int = 0
    pages: dict[str, str] = field(default_factory=dict[str, str])
    handlers: dict[str, Handler] = field(default_factory=dict[str, Handler])
    seen: list[str] = field(default_factory=list[str])

    def url(self, path: str, host: str = "a") -> str:
        return f"http://{host}.test:{self.port}/{path}"

    def add(self, path: str, html: str, host: str = "a") -> str:
        self.pages[f"/{path}"] = "<!doctype html>" + html.replace("{port}", str(self.port))
        return self.url(path, host)

    def handle(self, path: str, handler: Handler) -> str:
        self.handlers[f"/{path}"] = handler
        return self.url(path)

    def late(self, path: str, seconds: float, body: str = "late", *, kind: str = "text/html") -> str:
        async def respond(request: HttpRequest) -> None:
            await asyncio.sleep(seconds)
            await request.respond(body, kind=kind)

        return self.handle(path, respond)

    def never(self, path: str) -> str:
        return self.handle(path, HttpRequest.wait_closed)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, address, _ = lines[0].split(" ")
            path, _, query = address.partition("?")
            pairs = (line.split(": ", 1) for line in lines[1:] if ": " in line)
            headers = {name.lower(): value for name, value in pairs}
            self.seen.append(f"{method} {address}")
            request = HttpRequest(method, path, query, headers, reader, writer)
            if path in self.handlers:
                await self.handlers[path](request)
            elif path in self.pages:
                await request.respond(self.pages[path])
            else:
                await request.respond("<h1>Not found</h1>", status=404)
        writer.close()


@asynccontextmanager
async def serve_site() -> AsyncGenerator[Site]:
    site = Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
