"""One connection of a browser to the proxy: requests are read, checked against the access policy, and forwarded.

Bytes go straight from one socket to the other, without a queue: when one side cannot take more, the other is no longer
read. Only request heads are parsed, and the start of a tunnel where the access policy needs the initiator or the URL. A
connection has one upstream at a time; the next request reuses it when its site is the same. While a name is resolved
and connected, one task runs and nothing is read. After a change of the rules a tunnel is checked again before it
carries another byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from enum import Enum, auto
from http import HTTPStatus
from typing import Protocol

from browser_pilot.policy.hosts import BLANK, Site
from browser_pilot.policy.ip_networks import AddressClass
from browser_pilot.policy.subresources import ReachDecision

from .access_policy import AccessPolicy, ConnectionRequest
from .chromium_flags import PROXY_LOGIN_HOST
from .connect_errors import BlockedByPolicy, ParentProxyError, network_failure
from .dns_resolver import DnsCache
from .error_pages import PROXY_LOGIN_RESPONSE, TUNNEL_OPEN, ProxyErrorResponse, error_page
from .http1 import (
    HEAD_END,
    MAX_HEAD_BYTES,
    BadRequest,
    RequestBody,
    RequestHead,
    initiator_site,
    parse_absolute_target,
    parse_authority_target,
    parse_head,
    upstream_head,
)
from .parent_proxy import ParentProxy
from .splice import SpliceEnd
from .upstream import UpstreamConnection
from .upstream_route import UpstreamRoute, find_route

TLS_HANDSHAKE = b"\x16"
SWITCHING_PROTOCOLS = b"HTTP/1.1 101"


@dataclass(frozen=True, slots=True)
class ProxySessionEntry:
    """A session that may use the proxy: its credentials, its access policy, and the proxy that comes after ours."""

    key: str
    secret: str
    access_policy: AccessPolicy
    parent: ParentProxy | None = None


class ConnectionOwner(Protocol):
    """What a connection needs of the proxy."""

    @property
    def dns_cache(self) -> DnsCache: ...
    @property
    def connect_timeout_seconds(self) -> float: ...
    def parent_proxy(self) -> ParentProxy | None: ...
    def authenticate(self, header: str | None) -> ProxySessionEntry | None: ...
    def on_opened(self, connection: ClientConnection) -> None: ...
    def on_closed(self, connection: ClientConnection) -> None: ...


class Phase(Enum):
    HEAD = auto()  # waits for the head of the next request
    BODY = auto()  # forwards a request's body
    TUNNEL_START = auto()  # waits for the first bytes in a tunnel
    UPGRADE = auto()  # waits for the response to a request to switch protocols
    SPLICE = auto()  # forwards all bytes, both ways
    CLOSING = auto()  # accepts nothing more from the browser


@dataclass(frozen=True, slots=True)
class _Tunnel:
    """A tunnel that was requested and waits for its first bytes."""

    request: ConnectionRequest
    decision: ReachDecision
    route: UpstreamRoute


class ClientConnection(SpliceEnd):
    """The browser's end, which owns the upstream end."""

    def __init__(self, owner: ConnectionOwner) -> None:
        super().__init__()
        self.session: ProxySessionEntry | None = None
        self.phase = Phase.HEAD
        self.last_active = 0.0
        self._owner = owner
        self._client_closed = False
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._body: RequestBody | None = None
        self._upstream: UpstreamConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._request: ConnectionRequest | None = None
        self._rules_version: object = None
        self._tunnel: _Tunnel | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.last_active = self._loop.time()
        self._owner.on_opened(self)

    def data_received(self, data: bytes) -> None:
        self.last_active = self._loop.time()
        if self.phase is Phase.SPLICE and self._upstream is not None:
            if self._is_still_allowed():
                self._upstream.transport.write(data)
            return
        self._buffer += data
        self._advance()

    def eof_received(self) -> bool:
        return self.phase is Phase.SPLICE and self.forward_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self._client_closed = True
        if self._task is not None:
            self._task.cancel()
        if self._upstream is None:
            self._owner.on_closed(self)
        elif exc is None and self.phase is Phase.SPLICE:
            # Closing sends what the browser wrote last.
            self._upstream.transport.close()
        else:
            self._upstream.transport.abort()

    @property
    def is_spliced(self) -> bool:
        return self.phase is Phase.SPLICE

    def on_upstream_data(self, data: bytes) -> None:
        self.last_active = self._loop.time()
        if self._upstream is not None and self._upstream.is_rejected_by_proxy(data):
            self._upstream.transport.abort()
            self._send_failure(ParentProxyError("the proxy requires other credentials (status 407)"))
            self.transport.close()
            return
        if self.phase is Phase.UPGRADE:
            self.phase = Phase.SPLICE if data.startswith(SWITCHING_PROTOCOLS) else Phase.CLOSING
        if self.phase is not Phase.SPLICE or self._is_still_allowed():
            self.transport.write(data)

    def on_upstream_closed(self, upstream: UpstreamConnection) -> None:
        if upstream is self._upstream:
            self._upstream = self.peer = None
            if self._client_closed:
                self._owner.on_closed(self)
            # Closing sends what the server wrote last.
            self.transport.close()

    def abort(self) -> asyncio.Task[None] | None:
        """Close at once; returns the running task, if any, to wait for its end."""
        self.transport.abort()
        if self._upstream is not None:
            self._upstream.transport.abort()
        if self._task is not None:
            self._task.cancel()
        return self._task

    def _advance(self) -> None:
        while self._task is None and self._buffer and not self.transport.is_closing():
            match self.phase:
                case Phase.HEAD | Phase.TUNNEL_START:
                    if not self._handle_head():
                        return
                case Phase.BODY:
                    self._forward_body()
                case Phase.SPLICE:
                    self._forward_buffer()
                case Phase.UPGRADE | Phase.CLOSING:
                    self.abort()

    def _handle_head(self) -> bool:
        """Handle the head of a request, or the start of a tunnel. False when it is incomplete."""
        end = self._buffer.find(HEAD_END)
        tls = self.phase is Phase.TUNNEL_START and self._buffer.startswith(TLS_HANDSHAKE)
        if end < 0 and not tls:
            if len(self._buffer) > MAX_HEAD_BYTES:
                self._send_error(
                    ProxyErrorResponse(
                        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request's headers are too long."
                    )
                )
            return False
        head = bytes(self._buffer[: end + len(HEAD_END)])
        try:
            if self.phase is Phase.TUNNEL_START:
                work = self._check_tunnel(None if tls else parse_head(head))
            else:
                del self._buffer[: len(head)]
                work = self._handle_request(parse_head(head))
        except BadRequest as error:
            self._send_error(ProxyErrorResponse(HTTPStatus.BAD_REQUEST, f"This is not a request for a proxy: {error}."))
        except ProxyErrorResponse as error_response:
            self._send_error(error_response)
        else:
            if work is not None:
                self.transport.pause_reading()
                self._task = self._loop.create_task(self._run(work))
        return True

    async def _run(self, work: Coroutine[None, None, None]) -> None:
        try:
            async with asyncio.timeout(self._owner.connect_timeout_seconds):
                await work
        except ProxyErrorResponse as error_response:
            self._send_error(error_response)
        except OSError as error:
            self._send_failure(error)
        self._task = None
        if not self.transport.is_closing():
            self.transport.resume_reading()
            self._advance()

    def _handle_request(self, head: RequestHead) -> Coroutine[None, None, None] | None:
        """Returns the work that a request needs before it can be forwarded, if any."""
        session = self._owner.authenticate(head.get("proxy-authorization"))
        if session is None:
            # A body that follows is not read.
            if head.has_body:
                self.phase = Phase.CLOSING
            raise ProxyErrorResponse(
                HTTPStatus.PROXY_AUTHENTICATION_REQUIRED, "This proxy serves Browser Pilot's own browsers."
            )
        self.session = session
        if head.method == "CONNECT":
            self._request = ConnectionRequest(parse_authority_target(head.target), "tunnel")
            return self._handle_connect(session.access_policy, self._request)
        return self._forward(session.access_policy, head)

    def _forward(self, policy: AccessPolicy, head: RequestHead) -> Coroutine[None, None, None] | None:
        site, path = parse_absolute_target(head.target)
        if site.host == PROXY_LOGIN_HOST:
            self.transport.write(PROXY_LOGIN_RESPONSE)
            return None
        body = RequestBody(head)
        if not body.done:
            self.phase = Phase.CLOSING
        request = self._request = ConnectionRequest(
            site, "http", initiator_site(head), head.get("sec-fetch-site"), head.target
        )
        decision = self._check_host(policy, request)
        upstream = self._upstream
        if upstream is None or upstream.site != site or upstream.transport.is_closing():
            self._abort_upstream()
            return self._connect_and_forward(policy, request, decision, head, path, body)
        self._check_address(policy, request, decision, upstream.address_class)
        self._send_request(policy, upstream, head, path, body)
        return None

    async def _connect_and_forward(
        self,
        policy: AccessPolicy,
        request: ConnectionRequest,
        decision: ReachDecision,
        head: RequestHead,
        path: str,
        body: RequestBody,
    ) -> None:
        route = await self._find_route(request.site)
        self._check_address(policy, request, decision, route.kind, route.addresses)
        upstream = await self._connect_upstream(route, tunnel=head.is_upgrade)
        self._send_request(policy, upstream, head, path, body)

    def _send_request(
        self, policy: AccessPolicy, upstream: UpstreamConnection, head: RequestHead, path: str, body: RequestBody
    ) -> None:
        policy.record_connected(upstream.site)
        upstream.transport.write(upstream_head(head, upstream.site, path, credentials=upstream.proxy_credentials))
        self._body = None if body.done else body
        self.phase = Phase.UPGRADE if head.is_upgrade else Phase.HEAD if body.done else Phase.BODY
        upstream.start_forwarding()

    async def _handle_connect(self, policy: AccessPolicy, request: ConnectionRequest) -> None:
        self._abort_upstream()
        decision = self._check_host(policy, request)
        route = await self._find_route(request.site)
        if route.kind.is_local and not route.kind.is_forbidden:
            self._tunnel = _Tunnel(request, decision, route)
            self.transport.write(TUNNEL_OPEN)
            self.phase = Phase.TUNNEL_START
            return
        self._check_address(policy, request, decision, route.kind, route.addresses)
        upstream = await self._connect_upstream(route, tunnel=True)
        self.transport.write(TUNNEL_OPEN)
        if policy.needs_urls:
            self._tunnel = _Tunnel(request, decision, route)
            self.phase = Phase.TUNNEL_START
            return
        self._start_splice(policy, upstream)

    def _check_tunnel(self, head: RequestHead | None) -> Coroutine[None, None, None] | None:
        """Check a tunnel by its first bytes: TLS (no head) or a request."""
        if self.session is None or self._tunnel is None:
            raise TypeError("a tunnel is opened after its request")
        policy, tunnel = self.session.access_policy, self._tunnel
        request, decision = tunnel.request, tunnel.decision
        self.phase = Phase.CLOSING
        if head is not None:
            url = f"ws://{request.site}{head.target}"
            request = self._request = replace(request, origin=initiator_site(head) or BLANK, url=url)
            decision = self._check_host(policy, request)
        if self._upstream is not None:
            self._start_splice(policy, self._upstream)
            return None
        route = tunnel.route
        self._check_address(policy, request, decision, route.kind, route.addresses)

        async def connect() -> None:
            self._start_splice(policy, await self._connect_upstream(route, tunnel=True))

        return connect()

    def _start_splice(self, policy: AccessPolicy, upstream: UpstreamConnection) -> None:
        self.phase = Phase.SPLICE
        policy.record_connected(upstream.site)
        upstream.start_forwarding()

    def _is_still_allowed(self) -> bool:
        """Check an open tunnel again if the rules have changed; abort it if they forbid it now."""
        if self.session is None or self._request is None:
            return False
        policy = self.session.access_policy
        rules_version = policy.rules_version()
        if rules_version is not self._rules_version:
            decision = policy.decide_host(self._request)
            if not decision.allowed:
                policy.record_error(BlockedByPolicy(self._request.site, decision.rule, decision.reason))
                self.abort()
                return False
            self._rules_version = rules_version
        return True

    async def _find_route(self, site: Site) -> UpstreamRoute:
        parent = self.session.parent if self.session is not None else None
        return await find_route(site, parent or self._owner.parent_proxy(), self._owner.dns_cache)

    async def _connect_upstream(self, route: UpstreamRoute, *, tunnel: bool) -> UpstreamConnection:
        site, parent = route.site, route.parent
        upstream = await route.connect(lambda: UpstreamConnection(self, site, route.kind), tunnel=tunnel)
        if parent is not None and parent.forwards_requests and not tunnel:
            upstream.proxy_credentials = parent.credentials
        upstream.peer = self
        self._upstream = self.peer = upstream
        return upstream

    def _check_host(self, policy: AccessPolicy, request: ConnectionRequest) -> ReachDecision:
        decision = policy.decide_host(request)
        self._require_allowed(policy, request, decision)
        return decision

    def _check_address(
        self,
        policy: AccessPolicy,
        request: ConnectionRequest,
        decision: ReachDecision,
        kind: AddressClass,
        addresses: tuple[str, ...] = (),
    ) -> None:
        self._require_allowed(policy, request, policy.decide_address(request, decision, kind, addresses))

    @staticmethod
    def _require_allowed(policy: AccessPolicy, request: ConnectionRequest, decision: ReachDecision) -> None:
        if not decision.allowed:
            policy.record_error(BlockedByPolicy(request.site, decision.rule, decision.reason))
            raise ProxyErrorResponse(HTTPStatus.FORBIDDEN, decision.reason, rule=decision.rule)

    def _forward_body(self) -> None:
        if self._upstream is None or self._body is None:
            self.abort()
            return
        try:
            length = self._body.consume(bytes(self._buffer))
        except BadRequest:
            self.abort()
            return
        self._upstream.transport.write(bytes(self._buffer[:length]))
        del self._buffer[:length]
        if self._body.done:
            self.phase, self._body = Phase.HEAD, None

    def _forward_buffer(self) -> None:
        if self._upstream is None:
            self.abort()
            return
        self._upstream.transport.write(bytes(self._buffer))
        self._buffer.clear()

    def _send_failure(self, error: OSError) -> None:
        status = HTTPStatus.GATEWAY_TIMEOUT if isinstance(error, TimeoutError) else HTTPStatus.BAD_GATEWAY
        if self.session is not None and self._request is not None:
            failure = network_failure(self._request.site, error)
            self.session.access_policy.record_error(failure)
            self._send_error(ProxyErrorResponse(status, failure.reason))

    def _send_error(self, error_response: ProxyErrorResponse) -> None:
        """Send a response of our own. The connection stays usable unless a part of the request is unread."""
        close = self.phase is not Phase.HEAD or error_response.status in (
            HTTPStatus.BAD_REQUEST,
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        )
        self.transport.write(
            error_page(error_response.status, error_response.reason, rule=error_response.rule, close=close)
        )
        if close:
            self.phase = Phase.CLOSING
            self.transport.close()

    def _abort_upstream(self) -> None:
        upstream, self._upstream = self._upstream, None
        self.peer = None
        if upstream is not None:
            upstream.peer = None
            upstream.transport.abort()
