"""Self-test of a guest without a hub: whether it starts, how fast, and which tools it lists.

It runs in the usual sandbox, in a temporary home; every host request is refused.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from browser_pilot.config.settings import GuestSettings
from browser_pilot.errors import GuestFailed
from browser_pilot.guests.host.host_errors import HostError
from browser_pilot.guests.installed.guest_store import GuestStore, InstalledGuest
from browser_pilot.guests.installed.manifest import GuestTool, parse_tools
from browser_pilot.guests.installed.packages import Package

from .call_context import CallContext
from .compiled_modules import CompiledModules
from .manager import GuestManager
from .running_guest import RunningGuest

LIST_TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    """``log`` is the guest's output during the test."""

    tools: tuple[GuestTool, ...]
    start_ms: float
    list_ms: float
    log: str


class _RefusingHost:
    async def handle(
        self, guest: InstalledGuest, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        raise HostError("ERR_PERMISSION_DENIED", "The host serves no requests during a self-test.")


async def run_self_test(package: Package, home: Path, settings: GuestSettings) -> SelfTestResult:
    """Start the guest and list its tools. Raises ``GuestFailed``."""
    with tempfile.TemporaryDirectory(prefix="browser-pilot-guest-") as folder:
        manager = GuestManager(
            Path(folder),
            settings=lambda: settings,
            host=_RefusingHost(),
            secret_of=lambda _guest, _name: "",
            redact=str,
            modules=CompiledModules(GuestStore(home).cache_folder),
        )
        installed = manager.store.install(package, (), source="")
        await manager.compile(installed)
        started = time.perf_counter()
        running = await manager.start(installed)
        ready = time.perf_counter()
        try:
            tools = await _list_tools(running, package)
            done = time.perf_counter()
        finally:
            await running.stop()
        return SelfTestResult(
            tools=tools,
            start_ms=(ready - started) * 1000,
            list_ms=(done - ready) * 1000,
            log=await asyncio.to_thread(_output, manager.store.log_path(installed.name), installed.name),
        )


def _output(log: Path, guest: str) -> str:
    """What the guest wrote, without the note that the test stopped it."""
    text = log.read_text("utf-8") if log.exists() else ""
    return "".join(line for line in text.splitlines(True) if not line.endswith(f" The guest {guest} was stopped.\n"))


async def tools_of_guest(package: Package, home: Path, settings: GuestSettings) -> tuple[GuestTool, ...]:
    """The manifest's tools or, if it has none, those that the guest lists. The guest must start in either case."""
    tools = (await run_self_test(package, home, settings)).tools
    if not tools:
        raise GuestFailed(f"The guest {package.manifest.name} has no tools.")
    return tools


async def _list_tools(running: RunningGuest, package: Package) -> tuple[GuestTool, ...]:
    if package.manifest.tools is not None:
        # Such a guest need not implement tools/list; it must only start and wait for requests.
        if not await running.wait_reading(LIST_TIMEOUT_SECONDS):
            raise GuestFailed(
                f"The guest {package.manifest.name} did not wait for requests within {LIST_TIMEOUT_SECONDS:g} seconds.",
                suggestions=["It must read lines: `MCP.readLine()`, or standard input."],
            )
        return package.manifest.tools
    result = await running.request("tools/list", {}, timeout_seconds=LIST_TIMEOUT_SECONDS)
    return parse_tools(result.get("tools"))
