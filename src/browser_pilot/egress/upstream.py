"""The server's end of a connection through the proxy. It forwards nothing before ``start_forwarding``."""

from __future__ import annotations

import asyncio
from typing import Protocol

from browser_pilot.policy.hosts import Site
from browser_pilot.policy.ip_networks import AddressClass

from .splice import SpliceEnd


class ClientSide(Protocol):
    """What the server's end needs of the browser's."""

    @property
    def is_spliced(self) -> bool: ...
    def on_upstream_data(self, data: bytes) -> None: ...
    def on_upstream_closed(self, upstream: UpstreamConnection) -> None: ...


class UpstreamConnection(SpliceEnd):
    def __init__(self, client: ClientSide, site: Site, address_class: AddressClass) -> None:
        super().__init__()
        self.site = site
        self.address_class = address_class
        self.proxy_credentials: str | None = None
        """Set where it leads to a parent proxy that takes plain HTTP requests; empty if that needs none."""
        self._client = client
        self._held: bytearray | None = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        # The data of a server that sends first must not arrive before the proxy's own response.
        self.transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        if self._held is None:
            self._client.on_upstream_data(data)
        else:
            # Debian's Python 3.11.2 reads once more after ``pause_reading``.
            self._held += data

    def start_forwarding(self) -> None:
        """Forward to the browser what the server sent and sends."""
        held, self._held = self._held, None
        self.transport.resume_reading()
        if held:
            self._client.on_upstream_data(bytes(held))

    def is_rejected_by_proxy(self, data: bytes) -> bool:
        """Whether the parent proxy wants other credentials. The browser would take that for our own response."""
        return self.proxy_credentials is not None and data.startswith((b"HTTP/1.1 407", b"HTTP/1.0 407"))

    def eof_received(self) -> bool:
        return self._client.is_spliced and self.forward_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self.peer = None
        self._client.on_upstream_closed(self)
