"""One end of a pair of sockets that forward bytes to each other: back-pressure and half-close.

Each end stops reading while the other cannot write. At its EOF it half-closes the other, whose direction stays open.
"""

from __future__ import annotations

import asyncio
from typing import cast


class SpliceEnd(asyncio.Protocol):
    """Two ends form a pair as each other's ``peer``."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.peer: SpliceEnd | None = None
        self.has_sent_eof = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def pause_writing(self) -> None:
        if self.peer is not None:
            self.peer.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.peer is not None:
            self.peer.transport.resume_reading()

    def forward_eof(self) -> bool:
        """Forward this end's EOF. True while the other direction is open."""
        self.has_sent_eof = True
        # TLS, as to a parent proxy, has no half-close.
        if self.peer is None or self.peer.has_sent_eof or not self.peer.transport.can_write_eof():
            return False
        self.peer.transport.write_eof()
        return True
