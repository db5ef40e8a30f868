"""A client that sends requests to the proxy, and a server that echoes them."""

from __future__ import annotations

import asyncio
import base64

LOGIN = "Proxy-Authorization: Basic " + base64.b64encode(b"s1:secret").decode()
Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter


def request(method: str, target: str, *headers: str, login: str | None = LOGIN) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: ignored.test", *([login] if login else []), *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def read_response(reader: Reader, *, body: bool = True) -> tuple[int, bytes, bytes]:
    """Status, head and body of a response with a length."""
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    return status, head, await reader.readexactly(length) if body else b""


async def echo(reader: Reader, writer: Writer) -> None:
    """Responds to each request with its own head and body, and a header that identifies the connection."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        content = head + await reader.readexactly(length)
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Id: %d\r\n\r\n%b" % (len(content), id(writer), content)
        )
        await writer.drain()
