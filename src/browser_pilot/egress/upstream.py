"""The server's end of a connection through the proxy. It says nothing before it may."""

from __future__ import annotations

import asyncio
from typing import Protocol

from ..policy.hosts import Site
from ..policy.networks import AddressClass
from .side import Side


class Browser(Protocol):
    """What the server's end needs of the browser's."""

    @property
    def is_spliced(self) -> bool: ...
    def from_server(self, data: bytes) -> None: ...
    def server_lost(self, upstream: Upstream) -> None: ...


class Upstream(Side):
    def __init__(self, browser: Browser, site: Site, kind: AddressClass) -> None:
        super().__init__()
        self.site = site
        self.kind = kind
        self._browser = browser
        self._early: bytearray | None = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        # A server that speaks first must not overtake what the browser is told of it.
        self.transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        if self._early is None:
            self._browser.from_server(data)
        else:
            # Debian's Python 3.11.2 reads once although it was told not to.
            self._early += data

    def let_speak(self) -> None:
        """From now on the browser hears what the server says, and what it has said."""
        early, self._early = self._early, None
        self.transport.resume_reading()
        if early:
            self._browser.from_server(bytes(early))

    def eof_received(self) -> bool:
        return self._browser.is_spliced and self.pass_end_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self.peer = None
        self._browser.server_lost(self)
