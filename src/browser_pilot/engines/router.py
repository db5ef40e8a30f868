"""Opens each session's browser in the engine that its request names."""

from __future__ import annotations

from collections.abc import Callable

from browser_pilot.policy.rules import Ruleset

from .engine import ContextRequest, Engine, LiveContext, StorageState


class EngineRouter:
    def __init__(self, managed: Engine, own: Engine, remote: Engine) -> None:
        self._engines = {"managed": managed, "own": own, "cdp": remote, "grid": remote}

    async def open(
        self, request: ContextRequest, rules: Callable[[], Ruleset], *, state: StorageState | None = None
    ) -> LiveContext:
        return await self._engines[request.engine].open(request, rules, state=state)

    async def close(self) -> None:
        for engine in dict.fromkeys(self._engines.values()):
            await engine.close()
