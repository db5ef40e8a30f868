"""Trying a guest out without a hub: is it a guest, how fast does it start, which tools does it say it has.

It runs in the same sandbox as always, in a home that is thrown away; every host request is refused.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config import GuestSettings
from ..errors import GuestFailed
from .context import CallContext
from .host_errors import HostRefusal
from .house import GuestHouse
from .manifest import GuestTool, parse_tools
from .modules import CompiledModules
from .packages import Package
from .runtime import RunningGuest
from .store import GuestStore, Installed

LIST_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Trial:
    """``log`` is what it printed meanwhile."""

    tools: tuple[GuestTool, ...]
    start_ms: float
    list_ms: float
    log: str


class _Refusing:
    async def serve(
        self, guest: Installed, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        raise HostRefusal("ERR_PERMISSION_DENIED", "This is only a trial: the host serves no requests.")


async def try_out(package: Package, home: Path, settings: GuestSettings) -> Trial:
    """Start it and ask for its tools. Raises ``GuestFailed`` when that does not work."""
    with tempfile.TemporaryDirectory(prefix="browser-pilot-guest-") as folder:
        house = GuestHouse(
            Path(folder),
            settings=lambda: settings,
            host=_Refusing(),
            secret_of=lambda _guest, _name: "",
            redact=str,
            modules=CompiledModules(GuestStore(home).cache_folder),
        )
        installed = house.store.put(package, (), source="")
        await house.prepare(installed)
        started = time.perf_counter()
        running = await house.start(installed)
        ready = time.perf_counter()
        try:
            tools = await _ask_for_tools(running, package)
            done = time.perf_counter()
        finally:
            await running.end()
        log = house.store.log_path(installed.name)
        return Trial(
            tools=tools,
            start_ms=(ready - started) * 1000,
            list_ms=(done - ready) * 1000,
            log=await asyncio.to_thread(log.read_text, "utf-8") if log.exists() else "",
        )


async def tools_of(package: Package, home: Path, settings: GuestSettings) -> tuple[GuestTool, ...]:
    """The tools that the manifest lists; where it lists none, those of the guest. It must start in either case."""
    tools = (await try_out(package, home, settings)).tools
    if not tools:
        raise GuestFailed(f"The guest {package.manifest.name} has no tools.")
    return tools


async def _ask_for_tools(running: RunningGuest, package: Package) -> tuple[GuestTool, ...]:
    if package.manifest.tools is not None:
        # A guest whose manifest lists its tools need not know the question; it must only get as far as to wait.
        await running.settled(LIST_SECONDS)
        return package.manifest.tools
    answer = await running.request("tools/list", {}, seconds=LIST_SECONDS)
    return parse_tools(answer.get("tools"))
