"""Pages of a session that may hang: each is looked into once at a time, and ended when it does."""

from __future__ import annotations

import asyncio

from ..pages.hanging import end_if_hung
from ..pages.tab import Tab


class Hangs:
    def __init__(self) -> None:
        self._hung: set[str] = set()
        self._looking: dict[str, asyncio.Task[None]] = {}

    def look_into(self, tab: Tab) -> None:
        """End its script if it hangs; if it did so before, its renderer."""
        if tab.id not in self._looking:
            self._looking[tab.id] = asyncio.create_task(self._end(tab))

    def close(self) -> None:
        for task in self._looking.values():
            task.cancel()

    async def _end(self, tab: Tab) -> None:
        try:
            if await end_if_hung(tab, leniently=tab.id not in self._hung):
                self._hung.add(tab.id)
        finally:
            self._looking.pop(tab.id, None)
