"""The user's own proxy as the parent of ours: all but local addresses are connected to through it.

Names are resolved here and not there, so that the address that was judged is the one connected to. Plain HTTP is
tunnelled as well. HTTP proxies (CONNECT) only, with credentials in the URL.
"""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from browser_pilot.errors import InvalidArgument

from .happy_eyeballs import connect_socket

P = TypeVar("P", bound=asyncio.BaseProtocol)

MAX_RESPONSE_HEAD_BYTES = 16_384
HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True)
class ParentProxy:
    host: str
    port: int
    credentials: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        """Without credentials."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def parse_parent_proxy(url: str) -> ParentProxy:
    """From ``http://user:password@host:port``; raises ``InvalidArgument``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != "http" or not parts.hostname or port is None or parts.path not in ("", "/"):
        raise InvalidArgument(
            "`proxy` is not the URL of an HTTP proxy.", suggestions=["Example: http://proxy.example.com:3128."]
        )
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return ParentProxy(parts.hostname, port, credentials)


async def connect_via_parent_proxy(proxy: ParentProxy, address: str, port: int, protocol: Callable[[], P]) -> P:
    """A connection to an address through the proxy. Raises ``OSError`` when the proxy fails or refuses."""
    loop = asyncio.get_running_loop()
    connection = await _connect_to(proxy)
    try:
        await loop.sock_sendall(connection, _connect_request(proxy, address, port))
        status = await _read_status(connection)
        if status != 200:
            raise OSError(f"the proxy {proxy.url} responded with status {status}")
        _, made = await loop.create_connection(protocol, sock=connection)
    except BaseException:
        connection.close()
        raise
    return made


async def _connect_to(proxy: ParentProxy) -> socket.socket:
    found = await asyncio.get_running_loop().getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
    try:
        return await connect_socket([str(address[0]) for *_, address in found], proxy.port)
    except OSError as error:
        raise OSError(error.errno, f"the proxy {proxy.url} does not respond: {error.strerror or error}") from error


def _connect_request(proxy: ParentProxy, address: str, port: int) -> bytes:
    target = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if proxy.credentials:
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(proxy.credentials.encode()).decode('ascii')}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


async def _read_status(connection: socket.socket) -> int:
    """The status of the response, read byte by byte: what follows its head belongs to the tunnel."""
    loop = asyncio.get_running_loop()
    head = bytearray()
    while not head.endswith(HEAD_END):
        part = await loop.sock_recv(connection, 1)
        if not part or len(head) > MAX_RESPONSE_HEAD_BYTES:
            raise OSError("the proxy sent no response")
        head += part
    parts = head.split(b" ", 2)
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
