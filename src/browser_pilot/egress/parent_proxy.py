"""A proxy of the user's behind ours: everything but local addresses goes through it, to addresses that we resolved.

Names are resolved here and not there, so that what was judged is what is reached. Plain HTTP is tunnelled as well. Only
http proxies (CONNECT); their credentials are in the URL.
"""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from ..errors import InvalidArgument

P = TypeVar("P", bound=asyncio.BaseProtocol)

LONGEST_ANSWER = 16_384
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
            "`proxy` is not the address of an http proxy.", suggestions=["Give it like http://proxy.example.com:3128."]
        )
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return ParentProxy(parts.hostname, port, credentials)


async def connect_through(proxy: ParentProxy, address: str, port: int, protocol: Callable[[], P]) -> P:
    """A connection to an address by way of the proxy. Raises ``OSError`` when the proxy cannot or will not."""
    loop = asyncio.get_running_loop()
    connection = await _connected(proxy)
    try:
        await loop.sock_sendall(connection, _request(proxy, address, port))
        status = await _status(connection)
        if status != 200:
            raise OSError(f"the proxy {proxy.url} answered with status {status}")
        _, made = await loop.create_connection(protocol, sock=connection)
    except BaseException:
        connection.close()
        raise
    return made


async def _connected(proxy: ParentProxy) -> socket.socket:
    loop = asyncio.get_running_loop()
    failure: OSError = OSError(f"the proxy {proxy.url} has no address")
    for family, kind, number, _, place in await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM):
        connection = socket.socket(family, kind, number)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, place)
        except OSError as error:
            failure = OSError(error.errno, f"the proxy {proxy.url} does not answer: {error.strerror}")
            connection.close()
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise failure


def _request(proxy: ParentProxy, address: str, port: int) -> bytes:
    place = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.credentials:
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(proxy.credentials.encode()).decode('ascii')}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


async def _status(connection: socket.socket) -> int:
    """Of the answer; byte by byte, so that nothing of what comes after it is taken away."""
    loop = asyncio.get_running_loop()
    head = bytearray()
    while not head.endswith(HEAD_END):
        part = await loop.sock_recv(connection, 1)
        if not part or len(head) > LONGEST_ANSWER:
            raise OSError("the proxy gave no answer")
        head += part
    words = head.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
