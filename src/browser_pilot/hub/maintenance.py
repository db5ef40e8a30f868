"""What the hub does by itself while it runs: ends what nobody uses, keeps the proxy up, removes what is too old."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from .config import Settings
from .egress import EgressProxy
from .engines.managed import ManagedEngine
from .gateway.limits import Limits
from .guests.house import GuestHouse
from .records.activity import ActivityLog
from .records.keeping import keep_records
from .records.tidying import tidy
from .server.clients import ClientList
from .sessions.registry import SessionRegistry

logger = logging.getLogger(__name__)

ROUND_SECONDS = 30.0
RECORDS_SECONDS = 3600.0


class Housekeeper:
    """``on_unneeded`` is called when the hub has had no client and no watcher for its idle time."""

    def __init__(
        self,
        home: Path,
        *,
        settings: Callable[[], Settings],
        clients: ClientList,
        sessions: SessionRegistry,
        engine: ManagedEngine,
        egress: EgressProxy,
        guests: GuestHouse,
        refresh_guests: Callable[[], Awaitable[bool]],
        limits: Limits,
        log: ActivityLog,
        is_watched: Callable[[], bool],
        on_unneeded: Callable[[], None] | None,
    ) -> None:
        self._home = home
        self._settings = settings
        self._clients = clients
        self._sessions = sessions
        self._engine = engine
        self._egress = egress
        self._guests = guests
        self._refresh_guests = refresh_guests
        self._limits = limits
        self._log = log
        self._is_watched = is_watched
        self._on_unneeded = on_unneeded

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        last_used = records_due = loop.time()
        while True:
            idle_seconds = self._settings().hub.idle_minutes * 60
            self._clients.changed.clear()
            # Not wait_for: before Python 3.12 it loses a cancellation that comes together with the change.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(ROUND_SECONDS, idle_seconds)):
                    await self._clients.changed.wait()
            await self._keep_egress()
            await self._end_unused(idle_seconds)
            if loop.time() >= records_due:
                records_due = loop.time() + RECORDS_SECONDS
                await self._remove_old()
            if len(self._clients) or self._is_watched():
                last_used = loop.time()
            elif self._on_unneeded is not None and loop.time() - last_used >= idle_seconds:
                logger.info("nobody has needed the hub for %.1f minutes", idle_seconds / 60)
                self._on_unneeded()

    async def _keep_egress(self) -> None:
        """Without its proxy a browser reaches nothing, so a proxy that ended is started again."""
        try:
            if await self._egress.keep_listening():
                logger.warning("the egress proxy had ended; it listens again")
        except OSError as error:
            logger.error("the egress proxy cannot listen at port %d: %s", self._egress.port, error.strerror)

    async def _end_unused(self, idle_seconds: float) -> None:
        self._limits.prune()
        await self._sessions.close_idle()
        await self._engine.end_unused(idle_seconds)
        await self._clients.expire(self._settings().sessions.idle_minutes * 60)
        await self._refresh_guests()
        await self._guests.end_idle()

    async def _remove_old(self) -> None:
        await keep_records(self._home, self._settings().logging, self._log)
        await asyncio.to_thread(tidy, self._home, self._settings().files)
