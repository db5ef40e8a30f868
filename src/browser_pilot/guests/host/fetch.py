"""HTTP for guests, executed by the host: only to hosts that the user allowed, checked at every redirect.

A name is resolved once, its addresses are checked by the same rules as a managed browser's, and the connection goes to
one of these addresses. Bounded in time and size. No cookies, no proxies, no connection reuse.
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
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

import h11

from browser_pilot.egress.access_policy import ConnectionRequest, SessionAccessPolicy
from browser_pilot.egress.dns_resolver import DnsCache
from browser_pilot.egress.parent_proxy import ParentProxy
from browser_pilot.egress.upstream_route import UpstreamRoute, find_route
from browser_pilot.errors import DomainDenied, PermissionDenied
from browser_pilot.policy.hosts import Address, Site, address_class, parse_address
from browser_pilot.policy.ip_networks import classify_address
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Ruleset

from .host_api import Fetch
from .host_errors import HostError

MAX_REDIRECTS = 10
MAX_RESPONSE_BYTES = 8 << 20
MAX_REQUEST_BYTES = 2 << 20
FETCH_TIMEOUT_SECONDS = 30.0
USER_AGENT = "browser-pilot-guest"
_CHUNK = 1 << 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SET_BY_HOST = frozenset(
    {"host", "content-length", "connection", "transfer-encoding", "upgrade", "expect", "te", "trailer", "keep-alive",
     "accept-encoding"}
)  # fmt: skip
_CREDENTIAL_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})
_GZIP_OR_ZLIB_WINDOW_BITS = 47


@dataclass(frozen=True, slots=True)
class FetchResponse:
    status: int
    status_text: str
    headers: tuple[tuple[str, str], ...]
    url: str
    redirected: bool = False
    body: bytes = field(default=b"", repr=False)

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def to_wire(self) -> dict[str, Any]:
        """For the prelude's ``Response``: the body as text if it is UTF-8, else as base64."""
        fields: dict[str, Any] = {
            "status": self.status,
            "statusText": self.status_text,
            "headers": [list(pair) for pair in self.headers],
            "url": self.url,
            "redirected": self.redirected,
        }
        try:
            return {**fields, "body": self.body.decode()}
        except UnicodeDecodeError:
            return {**fields, "base64": base64.b64encode(self.body).decode("ascii")}


