"""HTTP for guests, done by the host: only to the hosts that the user said yes to, checked at every redirect.

A name is resolved once, its addresses are judged by the same rules as a managed browser's, and the connection is made
to one that was judged. Bounded in time and size. No cookies, no proxies, no connection is used twice.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import ssl
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urljoin, urlsplit

import h11

from ..egress.gate import Ask, SessionGate
from ..egress.resolve import Resolutions
from ..errors import DomainDenied, PermissionDenied
from ..policy.hosts import Address, Site, parse_address
from ..policy.networks import classify_address
from ..policy.patterns import Pattern
from ..policy.rules import Ruleset
from .host_errors import HostRefusal
from .methods import Fetch

MOST_REDIRECTS = 10
LARGEST_BODY = 8 << 20
LARGEST_REQUEST = 2 << 20
FETCH_SECONDS = 30.0
USER_AGENT = "browser-pilot-guest"
_CHUNK = 1 << 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OURS = frozenset(
    {"host", "content-length", "connection", "transfer-encoding", "upgrade", "expect", "te", "trailer", "keep-alive",
     "accept-encoding"}
)  # fmt: skip
_PRIVATE = frozenset({"authorization", "cookie", "proxy-authorization"})
_GZIP_OR_ZLIB = 47


@dataclass(frozen=True, slots=True)
class Fetched:
    status: int
    status_text: str
    headers: tuple[tuple[str, str], ...]
    url: str
    redirected: bool = False
    body: bytes = field(default=b"", repr=False)

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def data(self) -> dict[str, Any]:
        """As the prelude's ``Response`` wants it: the body as text where it is text."""
        told: dict[str, Any] = {
            "status": self.status,
            "statusText": self.status_text,
            "headers": [list(pair) for pair in self.headers],
            "url": self.url,
            "redirected": self.redirected,
        }
        try:
            return {**told, "body": self.body.decode()}
        except UnicodeDecodeError:
            return {**told, "base64": base64.b64encode(self.body).decode("ascii")}


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Fetcher:
    def __init__(self, rules: Callable[[], Ruleset], *, resolutions: Resolutions | None = None) -> None:
        self._rules = rules
        self._resolutions = resolutions or Resolutions()

    async def fetch(self, wish: Fetch, *, hosts: Sequence[Pattern], also: Site | None = None) -> Fetched:
        """``also`` is a site that was allowed for this once. Raises ``HostRefusal``, or what the rules say."""
        request = _Request(wish.method, _clean(wish.headers), _body(wish))
        url, redirects = wish.url, 0
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                while True:
                    address = parse_address(url)
                    answer = await self._exchange(address, request, await self._judge(address.site, hosts, also))
                    target = _redirect_target(answer)
                    if target is None or wish.redirect == "manual":
                        return _noting_redirects(answer, redirects)
                    redirects += 1
                    if wish.redirect == "error" or redirects > MOST_REDIRECTS:
                        raise HostRefusal("ERR_NAVIGATION", f"{url[:200]} redirects.")
                    request = _after_redirect(request, answer.status, address.site, parse_address(target).site)
                    url = target
        except TimeoutError:
            raise HostRefusal("ERR_TIMEOUT", f"{wish.url[:200]} took longer than {FETCH_SECONDS:g} s.") from None
        except (OSError, h11.ProtocolError, zlib.error) as error:
            raise HostRefusal("ERR_NAVIGATION", f"{url[:200]} could not be fetched: {error}") from None

    async def close(self) -> None:
        await self._resolutions.close()

    async def _judge(self, site: Site, hosts: Sequence[Pattern], also: Site | None) -> list[str]:
        """The addresses that may be connected to."""
        covering = [pattern for pattern in hosts if pattern.covers(site)]
        if not covering and site != also:
            raise PermissionDenied(f"{site} is none of the hosts that this guest may fetch from.")
        gate, ask = SessionGate(self._rules), Ask(site, "http")
        if site == also or any(not pattern.wildcard for pattern in covering):
            gate.open(site)
        reach = gate.allows(ask)
        if not reach.allowed:
            raise DomainDenied(reach.reason)
        allowed: list[str] = []
        for address in await self._resolutions.addresses(site.host):
            judged = gate.allows_address(ask, reach, classify_address(address))
            if not judged.allowed:
                raise DomainDenied(judged.reason)
            allowed.append(address)
        return allowed

    async def _exchange(self, address: Address, request: _Request, candidates: Sequence[str]) -> Fetched:
        site = address.site
        context = _tls() if site.scheme == "https" else None
        reader, writer = await _connect(candidates, site, context)
        try:
            return await _converse(reader, writer, address, request)
        finally:
            writer.close()
            with suppress(OSError, ssl.SSLError):
                await writer.wait_closed()


