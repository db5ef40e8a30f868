"""The trace of a session: at most one runs, and it goes down with its browser."""

from __future__ import annotations

from pathlib import Path

from ..engines.engine import LiveContext
from ..errors import InvalidArgument
from ..pages.trace import start_trace, stop_trace


class Trace:
    """``live`` is the session's browser as it is now, None when it has none."""

    def __init__(self) -> None:
        self._of: LiveContext | None = None

    def insist_none(self, live: LiveContext | None) -> None:
        if self._of is not None and self._of is live:
            raise InvalidArgument("A trace runs already.", suggestions=["Stop it first: action stop."])

    async def start(self, live: LiveContext) -> None:
        await start_trace(live.context)
        self._of = live

    async def stop(self, live: LiveContext | None, folder: Path, name: str | None) -> Path:
        traced, self._of = self._of, None
        if traced is None or traced is not live:
            raise InvalidArgument(
                "No trace runs." if traced is None else "The trace went down with its browser.",
                suggestions=["Start one: action start."],
            )
        return await stop_trace(traced.context, folder, name)