@dataclass(frozen=True, slots=True)
class _HttpRequest:
    method: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class _Stream(asyncio.StreamReaderProtocol):
    """Reader and writer of a connection that ``UpstreamRoute`` makes."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader()
        super().__init__(self.reader)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.writer = asyncio.StreamWriter(
            cast("asyncio.WriteTransport", transport), self, self.reader, asyncio.get_running_loop()
        )


class Fetcher:
    def __init__(
        self,
        rules: Callable[[], Ruleset],
        *,
        dns_cache: DnsCache | None = None,
        parent_proxy: Callable[[], ParentProxy | None] = lambda: None,
    ) -> None:
        self._rules = rules
        self._dns_cache = dns_cache or DnsCache()
        self._parent_proxy = parent_proxy

    async def fetch(
        self, params: Fetch, *, allowed_hosts: Sequence[Pattern], allowed_once: Site | None = None
    ) -> FetchResponse:
        """``allowed_once`` is a site that is allowed for this request. Raises ``HostError`` or ``PilotError``."""
        request = _HttpRequest(params.method, _request_headers(params.headers), _request_body(params))
        url, redirects = params.url, 0
        try:
            async with asyncio.timeout(FETCH_TIMEOUT_SECONDS):
                while True:
                    address = parse_address(url)
                    response = await self._exchange(
                        address, request, await self._allowed_route(address.site, allowed_hosts, allowed_once)
                    )
                    target = _redirect_target(response)
                    if target is None or params.redirect == "manual":
                        return _mark_redirected(response, redirects)
                    redirects += 1
                    if params.redirect == "error" or redirects > MAX_REDIRECTS:
                        raise HostError("ERR_NAVIGATION", f"{url[:200]} redirects.")
                    request = _after_redirect(request, response.status, address.site, parse_address(target).site)
                    url = target
        except TimeoutError:
            raise HostError(
                "ERR_TIMEOUT", f"{params.url[:200]} took longer than {FETCH_TIMEOUT_SECONDS:g} s."
            ) from None
        except h11.LocalProtocolError as error:
            raise HostError("ERR_INVALID_PARAMS", f"The request is invalid: {error}") from None
        except (OSError, h11.ProtocolError, zlib.error) as error:
            raise HostError("ERR_NAVIGATION", f"{url[:200]} could not be fetched: {error}") from None

    async def close(self) -> None:
        await self._dns_cache.close()

    def require_reachable(self, site: Site) -> None:
        """Raises ``DomainDenied`` for a site that no permission makes reachable, as far as its name tells."""
        policy, request = SessionAccessPolicy(self._rules), ConnectionRequest(site, "http")
        policy.allow_navigation(site)
        decision = policy.decide_host(request)
        kind = address_class(site.host)
        if decision.allowed and kind is not None:
            decision = policy.decide_address(request, decision, kind)
        if not decision.allowed:
            raise DomainDenied(decision.reason)

    async def _allowed_route(
        self, site: Site, allowed_hosts: Sequence[Pattern], allowed_once: Site | None
    ) -> UpstreamRoute:
        """The way to the site. Raises unless all of its addresses may be connected to."""
        covering = [pattern for pattern in allowed_hosts if pattern.covers(site)]
        if not covering and site != allowed_once:
            raise PermissionDenied(f"{site} is not one of the hosts that this guest may fetch from.")
        policy, connection_request = SessionAccessPolicy(self._rules), ConnectionRequest(site, "http")
        if site == allowed_once or any(not pattern.wildcard for pattern in covering):
            policy.allow_navigation(site)
        decision = policy.decide_host(connection_request)
        if not decision.allowed:
            raise DomainDenied(decision.reason)
        route = await find_route(site, self._parent_proxy(), self._dns_cache)
        for address in route.addresses:
            kind = classify_address(address)
            address_decision = policy.decide_address(connection_request, decision, kind, [address])
            if not address_decision.allowed:
                raise DomainDenied(address_decision.reason)
        return route

    async def _exchange(self, address: Address, request: _HttpRequest, route: UpstreamRoute) -> FetchResponse:
        site = address.site
        stream = await route.connect(_Stream, tunnel=True)
        reader, writer = stream.reader, stream.writer
        if site.scheme == "https":
            try:
                await writer.start_tls(_tls(), server_hostname=site.host.strip("[]"))
            except BaseException:
                writer.transport.abort()
                raise
        try:
            return await _send_and_receive(reader, writer, address, request)
        finally:
            writer.close()
            with suppress(OSError, ssl.SSLError):
                await writer.wait_closed()


async def _send_and_receive(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: Address, request: _HttpRequest
) -> FetchResponse:
    parts = urlsplit(address.href)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers: list[tuple[bytes, bytes]] = [
        (b"Host", str(address.site).encode()),
        (b"Connection", b"close"),
        (b"Accept-Encoding", b"gzip"),
        *((name.encode("ascii"), value.encode("latin-1")) for name, value in request.headers),
    ]
    if request.body or request.method not in ("GET", "HEAD", "OPTIONS"):
        headers.append((b"Content-Length", str(len(request.body)).encode()))
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
    response_headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
    return FetchResponse(
        head.status_code,
        head.reason.decode("latin-1"),
        response_headers,
        address.href,
        body=_decompressed(response_headers, bytes(body)),
    )


def _decompressed(headers: Sequence[tuple[str, str]], body: bytes) -> bytes:
    if not body or not any(name == "content-encoding" and "gzip" in value.lower() for name, value in headers):
        return body
    decompressed = zlib.decompressobj(_GZIP_OR_ZLIB_WINDOW_BITS).decompress(body, MAX_RESPONSE_BYTES + 1)
    _check_size(len(decompressed))
    return decompressed


def _check_size(size: int) -> None:
    if size > MAX_RESPONSE_BYTES:
        raise HostError("ERR_NAVIGATION", f"The response is larger than {MAX_RESPONSE_BYTES >> 20} MB.")


def _redirect_target(response: FetchResponse) -> str | None:
    location = next((value for name, value in response.headers if name == "location"), None)
    return urljoin(response.url, location) if response.status in _REDIRECTS and location else None


def _after_redirect(request: _HttpRequest, status: int, before: Site, after: Site) -> _HttpRequest:
    headers = request.headers
    if before != after:
        headers = tuple(pair for pair in headers if pair[0].lower() not in _CREDENTIAL_HEADERS)
    becomes_get = status == 303 or (status in (301, 302) and request.method == "POST")
    if becomes_get and request.method != "HEAD":
        return _HttpRequest("GET", tuple(pair for pair in headers if pair[0].lower() != "content-type"), b"")
    return _HttpRequest(request.method, headers, request.body)


def _mark_redirected(response: FetchResponse, redirects: int) -> FetchResponse:
    if not redirects:
        return response
    return FetchResponse(response.status, response.status_text, response.headers, response.url, True, response.body)


def _request_headers(headers: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    given = [(name, value.strip(" \t\r\n")) for name, value in headers if name.lower() not in _SET_BY_HOST]
    for name, value in given:
        if not name.isascii() or any(ord(character) > 0xFF or character in "\r\n\0" for character in value):
            # As in browsers: a header has bytes, no Unicode.
            raise HostError("ERR_INVALID_PARAMS", f"The header {name[:80]!r} has characters that no header may have.")
    if not any(name.lower() == "user-agent" for name, _ in given):
        given.append(("User-Agent", USER_AGENT))
    return tuple(given)


def _request_body(params: Fetch) -> bytes:
    try:
        body = base64.b64decode(params.base64) if params.base64 is not None else (params.body or "").encode()
    except (binascii.Error, ValueError):
        raise HostError("ERR_INVALID_PARAMS", "The body is not valid base64.") from None
    if len(body) > MAX_REQUEST_BYTES:
        raise HostError("ERR_INVALID_PARAMS", f"The body is larger than {MAX_REQUEST_BYTES >> 20} MB.")
    return body


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
