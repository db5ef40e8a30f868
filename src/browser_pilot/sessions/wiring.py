"""Builds the session registry of a hub together with its limits: slots, memory, Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.config.live_reload import CurrentConfig
from browser_pilot.engines.engine import Engine
from browser_pilot.policy.rules import Ruleset

from .client import Client
from .events import SessionEvents
from .memory_limiter import MemoryLimiter
from .profiles import ProfileFolder
from .redis_backend import RedisBackend
from .registry import SessionRegistry
from .slots import LocalSlots


@dataclass(frozen=True)
class SessionHosting:
    """``redis`` is set when this hub shares its limits with others through Redis."""

    sessions: SessionRegistry
    memory: MemoryLimiter
    redis: RedisBackend | None

    async def run(self) -> None:
        """Limit memory and renew leases until cancelled."""
        renewing = [] if self.redis is None else [self.redis.run()]
        await asyncio.gather(self.memory.run(), *renewing)

    async def count_call(self, client: Client, tool: str) -> None:
        """Count a call over all hubs; raises ``RateLimited``."""
        if self.redis is not None:
            await self.redis.count(client.name, tool, client.settings.policy.rate_per_minute)

    async def close(self) -> None:
        await self.sessions.close()
        if self.redis is not None:
            await self.redis.close()


def open_sessions(
    home: Path, engine: Engine, rules_for: Callable[[str], Ruleset], config: CurrentConfig, events: SessionEvents
) -> SessionHosting:
    def limit() -> int:
        return config.settings.sessions.max

    hub = config.settings.hub
    redis = None if hub.redis_url is None else RedisBackend(hub.redis_url, key=hub.redis_key, limit=limit)
    registry = SessionRegistry(
        engine,
        rules_for,
        slots=redis or LocalSlots(limit),
        settings=lambda: config.settings.sessions,
        profiles=redis or ProfileFolder(home),
        events=events,
    )
    return SessionHosting(registry, MemoryLimiter(registry, lambda: config.settings.sessions.memory_mb), redis)
