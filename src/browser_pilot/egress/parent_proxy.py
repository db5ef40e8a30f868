"""The user's own proxy as the parent of ours, as companies require: public sites are connected to through it.

The proxy gets the site's name, because many decide by name, and resolves it itself. So the policy goes by name there,
and by address only where the name also resolves here (``upstream_route``). HTTP, HTTPS and SOCKS 5 proxies, with
credentials in the URL.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_network
from typing import Literal, TypeVar, cast
from urllib.parse import unquote, urlsplit

from browser_pilot.errors import InvalidArgument

from .connect_errors import ParentProxyError
from .happy_eyeballs import connect_socket
from .proxy_handshake import HandshakeError, ProxyHandshake, http_connect, socks5

P = TypeVar("P", bound=asyncio.Protocol)
ProxyScheme = Literal["http", "https", "socks5"]

# Environment variables in order of preference. One proxy serves all schemes.
ENVIRONMENT_NAMES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy")
_SCHEMES: dict[str, ProxyScheme] = {"http": "http", "https": "https", "socks5": "socks5", "socks5h": "socks5"}


@dataclass(frozen=True)
class ParentProxy:
    """``exceptions``: hosts, domains, addresses and networks that are connected to directly, as in ``NO_PROXY``."""

    host: str
    port: int
    credentials: str = field(default="", repr=False)
    scheme: ProxyScheme = "http"
    exceptions: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """Without credentials."""
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def forwards_requests(self) -> bool:
        """Whether it takes plain HTTP requests, not only tunnels: many allow tunnels to port 443 only."""
        return self.scheme != "socks5"

    def covers(self, host: str) -> bool:
        return not any(_matches(entry, host.strip("[]").lower()) for entry in self.exceptions)


def parse_parent_proxy(url: str) -> ParentProxy:
    """From ``http://user:password@host:port``; raises ``InvalidArgument``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    scheme = _SCHEMES.get(parts.scheme)
    if scheme is None or not parts.hostname or port is None or parts.path not in ("", "/"):
        raise InvalidArgument(
            "`proxy` is not the URL of a proxy.",
            suggestions=["Examples: http://proxy.example.com:3128, socks5://127.0.0.1:1080."],
        )
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return ParentProxy(parts.hostname, port, credentials, scheme)


def parent_proxy_of(setting: str, exceptions: Sequence[str], environ: Mapping[str, str]) -> ParentProxy | None:
    """The parent proxy of all sessions, from the settings ``network.proxy`` and ``network.no_proxy``.

    Raises ``InvalidArgument`` if the environment's is malformed.
    """
    if setting == "none":
        return None
    if setting != "env":
        return replace(parse_parent_proxy(setting), exceptions=tuple(exceptions))
    url = next((environ[name] for name in ENVIRONMENT_NAMES if environ.get(name)), "")
    if not url:
        return None
    proxy = parse_parent_proxy(url if "://" in url else f"http://{url}")
    listed = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    return replace(proxy, exceptions=(*exceptions, *(entry.strip() for entry in listed.split(",") if entry.strip())))


async def connect_to_parent_proxy(
    proxy: ParentProxy, protocol: Callable[[], P], *, tunnel_to: tuple[str, int] | None
) -> P:
    """A connection to the proxy, or through it to a host and port. Raises ``OSError``."""
    loop = asyncio.get_running_loop()
    connection = await _connect_socket(proxy)
    make = http_connect if proxy.forwards_requests else socks5
    handshake = None if tunnel_to is None else make(tunnel_to[0].strip("[]"), tunnel_to[1], proxy.credentials)
    tls = ssl.create_default_context() if proxy.scheme == "https" else None
    try:
        transport, starting = await loop.create_connection(
            lambda: _Starting(handshake), sock=connection, ssl=tls, server_hostname=proxy.host if tls else None
        )
    except BaseException:
        connection.close()
        raise
    try:
        await starting.finished
    except HandshakeError as error:
        transport.abort()
        raise ParentProxyError(f"{error} ({proxy.url})") from error
    except BaseException:
        transport.abort()
        raise
    made = protocol()
    transport.set_protocol(made)
    transport.resume_reading()
    made.connection_made(transport)
    if starting.rest:
        made.data_received(starting.rest)
    return made


class _Starting(asyncio.Protocol):
    """Runs the handshake. Reading is paused from its end on, until the next protocol has taken over."""

    def __init__(self, handshake: ProxyHandshake | None) -> None:
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.rest = b""
        self._handshake = handshake

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if self._handshake is None:
            self._finish()
        else:
            self._transport.write(self._handshake.start())

    def data_received(self, data: bytes) -> None:
        if self._handshake is None or self.finished.done():
            # Debian's Python 3.11.2 reads once more after ``pause_reading``.
            self.rest += data
            return
        try:
            self._transport.write(self._handshake.feed(data))
        except HandshakeError as error:
            self.finished.set_exception(error)
        else:
            if self._handshake.is_done:
                self.rest = self._handshake.rest
                self._finish()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.finished.done():
            self.finished.set_exception(HandshakeError("the proxy closed the connection"))

    def _finish(self) -> None:
        self._transport.pause_reading()
        self.finished.set_result(None)


async def _connect_socket(proxy: ParentProxy) -> socket.socket:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
        return await connect_socket([str(address[0]) for *_, address in found], proxy.port)
    except OSError as error:
        raise ParentProxyError(f"the proxy {proxy.url} does not respond: {error.strerror or error}") from error


def _matches(entry: str, host: str) -> bool:
    entry = entry.lower().strip("[]")
    if entry == "*":
        return True
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        domain = entry.removeprefix("*").removeprefix(".")
        return bool(domain) and (host == domain or host.endswith(f".{domain}"))
