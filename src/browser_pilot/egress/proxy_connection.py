"""One connection of a browser to the proxy: requests come in, are judged, and are passed on.

Bytes go straight from one socket to the other, without a queue of ours: when one side cannot take more, the other is no
longer read. Only request heads are looked into, and the beginning of a tunnel where the gate must know who asks, or for
what. A connection has one server at a time; the next request goes to the same one, at once, when its site is the same.
While a server is looked up and connected, one task runs and nothing is read. A tunnel is judged again when the rules
have changed, before anything more goes through it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from enum import Enum, auto
from http import HTTPStatus
from typing import Protocol

from ..policy.hosts import BLANK, Site
from ..policy.networks import AddressClass, classify_address
from ..policy.reach import Reach
from .answers import TUNNEL_OPEN, WELCOME, Refused, answer
from .browser import WELCOME_HOST
from .connect import connect_first
from .gate import Ask, Gate
from .http1 import (
    HEAD_BYTES,
    HEAD_END,
    BadRequest,
    Body,
    RequestHead,
    asking_site,
    parse_head,
    rewritten,
    split_absolute,
    split_authority,
)
from .parent_proxy import ParentProxy, connect_through
from .resolve import Resolutions
from .side import Side
from .troubles import Refusal, failure_of
from .upstream import Upstream

TLS_HANDSHAKE = b"\x16"
SWITCHING = b"HTTP/1.1 101"


@dataclass(frozen=True, slots=True)
class Session:
    key: str
    secret: str
    gate: Gate
    parent: ParentProxy | None = None


class Owner(Protocol):
    """What a connection needs of the proxy."""

    @property
    def resolutions(self) -> Resolutions: ...
    @property
    def connect_seconds(self) -> float: ...
    def authenticate(self, header: str | None) -> Session | None: ...
    def opened(self, connection: Connection) -> None: ...
    def closed(self, connection: Connection) -> None: ...


class Phase(Enum):
    HEAD = auto()  # the next request is awaited
    BODY = auto()  # its body is passed on
    PEEK = auto()  # the beginning of a tunnel to a local address is awaited
    UPGRADE = auto()  # the server has not yet said whether it switches to another protocol
    SPLICE = auto()  # everything is passed on, both ways
    SPENT = auto()  # nothing more may come from the browser


class Connection(Side):
    """The browser's end, which owns the other."""

    def __init__(self, owner: Owner) -> None:
        super().__init__()
        self.session: Session | None = None
        self.phase = Phase.HEAD
        self.last_active = 0.0
        self._owner = owner
        self._is_gone = False
        self._loop = asyncio.get_running_loop()
        self._received = bytearray()
        self._body: Body | None = None
        self._upstream: Upstream | None = None
        self._task: asyncio.Task[None] | None = None
        self._ask: Ask | None = None
        self._edition: object = None
        self._tunnel: tuple[Ask, Reach, tuple[str, ...], AddressClass] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.last_active = self._loop.time()
        self._owner.opened(self)

    def data_received(self, data: bytes) -> None:
        self.last_active = self._loop.time()
        if self.phase is Phase.SPLICE and self._upstream is not None:
            if self._is_still_permitted():
                self._upstream.transport.write(data)
            return
        self._received += data
        self._advance()

    def eof_received(self) -> bool:
        return self.phase is Phase.SPLICE and self.pass_end_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_gone = True
        if self._task is not None:
            self._task.cancel()
        if self._upstream is None:
            self._owner.closed(self)
        elif exc is None and self.phase is Phase.SPLICE:
            # What the browser sent last may still be on its way.
            self._upstream.transport.close()
        else:
            self._upstream.transport.abort()

    @property
    def is_spliced(self) -> bool:
        return self.phase is Phase.SPLICE

    def from_server(self, data: bytes) -> None:
        self.last_active = self._loop.time()
        if self.phase is Phase.UPGRADE:
            self.phase = Phase.SPLICE if data.startswith(SWITCHING) else Phase.SPENT
        if self.phase is not Phase.SPLICE or self._is_still_permitted():
            self.transport.write(data)

    def server_lost(self, upstream: Upstream) -> None:
        if upstream is self._upstream:
            self._upstream = self.peer = None
            if self._is_gone:
                self._owner.closed(self)
            # Closing lets what the server sent last arrive.
            self.transport.close()

    def abort(self) -> asyncio.Task[None] | None:
        """End at once; gives the task, if one runs, so that its end can be awaited."""
        self.transport.abort()
        if self._upstream is not None:
            self._upstream.transport.abort()
        if self._task is not None:
            self._task.cancel()
        return self._task

    def _advance(self) -> None:
        while self._task is None and self._received and not self.transport.is_closing():
            match self.phase:
                case Phase.HEAD | Phase.PEEK:
                    if not self._judge():
                        return
                case Phase.BODY:
                    self._pass_body_on()
                case Phase.SPLICE:
                    self._flush()
                case Phase.UPGRADE | Phase.SPENT:
                    self.abort()

    def _judge(self) -> bool:
        """Deal with the head of a request, or the beginning of a tunnel. False when more of it must come first."""
        end = self._received.find(HEAD_END)
        tls = self.phase is Phase.PEEK and self._received.startswith(TLS_HANDSHAKE)
        if end < 0 and not tls:
            if len(self._received) > HEAD_BYTES:
                self._say(Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request's headers are too long."))
            return False
        head = bytes(self._received[: end + len(HEAD_END)])
        try:
            if self.phase is Phase.PEEK:
                waiting = self._open_tunnel(None if tls else parse_head(head))
            else:
                del self._received[: len(head)]
                waiting = self._take(parse_head(head))
        except BadRequest as error:
            self._say(Refused(HTTPStatus.BAD_REQUEST, f"This is no request for a proxy: {error}."))
        except Refused as refused:
            self._say(refused)
        else:
            if waiting is not None:
                self.transport.pause_reading()
                self._task = self._loop.create_task(self._wait(waiting))
        return True

    async def _wait(self, work: Coroutine[None, None, None]) -> None:
        try:
            async with asyncio.timeout(self._owner.connect_seconds):
                await work
        except Refused as refused:
            self._say(refused)
        except OSError as error:
            self._fail(error)
        self._task = None
        if not self.transport.is_closing():
            self.transport.resume_reading()
            self._advance()

    def _take(self, head: RequestHead) -> Coroutine[None, None, None] | None:
        """What remains to be done for a request, if it cannot be passed on at once."""
        session = self._owner.authenticate(head.get("proxy-authorization"))
        if session is None:
            # A body that follows is not worth reading.
            if head.has_body:
                self.phase = Phase.SPENT
            raise Refused(HTTPStatus.PROXY_AUTHENTICATION_REQUIRED, "This proxy serves Browser Pilot's own browsers.")
        self.session = session
        if head.method == "CONNECT":
            self._ask = Ask(split_authority(head.target), "tunnel")
            return self._connect(session.gate, self._ask)
        return self._forward(session.gate, head)

    def _forward(self, gate: Gate, head: RequestHead) -> Coroutine[None, None, None] | None:
        site, path = split_absolute(head.target)
        if site.host == WELCOME_HOST:
            self.transport.write(WELCOME)
            return None
        body = Body(head)
        if not body.done:
            self.phase = Phase.SPENT
        ask = self._ask = Ask(site, "http", asking_site(head), head.get("sec-fetch-site"), head.target)
        found = self._permitted(gate, ask)
        upstream = self._upstream
        if upstream is None or upstream.site != site or upstream.transport.is_closing():
            self._drop_upstream()
            return self._forward_anew(gate, ask, found, head, path, body)
        self._permitted_address(gate, ask, found, upstream.kind)
        self._send(gate, upstream, head, path, body)
        return None

    async def _forward_anew(self, gate: Gate, ask: Ask, found: Reach, head: RequestHead, path: str, body: Body) -> None:
        addresses, kind = await self._resolve(ask.site)
        self._permitted_address(gate, ask, found, kind)
        self._send(gate, await self._reach(ask.site, addresses, kind), head, path, body)

    def _send(self, gate: Gate, upstream: Upstream, head: RequestHead, path: str, body: Body) -> None:
        gate.reached(upstream.site)
        upstream.transport.write(rewritten(head, upstream.site, path))
        self._body = None if body.done else body
        self.phase = Phase.UPGRADE if head.upgrades else Phase.HEAD if body.done else Phase.BODY
        upstream.let_speak()

    async def _connect(self, gate: Gate, ask: Ask) -> None:
        self._drop_upstream()
        found = self._permitted(gate, ask)
        addresses, kind = await self._resolve(ask.site)
        if kind.is_local and not kind.is_forbidden:
            self._tunnel = (ask, found, addresses, kind)
            self.transport.write(TUNNEL_OPEN)
            self.phase = Phase.PEEK
            return
        self._permitted_address(gate, ask, found, kind)
        upstream = await self._reach(ask.site, addresses, kind)
        self.transport.write(TUNNEL_OPEN)
        if gate.looks_into_urls:
            self._tunnel = (ask, found, addresses, kind)
            self.phase = Phase.PEEK
            return
        self._splice(gate, upstream)

    def _open_tunnel(self, head: RequestHead | None) -> Coroutine[None, None, None] | None:
        """A tunnel, now that it shows what is to go through it: TLS (no head) or a request."""
        if self.session is None or self._tunnel is None:
            raise TypeError("a tunnel is opened after it was asked for")
        gate = self.session.gate
        ask, found, addresses, kind = self._tunnel
        self.phase = Phase.SPENT
        if head is not None:
            ask = self._ask = replace(ask, origin=asking_site(head) or BLANK, url=f"ws://{ask.site}{head.target}")
            found = self._permitted(gate, ask)
        if self._upstream is not None:
            self._splice(gate, self._upstream)
            return None
        self._permitted_address(gate, ask, found, kind)

        async def connect() -> None:
            self._splice(gate, await self._reach(ask.site, addresses, kind))

        return connect()

    def _splice(self, gate: Gate, upstream: Upstream) -> None:
        self.phase = Phase.SPLICE
        gate.reached(upstream.site)
        upstream.let_speak()

    def _is_still_permitted(self) -> bool:
        """Judges again what is open when the rules are no longer those that allowed it; what they forbid ends."""
        if self.session is None or self._ask is None:
            return False
        gate = self.session.gate
        edition = gate.edition()
        if edition is not self._edition:
            found = gate.allows(self._ask)
            if not found.allowed:
                gate.told(Refusal(self._ask.site, found.rule, found.reason))
                self.abort()
                return False
            self._edition = edition
        return True

    async def _resolve(self, site: Site) -> tuple[tuple[str, ...], AddressClass]:
        addresses = await self._owner.resolutions.addresses(site.host)
        # Of several addresses the worst counts: which one is used must not matter.
        return addresses, max(map(classify_address, addresses), default=AddressClass.UNUSABLE)

    async def _reach(self, site: Site, addresses: tuple[str, ...], kind: AddressClass) -> Upstream:
        proxy = self.session.parent if self.session is not None else None
        if proxy is None or kind.is_local:
            upstream = await connect_first(addresses, site.port, lambda: Upstream(self, site, kind))
        else:
            upstream = await connect_through(proxy, addresses[0], site.port, lambda: Upstream(self, site, kind))
        upstream.peer = self
        self._upstream = self.peer = upstream
        return upstream

    def _permitted(self, gate: Gate, ask: Ask) -> Reach:
        found = gate.allows(ask)
        self._insist(gate, ask, found)
        return found

    def _permitted_address(self, gate: Gate, ask: Ask, found: Reach, kind: AddressClass) -> None:
        self._insist(gate, ask, gate.allows_address(ask, found, kind))

    @staticmethod
    def _insist(gate: Gate, ask: Ask, found: Reach) -> None:
        if not found.allowed:
            gate.told(Refusal(ask.site, found.rule, found.reason))
            raise Refused(HTTPStatus.FORBIDDEN, found.reason, rule=found.rule)

    def _pass_body_on(self) -> None:
        if self._upstream is None or self._body is None:
            self.abort()
            return
        try:
            taken = self._body.take(bytes(self._received))
        except BadRequest:
            self.abort()
            return
        self._upstream.transport.write(bytes(self._received[:taken]))
        del self._received[:taken]
        if self._body.done:
            self.phase, self._body = Phase.HEAD, None

    def _flush(self) -> None:
        if self._upstream is None:
            self.abort()
            return
        self._upstream.transport.write(bytes(self._received))
        self._received.clear()

    def _fail(self, error: OSError) -> None:
        status = HTTPStatus.GATEWAY_TIMEOUT if isinstance(error, TimeoutError) else HTTPStatus.BAD_GATEWAY
        if self.session is not None and self._ask is not None:
            failure = failure_of(self._ask.site, error)
            self.session.gate.told(failure)
            self._say(Refused(status, failure.reason))

    def _say(self, refused: Refused) -> None:
        """Answer for ourselves. The connection can go on unless the rest of the request is still to come."""
        close = self.phase is not Phase.HEAD or refused.status in (
            HTTPStatus.BAD_REQUEST,
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        )
        self.transport.write(answer(refused.status, refused.reason, rule=refused.rule, close=close))
        if close:
            self.phase = Phase.SPENT
            self.transport.close()

    def _drop_upstream(self) -> None:
        upstream, self._upstream = self._upstream, None
        self.peer = None
        if upstream is not None:
            upstream.peer = None
            upstream.transport.abort()
