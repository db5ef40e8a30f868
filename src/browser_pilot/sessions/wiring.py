"""The sessions of a hub and what keeps them within their limits, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..config import Settings
from ..engines.engine import Engine
from ..policy.rules import Ruleset
from .client import Client
from .keeper import Keeper
from .profiles import ProfileFolder
from .registry import SessionRegistry
from .sharing import Shared
from .slots import Slots


@dataclass(frozen=True)
class Hosting:
    """``shared`` is what this hub shares with others, if it does."""

    sessions: SessionRegistry
    keeper: Keeper
    shared: Shared | None

    async def run(self) -> None:
        """Keep memory and leases, for as long as this runs."""
        renewing = [] if self.shared is None else [self.shared.run()]
        await asyncio.gather(self.keeper.run(), *renewing)

    async def count_call(self, client: Client, tool: str) -> None:
        """Count a call for all hubs; raises ``RateLimited``."""
        if self.shared is not None:
            await self.shared.count(client.name, tool, client.settings.policy.rate_per_minute)

    async def close(self) -> None:
        await self.sessions.close()
        if self.shared is not None:
            await self.shared.close()


def open_sessions(
    home: Path, engine: Engine, rules_for: Callable[[str], Ruleset], settings: Callable[[], Settings]
) -> Hosting:
    def most() -> int:
        return settings().sessions.max

    hub = settings().hub
    shared = None if hub.redis_url is None else Shared(hub.redis_url, key=hub.redis_key, most=most)
    registry = SessionRegistry(
        engine,
        rules_for,
        places=shared or Slots(most),
        settings=lambda: settings().sessions,
        profiles=shared or ProfileFolder(home),
    )
    return Hosting(registry, Keeper(registry, lambda: settings().sessions.memory_mb), shared)
