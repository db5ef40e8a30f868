"""The Playwright trace of a session: at most one runs, and it is lost with its browser."""

from __future__ import annotations

from pathlib import Path

from browser_pilot.engines.engine import LiveContext
from browser_pilot.errors import InvalidArgument
from browser_pilot.page.observe.trace import start_trace, stop_trace


class SessionTrace:
    """``live`` is the session's browser context now, None when it has none."""

    def __init__(self) -> None:
        self._traced: LiveContext | None = None

    def require_not_running(self, live: LiveContext | None) -> None:
        if self._traced is not None and self._traced is live:
            raise InvalidArgument("A trace is already running.", suggestions=["Stop it first: action stop."])

    async def start(self, live: LiveContext) -> None:
        await start_trace(live.context)
        self._traced = live

    async def stop(self, live: LiveContext | None, folder: Path, name: str | None) -> Path:
        traced, self._traced = self._traced, None
        if traced is None or traced is not live:
            raise InvalidArgument(
                "No trace is running." if traced is None else "The trace was lost with its browser.",
                suggestions=["Start one: action start."],
            )
        return await stop_trace(traced.context, folder, name)