async def _connect(
    candidates: Sequence[str], site: Site, context: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    failure = OSError("the name has no address")
    for candidate in candidates:
        try:
            return await asyncio.open_connection(
                candidate, site.port, ssl=context, server_hostname=site.host.strip("[]") if context else None
            )
        except OSError as error:
            failure = error
    raise failure


async def _converse(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: Address, request: _Request
) -> Fetched:
    parts = urlsplit(address.href)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [("Host", str(address.site)), ("Connection", "close"), ("Accept-Encoding", "gzip"), *request.headers]
    if request.body or request.method not in ("GET", "HEAD", "OPTIONS"):
        headers.append(("Content-Length", str(len(request.body))))
    connection = h11.Connection(h11.CLIENT)
    for event in (h11.Request(method=request.method, target=target, headers=headers), h11.Data(data=request.body)):
        writer.write(connection.send(event) or b"")
    writer.write(connection.send(h11.EndOfMessage()) or b"")
    await writer.drain()
    head: h11.Response | None = None
    body = bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(_CHUNK))
        elif isinstance(event, h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
            _check_size(len(body))
        elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed) and head is not None:
            break
    told = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
    return Fetched(
        head.status_code, head.reason.decode("latin-1"), told, address.href, body=_unpacked(told, bytes(body))
    )


def _unpacked(headers: Sequence[tuple[str, str]], body: bytes) -> bytes:
    if not body or not any(name == "content-encoding" and "gzip" in value.lower() for name, value in headers):
        return body
    unpacked = zlib.decompressobj(_GZIP_OR_ZLIB).decompress(body, LARGEST_BODY + 1)
    _check_size(len(unpacked))
    return unpacked


def _check_size(size: int) -> None:
    if size > LARGEST_BODY:
        raise HostRefusal("ERR_NAVIGATION", f"The answer is larger than {LARGEST_BODY >> 20} MB.")


def _redirect_target(answer: Fetched) -> str | None:
    location = next((value for name, value in answer.headers if name == "location"), None)
    return urljoin(answer.url, location) if answer.status in _REDIRECTS and location else None


def _after_redirect(request: _Request, status: int, before: Site, after: Site) -> _Request:
    headers = request.headers
    if before != after:
        headers = tuple(pair for pair in headers if pair[0].lower() not in _PRIVATE)
    becomes_get = status == 303 or (status in (301, 302) and request.method == "POST")
    if becomes_get and request.method != "HEAD":
        return _Request("GET", tuple(pair for pair in headers if pair[0].lower() != "content-type"), b"")
    return _Request(request.method, headers, request.body)


def _noting_redirects(answer: Fetched, redirects: int) -> Fetched:
    if not redirects:
        return answer
    return Fetched(answer.status, answer.status_text, answer.headers, answer.url, True, answer.body)


def _clean(headers: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    given = [(name, value) for name, value in headers if name.lower() not in _OURS]
    if not any(name.lower() == "user-agent" for name, _ in given):
        given.append(("User-Agent", USER_AGENT))
    return tuple(given)


def _body(wish: Fetch) -> bytes:
    try:
        body = base64.b64decode(wish.base64) if wish.base64 is not None else (wish.body or "").encode()
    except (binascii.Error, ValueError):
        raise HostRefusal("ERR_INVALID_PARAMS", "The body is not valid base64.") from None
    if len(body) > LARGEST_REQUEST:
        raise HostRefusal("ERR_INVALID_PARAMS", f"The body is larger than {LARGEST_REQUEST >> 20} MB.")
    return body


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
