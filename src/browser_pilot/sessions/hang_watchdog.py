"""Checks tabs of a session that may hang, one check per tab at a time, and ends what hangs."""

from __future__ import annotations

import asyncio

from browser_pilot.page.observe.hang_recovery import end_if_hung
from browser_pilot.page.tab import Tab


class HangWatchdog:
    """Lives as long as its session; ``close`` cancels running checks."""

    def __init__(self) -> None:
        self._hung_before: set[str] = set()
        self._checks: dict[str, asyncio.Task[None]] = {}

    def check(self, tab: Tab) -> None:
        """Terminate the tab's script if it hangs; if it hung before, terminate its renderer."""
        if tab.id not in self._checks:
            self._checks[tab.id] = asyncio.create_task(self._run_check(tab))

    def close(self) -> None:
        for task in self._checks.values():
            task.cancel()

    async def _run_check(self, tab: Tab) -> None:
        try:
            if await end_if_hung(tab, script_first=tab.id not in self._hung_before):
                self._hung_before.add(tab.id)
        finally:
            self._checks.pop(tab.id, None)
