"""The only writer of a socket: sends messages in order, all that wait in one batch."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T", bound=dict[str, Any])


class SendQueue(Generic[T]):
    def __init__(self, send: Callable[[list[T]], Awaitable[None]]) -> None:
        self._send = send
        self._waiting: list[T] = []
        self._filled = asyncio.Event()

    def put(self, message: T) -> None:
        self._waiting.append(message)
        self._filled.set()

    async def run(self) -> None:
        """Send until cancelled, or until the socket fails."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            messages, self._waiting = self._waiting, []
            await self._send(messages)
