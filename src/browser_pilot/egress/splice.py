"""One end of a pair of sockets between which bytes are passed on: back-pressure and half-close.

Each end stops reading while the other cannot write, and passes on that its sender has ended while the other way stays
open.
"""

from __future__ import annotations

import asyncio
from typing import cast


class Side(asyncio.Protocol):
    """Two of these are a pair by being each other's ``peer``."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.peer: Side | None = None
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def pause_writing(self) -> None:
        if self.peer is not None:
            self.peer.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.peer is not None:
            self.peer.transport.resume_reading()

    def pass_end_on(self) -> bool:
        """This side has sent its last byte. True while the other way is still open."""
        self.ended = True
        if self.peer is None or self.peer.ended:
            return False
        self.peer.transport.write_eof()
        return True
